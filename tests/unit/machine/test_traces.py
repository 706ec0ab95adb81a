"""What a program has on this machine, looked at on this test's own process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hopcost.machine import traces

GONE = 2**22 + 1  # above the kernel's largest pid


def test_a_process_has_its_words_and_at_least_the_namespace_that_it_is_in() -> None:
    assert Path(sys.executable).name in traces.command_line(os.getpid())
    assert str(Path("/proc/self/ns/net").readlink()) in set(traces.held_namespaces(os.getpid()))


def test_of_a_process_that_is_gone_nothing_is_known() -> None:
    assert traces.command_line(GONE) == ""
    assert traces.descendants(GONE) == set()
    assert list(traces.held_namespaces(GONE)) == []


def test_the_size_of_a_folder_is_that_of_all_files_below_it_and_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "here" / "below").mkdir(parents=True)
    (tmp_path / "here" / "one").write_bytes(b"x" * 1000)
    (tmp_path / "here" / "below" / "two").write_bytes(b"x" * 500)
    (tmp_path / "far").write_bytes(b"x" * 100_000)
    link = tmp_path / "here" / "link"
    link.symlink_to("../far")
    assert traces.size_bytes(tmp_path / "here") == 1500 + link.lstat().st_size
    assert traces.size_bytes(tmp_path / "far") == 100_000
    assert traces.size_bytes(tmp_path / "nowhere") == 0
