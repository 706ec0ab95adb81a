"""Servers of others that were frozen run again: at the end, and when the harness is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hopcost.errors import CannotMeasure
from hopcost.stacks.attached.freezing import Thawer, refuse_unfreezable
from hopcost.stacks.sandbox.processes import stat_fields

HARNESS = """
import os, signal, sys
from hopcost.stacks.attached.freezing import Thawer
pid = int(sys.argv[1])
with Thawer([pid]):
    os.kill(pid, signal.SIGSTOP)
    print("frozen", flush=True)
    signal.pause()
"""


@pytest.fixture
def sleeper() -> Iterator[int]:
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process.pid
        process.kill()


def is_stopped(pid: int) -> bool:
    return stat_fields(pid)[0] == "T"


def comes_true(pid: int, *, stopped: bool) -> bool:
    deadline = time.monotonic() + 10
    while is_stopped(pid) is not stopped:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_leaving_thaws(sleeper: int) -> None:
    with Thawer([sleeper]):
        os.kill(sleeper, signal.SIGSTOP)
        assert comes_true(sleeper, stopped=True)
    assert comes_true(sleeper, stopped=False)


def test_a_killed_harness_leaves_nobody_frozen(sleeper: int) -> None:
    words = [sys.executable, "-c", HARNESS, str(sleeper)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as harness:
        assert harness.stdout is not None and harness.stdout.readline() == "frozen\n"
        assert comes_true(sleeper, stopped=True)
        harness.kill()
    assert comes_true(sleeper, stopped=False)


def test_a_number_that_is_another_process_now_is_left_alone(sleeper: int) -> None:
    os.kill(sleeper, signal.SIGSTOP)
    assert comes_true(sleeper, stopped=True)
    script = Path(sys.modules[Thawer.__module__].__file__ or "").with_name("thawer.py")
    subprocess.run([sys.executable, "-I", "-S", script, f"{sleeper}-1"], input=b"done", check=True, timeout=30)
    assert is_stopped(sleeper), "it began at another time"
    os.kill(sleeper, signal.SIGCONT)


def test_who_may_not_be_frozen(sleeper: int) -> None:
    refuse_unfreezable("a", [sleeper])
    with pytest.raises(CannotMeasure, match="started hopcost"):
        refuse_unfreezable("a", [os.getpid()])
    with pytest.raises(CannotMeasure, match="has ended"):
        refuse_unfreezable("a", [2**22 + 1])
