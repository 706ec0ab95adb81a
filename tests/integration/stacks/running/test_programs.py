"""A program of a running stack ends and starts anew, where it was before, while the rest goes on."""

from __future__ import annotations

import itertools
import os
import signal
import time

import psutil
import pytest

from hopcost.errors import ArmFailed
from hopcost.plan.cores import Cores
from hopcost.stacks.client import check
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.suites.arms.arm import Arm, Hop, Link

pytestmark = [
    pytest.mark.usefixtures("nothing_left"),
    pytest.mark.skipif(not network.find_network().own, reason=f"no namespaces: {network.find_network().why}"),
]
NUMBERS = itertools.count()
CORE = min(os.sched_getaffinity(0))
CORES = Cores(stack=[CORE], generator=[CORE])
NGINX = Hop(program="nginx", link=Link.HTTP_TCP, settings={"worker_processes": 1, "upstream_fail_timeout_s": 1})


def stack(*hops: Hop) -> RunningStack:
    host = Local(find_freezer(), network.find_network())
    return RunningStack("alone", Arm(hops=list(hops)), {}, CORES, host, label=f"test-restart-{next(NUMBERS)}")


def status_of(running: RunningStack) -> int:
    with running.as_client():
        return check.ask(running.arm, running.prepared.address, "/").status


@pytest.mark.parametrize("link", [Link.HTTP_TCP, Link.HTTP_UNIX])
def test_a_program_is_stopped_and_started_again_in_its_place(link: Link) -> None:
    with stack(Hop(program="origin", link=link)) as running:
        pids = []
        for _ in range(3):
            assert status_of(running) == 200
            pids += running.processes["origin"]
            times = running.restart("origin")
            assert times.stopping_ns > 0 and times.starting_ns > 0
        assert len(set(pids)) == 3
        assert running.failure() is None
        assert [pid for pid in pids if psutil.pid_exists(pid)] == []


def test_behind_nginx_nobody_notices_that_copies_restart_one_after_the_other() -> None:
    with stack(NGINX, Hop(program="origin", link=Link.HTTP_TCP, copies=2)) as running:
        copies = [hop.name for hop in running.prepared.hops if hop.program == "origin"]
        before = {name: running.processes[name] for name in [*copies, "nginx"]}
        for copy in copies:
            running.restart(copy)
            assert [status_of(running) for _ in range(4)] == [200] * 4
        assert running.processes["nginx"] == before["nginx"]
        assert all(running.processes[copy] != before[copy] for copy in copies)


def test_what_has_ended_by_itself_is_not_restarted() -> None:
    with stack(Hop(program="origin", link=Link.HTTP_TCP)) as running:
        (pid,) = running.processes["origin"]
        os.kill(pid, signal.SIGKILL)
        until_s = time.monotonic() + 10
        while running.failure() is None and time.monotonic() < until_s:
            time.sleep(0.01)
        with pytest.raises(ArmFailed, match="origin"):
            running.restart("origin")
