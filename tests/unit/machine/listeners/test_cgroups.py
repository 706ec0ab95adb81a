"""Cgroups by their id, in a made-up hierarchy: a folder's inode is the id."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.machine.listeners.cgroups import cgroup_of, countable_cgroup, cpu_ns, pids_below

HOPCOST = 90
ACCOUNT = "usage_usec 1234\nuser_usec 1000\nsystem_usec 234\n"


def cgroup(folder: Path, *pids: int) -> Path:
    folder.mkdir(parents=True)
    (folder / "cgroup.procs").write_text("".join(f"{pid}\n" for pid in pids))
    (folder / "cpu.stat").write_text(ACCOUNT)
    return folder


@pytest.fixture
def mounts(tmp_path: Path) -> str:
    cgroup(tmp_path / "init.scope", 1)
    cgroup(tmp_path / "system.slice")
    cgroup(tmp_path / "system.slice" / "app.service", 10, 11)
    cgroup(tmp_path / "user.slice", HOPCOST, 50)
    return f"cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\ncgroup2 {tmp_path} cgroup2 rw 0 0\n"


def test_the_folder_with_this_inode(tmp_path: Path, mounts: str) -> None:
    service = tmp_path / "system.slice" / "app.service"
    assert cgroup_of(service.stat().st_ino, mounts) == service
    assert cgroup_of(tmp_path.stat().st_ino, mounts) == tmp_path


def test_a_cgroup_that_is_not_to_be_seen_from_here(mounts: str) -> None:
    assert cgroup_of(2**60, mounts) is None
    assert cgroup_of(1, "") is None


def test_a_services_cgroup_counts_for_its_server(tmp_path: Path, mounts: str) -> None:
    service = tmp_path / "system.slice" / "app.service"
    assert countable_cgroup(service.stat().st_ino, HOPCOST, mounts) == service


@pytest.mark.parametrize("name", ["init.scope", "user.slice"])
def test_a_cgroup_with_process_1_or_with_hopcost_counts_for_no_server(tmp_path: Path, mounts: str, name: str) -> None:
    assert countable_cgroup((tmp_path / name).stat().st_ino, HOPCOST, mounts) is None


def test_a_cgroup_with_hopcost_below_it_counts_for_no_server(tmp_path: Path, mounts: str) -> None:
    assert countable_cgroup((tmp_path / "system.slice").stat().st_ino, 11, mounts) is None


def test_a_cgroup_without_an_account_counts_for_no_server(tmp_path: Path, mounts: str) -> None:
    service = tmp_path / "system.slice" / "app.service"
    (service / "cpu.stat").unlink()
    assert countable_cgroup(service.stat().st_ino, HOPCOST, mounts) is None
    assert countable_cgroup(None, HOPCOST, mounts) is None


def test_members_of_all_cgroups_below_without_those_of_other_namespaces(tmp_path: Path, mounts: str) -> None:
    cgroup(tmp_path / "system.slice" / "app.service" / "worker", 0, 12)
    assert sorted(pids_below(tmp_path / "system.slice")) == [10, 11, 12]


def test_cpu_time_in_nanoseconds(tmp_path: Path, mounts: str) -> None:
    assert cpu_ns(tmp_path / "system.slice" / "app.service") == 1_234_000
    assert cpu_ns(tmp_path / "gone") is None
