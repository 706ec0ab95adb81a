"""The means to freeze, decided from what the machine says."""

from __future__ import annotations

from pathlib import Path

import pytest
from processes.freezers import mounts

from hopcost.stacks.sandbox.cgroups import Freezer, FreezerKind, find_freezer

OWN = "7:freezer:/docker/abc\n4:cpu,cpuacct:/docker/abc\n0::/user.slice/shell\n"


def find(text: str, own: str, *freezable: str, can_count: bool = False) -> Freezer:
    """The means to freeze if cgroups can be made in these folders alone."""
    return find_freezer(text, own, can_freeze=lambda path: str(path) in freezable, can_count=lambda _: can_count)


def test_version_2_comes_first() -> None:
    freezer = find(mounts(v2=Path("/v2"), v1=Path("/v1")), OWN, "/v2/user.slice/shell", "/v1/docker/abc")
    assert freezer == Freezer(kind=FreezerKind.CGROUP_2, parent="/v2/user.slice/shell", account="/v2/user.slice/shell")


def test_version_1_where_version_2_is_not_writable() -> None:
    freezer = find(mounts(v2=Path("/v2"), v1=Path("/v1")), OWN, "/v1/docker/abc")
    assert freezer == Freezer(kind=FreezerKind.CGROUP_1, parent="/v1/docker/abc")


def test_the_root_of_a_tree() -> None:
    freezer = find(mounts(v2=Path("/v2")), "0::/\n", "/v2")
    assert freezer == Freezer(kind=FreezerKind.CGROUP_2, parent="/v2", account="/v2")


def test_the_second_mount_of_a_kind_is_tried_too() -> None:
    folder = "/other/user.slice/shell"
    freezer = find(mounts(v2=Path("/v2")) + mounts(v2=Path("/other")), OWN, folder)
    assert freezer == Freezer(kind=FreezerKind.CGROUP_2, parent=folder, account=folder)


def test_signals_where_no_cgroup_can_be_made() -> None:
    freezer = find(mounts(v2=Path("/v2"), v1=Path("/v1")), OWN)
    assert freezer == Freezer(kind=FreezerKind.SIGNAL, parent=None)
    assert freezer.cgroup("stack") is None


@pytest.mark.parametrize(("text", "own"), [("", OWN), (mounts(v2=Path("/v2"), v1=Path("/v1")), ""), ("", "")])
def test_signals_where_the_kernel_says_nothing(text: str, own: str) -> None:
    assert find_freezer(text, own, can_freeze=lambda _: True).kind == FreezerKind.SIGNAL


def test_a_version_1_tree_without_freezer_is_none() -> None:
    assert find_freezer(mounts(), OWN, can_freeze=lambda _: True).kind == FreezerKind.SIGNAL


def test_a_stacks_cgroup_is_made_in_the_parent() -> None:
    assert Freezer(kind=FreezerKind.CGROUP_2, parent="/v2/shell").cgroup("stack-1") == Path("/v2/shell/stack-1")


def test_a_folder_that_does_not_exist_is_no_cgroup(tmp_path: Path) -> None:
    assert find_freezer(mounts(v2=tmp_path), "0::/none\n").kind == FreezerKind.SIGNAL
    assert list(tmp_path.iterdir()) == []


def test_version_1_counts_in_another_hierarchy() -> None:
    text = mounts(v1=Path("/v1"))
    freezer = find(text, OWN, "/v1/docker/abc", can_count=True)
    account = "/sys/fs/cgroup/cpu/docker/abc"
    assert freezer == Freezer(kind=FreezerKind.CGROUP_1, parent="/v1/docker/abc", account=account)
    assert freezer.cgroups("stack-1") == [Path("/v1/docker/abc/stack-1"), Path(account) / "stack-1"]
    assert find(text, OWN, "/v1/docker/abc").cgroups("stack-1") == [Path("/v1/docker/abc/stack-1")]


def test_version_2_freezes_and_counts_in_one_cgroup_and_signals_need_none() -> None:
    assert Freezer(kind=FreezerKind.CGROUP_2, parent="/v2", account="/v2").cgroups("stack-1") == [Path("/v2/stack-1")]
    assert Freezer(kind=FreezerKind.SIGNAL, parent=None).cgroups("stack-1") == []
