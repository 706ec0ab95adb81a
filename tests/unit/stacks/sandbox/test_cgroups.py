"""The means to freeze, decided from what the machine says."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.stacks.sandbox import cgroups
from hopcost.stacks.sandbox.cgroups import Freezer, FreezerKind, find_freezer


def mounts(v2: Path | None = None, v1: Path | None = None) -> str:
    """/proc/mounts, with decoys that hold no freezer."""
    lines = ["proc /proc proc rw,nosuid 0 0", "cgroup /sys/fs/cgroup/cpu cgroup rw,nosuid,cpu,cpuacct 0 0", "broken"]
    lines += [f"cgroup {v1} cgroup rw,nosuid,freezer 0 0"] if v1 else []
    lines += [f"cgroup2 {v2} cgroup2 rw,nosuid 0 0"] if v2 else []
    return "\n".join(lines) + "\n"


OWN = "7:freezer:/docker/abc\n4:cpu,cpuacct:/docker/abc\n0::/user.slice/shell\n"


@pytest.fixture
def freezable(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders in which a cgroup could be made; what was tried is asserted by what is found."""
    folders: list[Path] = []
    monkeypatch.setattr(cgroups, "_can_freeze", folders.__contains__)
    return folders


def test_version_2_comes_first(freezable: list[Path]) -> None:
    freezable += [Path("/v2/user.slice/shell"), Path("/v1/docker/abc")]
    found = find_freezer(mounts(v2=Path("/v2"), v1=Path("/v1")), OWN)
    assert found == Freezer(kind=FreezerKind.CGROUP_2, parent="/v2/user.slice/shell", account="/v2/user.slice/shell")


def test_version_1_where_version_2_is_not_writable(freezable: list[Path]) -> None:
    freezable += [Path("/v1/docker/abc")]
    found = find_freezer(mounts(v2=Path("/v2"), v1=Path("/v1")), OWN)
    assert found == Freezer(kind=FreezerKind.CGROUP_1, parent="/v1/docker/abc")


def test_the_root_of_a_tree(freezable: list[Path]) -> None:
    freezable += [Path("/v2")]
    assert find_freezer(mounts(v2=Path("/v2")), "0::/\n") == Freezer(
        kind=FreezerKind.CGROUP_2, parent="/v2", account="/v2"
    )


def test_the_second_mount_of_a_kind_is_tried_too(freezable: list[Path]) -> None:
    freezable += [Path("/other/user.slice/shell")]
    text = mounts(v2=Path("/v2")) + mounts(v2=Path("/other"))
    assert find_freezer(text, OWN) == Freezer(
        kind=FreezerKind.CGROUP_2, parent="/other/user.slice/shell", account="/other/user.slice/shell"
    )


def test_signals_where_no_cgroup_can_be_made(freezable: list[Path]) -> None:
    found = find_freezer(mounts(v2=Path("/v2"), v1=Path("/v1")), OWN)
    assert found == Freezer(kind=FreezerKind.SIGNAL, parent=None)
    assert found.cgroup("stack") is None


@pytest.mark.parametrize(("text", "own"), [("", OWN), (mounts(v2=Path("/v2"), v1=Path("/v1")), ""), ("", "")])
def test_signals_where_the_kernel_says_nothing(text: str, own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "_can_freeze", lambda parent: True)
    assert find_freezer(text, own).kind == FreezerKind.SIGNAL


def test_a_version_1_tree_without_freezer_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "_can_freeze", lambda parent: True)
    assert find_freezer(mounts(), OWN).kind == FreezerKind.SIGNAL


def test_a_stacks_cgroup_is_made_in_the_parent() -> None:
    assert Freezer(kind=FreezerKind.CGROUP_2, parent="/v2/shell").cgroup("stack-1") == Path("/v2/shell/stack-1")


def test_a_folder_that_does_not_exist_is_no_cgroup(tmp_path: Path) -> None:
    assert find_freezer(mounts(v2=tmp_path), "0::/none\n").kind == FreezerKind.SIGNAL
    assert list(tmp_path.iterdir()) == []


def test_version_1_counts_in_another_hierarchy(freezable: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    freezable += [Path("/v1/docker/abc")]
    monkeypatch.setattr(cgroups, "_can_count", lambda parent: True)
    text = mounts(v1=Path("/v1"))
    freezer = find_freezer(text, OWN)
    account = "/sys/fs/cgroup/cpu/docker/abc"
    assert freezer == Freezer(kind=FreezerKind.CGROUP_1, parent="/v1/docker/abc", account=account)
    assert freezer.cgroups("stack-1") == [Path("/v1/docker/abc/stack-1"), Path(account) / "stack-1"]
    monkeypatch.setattr(cgroups, "_can_count", lambda parent: False)
    assert find_freezer(text, OWN).cgroups("stack-1") == [Path("/v1/docker/abc/stack-1")]


def test_version_2_freezes_and_counts_in_one_cgroup_and_signals_need_none() -> None:
    assert Freezer(kind=FreezerKind.CGROUP_2, parent="/v2", account="/v2").cgroups("stack-1") == [Path("/v2/stack-1")]
    assert Freezer(kind=FreezerKind.SIGNAL, parent=None).cgroups("stack-1") == []
