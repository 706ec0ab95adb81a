"""A running server with the face of a stack: its processes, its CPU time, and that nothing of it is stopped."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from processes.origins import Origin, origin

from hopcost.errors import ArmFailed
from hopcost.plan.cores import Cores
from hopcost.stacks.attached.request import ask_stack
from hopcost.stacks.attached.stack import REMOTE, AttachedStack
from hopcost.suites.arms.server import RunningServer, ServerHop
from hopcost.suites.experiments.workload import Workload

CORES = Cores(stack=[0], generator=[0])


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Origin]:
    with origin(tmp_path) as one:
        yield one


def server(running: Origin, **more: object) -> RunningServer:
    plain = RunningServer(
        url=running.url(),
        link="http+tcp",
        address=running.address,
        host="example.test",
        target="/hello",
        hops=[ServerHop(name="origin", pids=[running.pid])],
    )
    return msgspec.structs.replace(plain, **more)


def test_it_is_asked_counted_and_left_as_it_was(running: Origin) -> None:
    with AttachedStack("own", server(running), CORES) as stack:
        assert ask_stack(stack.prepared, Workload()).body == b"Hello World\n"
        assert stack.processes == {"origin": [running.pid]}
        before = stack.cpu_by_account()[str(running.pid)]
        for _ in range(50):
            ask_stack(stack.prepared, Workload())
        assert stack.cpu_by_account()[str(running.pid)] > before
        assert stack.freeze is None and stack.failure() is None and stack.network_namespace is None
        assert stack.memory()["origin"].processes == 1
        assert [one.hop for one in stack.time_wait()] == ["origin"]
    assert running.process.poll() is None, "nobody ends it"


def test_nothing_is_known_of_a_server_elsewhere(running: Origin) -> None:
    with AttachedStack("own", server(running, hops=[], is_here=False), CORES) as stack:
        assert (stack.processes, stack.cpu_by_account(), stack.memory()) == ({}, {}, {})
        assert [hop.name for hop in stack.prepared.hops] == [REMOTE]
        assert ask_stack(stack.prepared, Workload()).status == 200


def test_a_body_goes_with_the_request(running: Origin, tmp_path: Path) -> None:
    body = tmp_path / "body"
    body.write_bytes(b"x" * 1234)
    with AttachedStack("own", server(running, target="/echo-length", method="POST", body_file=str(body)), CORES) as one:
        assert ask_stack(one.prepared, Workload()).body.strip() == b"1234"
        body.unlink()
        with pytest.raises(ArmFailed, match="body: No such file"):
            ask_stack(one.prepared, Workload())


def test_what_it_starts_later_is_seen(running: Origin) -> None:
    with subprocess.Popen(["sh", "-c", "read line; sleep 600 & wait"], stdin=subprocess.PIPE) as shell:
        try:
            behind = ServerHop(name="sh", pids=[shell.pid], listens=False)
            with AttachedStack("own", server(running, hops=[behind]), CORES) as stack:
                assert stack.processes == {"sh": [shell.pid]}
                assert shell.stdin is not None
                shell.stdin.write(b"go\n")
                shell.stdin.flush()
                deadline = time.monotonic() + 10
                while len(pids := stack.processes["sh"]) < 2 and time.monotonic() < deadline:
                    time.sleep(0.01)
                assert len(pids) == 2
                os.kill(pids[1], 9)
        finally:
            shell.kill()


def test_a_server_that_has_ended_fails(running: Origin) -> None:
    with AttachedStack("own", server(running), CORES) as stack:
        running.process.kill()
        running.process.wait()
        assert stack.failure() == f"the processes of origin have ended (pid {running.pid})"
    with pytest.raises(ArmFailed, match="have ended"):
        AttachedStack("own", server(running), CORES)
