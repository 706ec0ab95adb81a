"""Services that apps use: which of them are counted, by what, and why others are not."""

from __future__ import annotations

import pytest

from hopcost.machine.listeners import Listener
from hopcost.stacks.app.services import SharedService, _shared, unlike
from hopcost.suites.arms.app import read_service

POSTGRES = read_service("127.0.0.1:5432")


def listener(names: list[str], pids: list[int], cgroup: str | None = None, is_docker_proxy: bool = False) -> Listener:
    return Listener(
        address="127.0.0.1:5432", inodes=[1], pids=pids, names=names, cgroup=cgroup, uid=0,
        is_docker_proxy=is_docker_proxy,
    )  # fmt: skip


def test_one_process_is_counted_by_its_clock() -> None:
    assert _shared(POSTGRES, listener(["mysqld"], [7])) == SharedService(name="mysqld", pids=[7])


def test_a_cgroup_of_its_own_counts_processes_that_come_and_go() -> None:
    shared = _shared(POSTGRES, listener(["postgres ×6"], [7, 8], "/sys/fs/cgroup/postgresql"))
    assert shared == SharedService(name="postgres", pids=[7, 8], account="/sys/fs/cgroup/postgresql")


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (listener(["postgres ×6"], [7, 8]), "postgres ×6 behind 127.0.0.1:5432: they come and go, without a cgroup"),
        (listener([], []), "what is behind 127.0.0.1:5432: this user cannot see"),
        (listener(["docker-proxy"], [9], is_docker_proxy=True), "what is behind 127.0.0.1:5432: it is in a container"),
    ],
)
def test_what_cannot_be_counted_says_why(seen: Listener, why: str) -> None:
    assert (_shared(POSTGRES, seen).why_unknown or "").startswith(why)


def test_no_two_hops_have_one_name() -> None:
    services = [SharedService("redis-server", [1]), SharedService("redis-server", [2]), SharedService("shop", [3])]
    names = [service.name for service in unlike(services, {"shop"})]
    assert names == ["redis-server", "redis-server-2", "shop-2"]
