"""The lifeline ends a site's worker and leader whatever they do: real processes, no SSH and no Dask."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hopcost.measure.sites.there import lifeline
from hopcost.stacks.sandbox.leftovers import is_alive, is_in_use

LIMIT_S = 30.0
WORKER = """
import os, subprocess, sys
child = subprocess.Popen(["sleep", "300"])  # a leader that hangs: it does not look at its input
print(os.getpid(), child.pid, os.getcwd(), sys.stdin.readline().strip(), flush=True)
while os.read(0, 100):
    pass
"""


class Held:
    """A lifeline with a worker that has started."""

    def __init__(self, process: subprocess.Popen[str], line: str) -> None:
        words = line.split()
        self.process, self.worker, self.child = process, int(words[0]), int(words[1])
        self.folder, self.order = Path(words[2]), words[3]

    def are_gone(self) -> bool:
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            if not (is_alive(self.worker) or is_alive(self.child) or self.folder.exists()):
                return True
            time.sleep(0.05)
        return False


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Held]:
    (tmp_path / "worker.py").write_text(WORKER)
    code = (
        "import sys; from hopcost.measure.sites.there import lifeline;"
        " lifeline.WORKER = 'worker'; lifeline.END_S = 0.5; sys.exit(lifeline.main(2.0))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(tmp_path), "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("order\n")
        process.stdin.flush()
        try:
            yield Held(process, process.stdout.readline())
        finally:
            process.kill()


def test_the_order_arrives_and_the_folder_has_an_owner(held: Held) -> None:
    assert held.order == "order"
    assert is_in_use(held.folder.name), "hopcost doctor --clean knows the name"
    assert f"hopcost-{lifeline.owner()}-" != held.folder.name


def test_at_the_end_of_the_input_everything_ends(held: Held) -> None:
    assert held.process.stdin is not None
    held.process.stdin.close()
    assert held.are_gone()


def test_a_silent_controller_is_given_up_and_a_stopped_worker_ends_too(held: Held) -> None:
    os.kill(held.worker, signal.SIGSTOP)
    assert held.are_gone(), "nobody closed the input; the lease was over"


def test_when_the_worker_dies_the_leader_does_not_stay(held: Held) -> None:
    os.kill(held.worker, signal.SIGKILL)
    assert held.are_gone()
    held.process.wait(LIMIT_S)
