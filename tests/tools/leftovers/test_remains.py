"""What counts as left of a run on a machine where others run too."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hopcost.machine.traces import held_namespaces, virtual_cards
from tools.leftovers.remains import look, others_namespaces

WAIT_S = 30.0  # a limit, not a measure
OWNER = "hopcost-of-nobody"


@contextmanager
def in_a_namespace(more: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a network namespace of its own."""
    words = ["unshare", "--user", "--map-root-user", "--net", "sleep", "60"]
    with subprocess.Popen(words, env=os.environ | more) as process:
        try:
            deadline = time.monotonic() + WAIT_S
            while not others_namespaces({process.pid}) or not is_sleeping(process.pid):
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.01)
            yield process
        finally:
            process.kill()


def is_sleeping(pid: int) -> bool:
    """Whether `unshare` has become `sleep`: meanwhile a process shows no environment."""
    process = Path(f"/proc/{pid}")
    return (process / "comm").read_text() == "sleep\n" and (process / "environ").read_bytes() != b""


def left(temporary: Path, family: set[int], namespaces: set[str]) -> dict[str, list[str]]:
    return look(OWNER, temporary, family, namespaces, virtual_cards())


def test_a_number_that_the_kernel_gave_to_anothers_namespace_is_not_left(tmp_path: Path) -> None:
    with in_a_namespace({}) as process:
        assert left(tmp_path, set(), set(held_namespaces(process.pid))) == {}


def test_a_namespace_that_the_run_holds_is_left_whoever_its_parent_is_now(tmp_path: Path) -> None:
    with in_a_namespace({"TMPDIR": str(tmp_path)}) as process:
        names = others_namespaces({process.pid})
        assert left(tmp_path, set(), names) == {"namespaces": sorted(names)}
    with in_a_namespace({}) as process:
        names = others_namespaces({process.pid})
        assert left(tmp_path, {process.pid}, names) == {"namespaces": sorted(names)}
