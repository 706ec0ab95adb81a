"""Means to freeze, tried on folders that only look like cgroups."""

from __future__ import annotations

from pathlib import Path

import pytest
from processes.freezers import mounts

from hopcost.stacks.sandbox import cgroups
from hopcost.stacks.sandbox.cgroups import FreezerKind, find_freezer


def test_an_ordinary_folder_is_no_cgroup_and_nothing_is_left_in_it(tmp_path: Path) -> None:
    (tmp_path / "shell").mkdir()
    (tmp_path / "shell" / "cgroup.procs").touch()
    assert find_freezer(mounts(v2=tmp_path), "0::/shell\n").kind == FreezerKind.SIGNAL
    assert [path.name for path in (tmp_path / "shell").iterdir()] == ["cgroup.procs"]


@pytest.mark.parametrize(
    ("files", "freezes", "kind"),
    [
        (["cgroup.procs", "cgroup.freeze"], True, "cgroup2"),
        (["cgroup.procs", "cgroup.freeze"], False, "signal"),  # the files are there and do nothing
        (["cgroup.procs"], True, "signal"),  # a kernel before 5.2: no cgroup.freeze
        (["cgroup.freeze"], True, "signal"),
    ],
)
def test_what_a_new_cgroup_must_have_and_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: list[str], freezes: bool, kind: str
) -> None:
    """The kernel fills a new cgroup's folder; here `mkdir` does."""
    mkdir = Path.mkdir

    def filled(self: Path, *arguments: object) -> None:
        mkdir(self)
        for name in files:
            (self / name).touch()

    monkeypatch.setattr(Path, "mkdir", filled)
    monkeypatch.setattr(cgroups, "_comes_true", lambda holds: freezes)
    assert find_freezer(mounts(v2=tmp_path), "0::/\n").kind == kind
