"""Leavings: what dead runs left is found by its owner's name and removed; what living runs have is never touched."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import command
import psutil
import pytest
from processes.freezers import freezers

from hopcost.stacks.sandbox import leftovers
from hopcost.stacks.sandbox.leftovers import Kind, Leftover
from hopcost.stacks.sandbox.processes import MARK

pytestmark = pytest.mark.alone  # every run removes leftovers


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder for temporary files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def dead_owner() -> str:
    """The name of a process that has lived, and is no more."""
    with subprocess.Popen(["sleep", "600"]) as process:
        name = leftovers.owner(process.pid)
        process.kill()
    return name


def test_a_name_is_left_when_its_owner_is_dead_or_another_process_has_its_pid() -> None:
    pid, start, space = leftovers.owner().split("-")
    assert not leftovers.is_left(f"hopcost-stack-{pid}-{start}-{space}-1")
    assert leftovers.is_left(f"hopcost-stack-{pid}-{int(start) - 1}-{space}-1"), "the pid has come again"
    assert leftovers.is_left(f"hopcost-{dead_owner()}-one-core-0-go")


@pytest.mark.parametrize("name", ["hopcost", "hopcost-stack-x", "hopcost-1-2-fff-x", "other-1-2-3-4", "hopcost-stack-"])
def test_what_is_not_ours_or_of_another_pid_namespace_is_never_left(name: str) -> None:
    assert not leftovers.is_left(name)


def test_directories_cgroups_and_processes_of_the_dead_are_removed_and_those_of_the_living_stay(folder: Path) -> None:
    dead, living = dead_owner(), leftovers.owner()
    directories = [folder / f"hopcost-stack-{owner}-1" for owner in (dead, living)]
    for path in directories:
        path.mkdir()
    parents = [Path(freezer.parent) for freezer in freezers() if freezer.parent is not None]
    cgroups = [parent / f"hopcost-{owner}-test" for parent in parents for owner in (dead, living)]
    for path in cgroups:
        path.mkdir()
        (path / "origin").mkdir()
    lost = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], cwd=directories[0])
    try:
        found = [each.what for each in leftovers.find_leftovers()]
        assert str(lost.pid) in found and str(directories[0]) in found
        assert all((str(path) in found) == (dead in path.name) for path in cgroups)
        assert not any(living in what for what in found)
        listed = command.hopcost("doctor", "--left", extra={"XDG_CACHE_HOME": str(folder)})
        told = " ".join(listed.stdout.split())  # a long path wraps
        assert f"process {lost.pid} (" in told and f"directory {directories[0]} (" in told
        assert str(directories[1]) not in told, "in use"
        done = command.hopcost("doctor", "--clean", "--yes", extra={"XDG_CACHE_HOME": str(folder)})
        assert done.returncode == 0, done.stdout
        assert f"removed: process {lost.pid}" in done.stdout
        assert lost.wait(10) == -9
        assert [path.exists() for path in directories] == [False, True]
        assert all(path.exists() == (living in path.name) for path in cgroups)
    finally:
        lost.kill()
        lost.wait()
        for path in [below for cgroup in cgroups for below in (cgroup / "origin", cgroup)]:
            if path.exists():
                path.rmdir()


def test_a_program_is_known_by_the_mark_in_its_environment_wherever_it_stands(folder: Path) -> None:
    environment = os.environ | {MARK: str(folder / f"hopcost-stack-{dead_owner()}-1")}
    with subprocess.Popen(["sleep", "600"], env=environment, cwd="/") as marked:
        try:
            known = Leftover(kind=Kind.PROCESS, what=str(marked.pid))
            deadline = time.monotonic() + 10
            while MARK not in psutil.Process(marked.pid).environ():  # set late in exec, after the name
                assert time.monotonic() < deadline
            assert known in leftovers.find_leftovers()
            leftovers.remove_leftovers()
            assert marked.wait(10) == -9
        finally:
            marked.kill()


def test_where_no_folder_can_be_written_it_looks_in_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container with a read-only root: the run's own error comes later, and is clear."""

    def refuse() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", refuse)
    leftovers.find_leftovers()
