"""What all tests share: hypothesis' profile, signals as in a shell, and a look at what was left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from processes.freezers import leavings
from processes.own_cgroup import own_cgroup

pytest_plugins = ["mocks.mock_rig", "samples.programs", "samples.questions.gates"]  # fixtures

# No deadline: no test may fail because the machine is busy. Derandomised: what passes here passes everywhere.
settings.register_profile("hopcost", deadline=None, derandomize=True, database=None)
settings.load_profile("hopcost")

# A shell without job control starts background jobs with SIGINT ignored, which our children would inherit: a handler of
# Python's own becomes the default in a child.
signal.signal(signal.SIGINT, signal.default_int_handler)


_cgroup = contextlib.ExitStack()


def pytest_sessionstart() -> None:
    """Where several processes share the tests, each has a cgroup."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        _cgroup.enter_context(own_cgroup())


def pytest_sessionfinish() -> None:
    _cgroup.close()


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
