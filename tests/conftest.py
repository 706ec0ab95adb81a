"""What several test files need: freezers that this machine has, and a look at what was left behind."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import settings

from hopcost import host
from hopcost.sandbox import Freezer, find_freezer

# No deadline: no test may fail because the machine is busy. Derandomised: what passes here passes everywhere.
settings.register_profile("hopcost", deadline=None, derandomize=True, database=None)
settings.load_profile("hopcost")

# A shell without job control starts background jobs with SIGINT ignored, which our children would inherit: a handler of
# Python's own becomes the default in a child.
signal.signal(signal.SIGINT, signal.default_int_handler)

MOUNTS = Path("/proc/mounts")


def freezers() -> list[Freezer]:
    """Every means to freeze that can be had here, each once: all of them must hold the same promises."""
    found = {}
    mounts = MOUNTS.read_text().splitlines()
    for without in ((), ("cgroup2",), ("cgroup2", "cgroup")):
        text = "\n".join(line for line in mounts if line.split()[2] not in without)
        freezer = find_freezer(mounts=text)
        found[freezer.kind] = freezer
    return list(found.values())


def leavings(folder: Path) -> list[str]:
    """hopcost's directories under this folder, and cgroups of this process or of harnesses that are no more."""
    found = [str(path) for path in folder.glob(f"{host.PREFIX}*")]
    for freezer in freezers():
        if freezer.parent is not None:
            for path in Path(freezer.parent).glob("hopcost-*"):
                owner = int(path.name.split("-")[1])
                if owner == os.getpid() or not psutil.pid_exists(owner):
                    found.append(str(path))
    return found


@pytest.fixture
def nothing_left(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder that the test's stacks live in; the test must leave no directory and no cgroup behind."""
    tmp_path_factory.getbasetemp()  # made now, so that it is not made in that folder
    with tempfile.TemporaryDirectory(prefix="hct-") as folder:  # short: socket files lie in it
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        before = leavings(Path(folder))  # a killed harness of before the test is not the test's
        yield Path(folder)
        assert [path for path in leavings(Path(folder)) if path not in before] == []
