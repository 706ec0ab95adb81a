"""Idle cores of a virtual machine that are kept awake."""

from __future__ import annotations

import struct
from pathlib import Path

from hopcost.stacks import awake


def open_files() -> list[str]:
    folder = Path("/proc/self/fd")
    return [str(file.readlink()) for file in folder.iterdir() if file.is_symlink()]


def test_the_wish_is_held_for_as_long_as_the_process_lives(tmp_path: Path) -> None:
    limit = tmp_path / "cpu_dma_latency"
    limit.touch()
    assert awake.hold(limit)
    assert struct.unpack("=i", limit.read_bytes()) == (0,)
    assert str(limit) in open_files()


def test_without_the_right_to_ask_cores_idle_as_the_kernel_is_set(tmp_path: Path) -> None:
    assert not awake.hold(tmp_path / "missing")
    assert not awake.may_hold(tmp_path / "missing")
