"""Sessions: programs start, stop and die with the harness, frozen or not, and nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from conftest import freezers, leavings

from hopcost import host
from hopcost.errors import CannotMeasure
from hopcost.sandbox import Freezer

pytestmark = pytest.mark.usefixtures("nothing_left")

CORES = sorted(os.sched_getaffinity(0))
# A program with a child of its own that ignores SIGTERM: both must go.
STUBBORN = [
    sys.executable,
    "-c",
    "import os, signal, time; signal.signal(15, signal.SIG_IGN); os.fork(); time.sleep(600)",
]
WAIT_S = 10.0


@pytest.fixture(params=freezers(), ids=lambda freezer: freezer.kind)
def session(request: pytest.FixtureRequest) -> host.Session:
    freezer: Freezer = request.param
    session = host.Session(freezer.cgroups(f"hopcost-{leavings.owner()}-test"))
    request.addfinalizer(session.kill)
    return session


def eventually(holds: object) -> bool:
    """Whether it holds within the time; the machine may be busy."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if holds():  # type: ignore[operator]
            return True
        time.sleep(0.01)
    return False


def freeze(session: host.Session, pids: list[int]) -> None:
    if session.cgroup is None:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
    elif (session.cgroup / "cgroup.freeze").exists():
        (session.cgroup / "cgroup.freeze").write_text("1")
    else:
        (session.cgroup / "freezer.state").write_text("FROZEN")


def test_a_program_runs_on_its_cores_in_the_stacks_session_and_directory(session: host.Session) -> None:
    pid = session.start("sleeper", ["sleep", "600"], [CORES[-1]], 512)
    process = psutil.Process(pid)
    assert process.cpu_affinity() == [CORES[-1]]
    assert os.getsid(pid) == session.leader != os.getsid(0)
    assert process.cwd() == str(session.directory)
    assert process.rlimit(psutil.RLIMIT_NOFILE) == (512, 512)


def test_all_programs_of_a_stack_share_one_session(session: host.Session) -> None:
    pids = [session.start(name, ["sleep", "600"], CORES, 512) for name in ("front", "back")]
    assert {os.getsid(pid) for pid in pids} == {session.leader}


def test_stop_ends_also_a_frozen_program_that_ignores_sigterm_and_its_child(session: host.Session) -> None:
    pid = session.start("stubborn", STUBBORN, CORES, 512)
    assert eventually(lambda: len(host.process_tree(pid)) == 2)
    tree = host.process_tree(pid)
    freeze(session, tree)
    session.stop()
    assert not any(psutil.pid_exists(each) for each in tree)
    assert not session.directory.exists()


def test_a_program_that_ends_is_told_with_its_status_and_last_lines(session: host.Session) -> None:
    session.start("short", ["sh", "-c", "echo one; echo two >&2; exit 7"], CORES, 512)
    assert eventually(lambda: session.poll() == {"short": 7})
    assert host.last_lines(session.log("short")) == "one\ntwo"
    assert host.last_lines(session.log("short"), count=1) == "two"


def test_a_program_that_cannot_be_executed_says_so(session: host.Session) -> None:
    with pytest.raises(CannotMeasure, match=r"/no/such/program: .*No such file"):
        session.start("none", ["/no/such/program"], CORES, 512)


def test_a_killed_keeper_leaves_nothing_either(session: host.Session) -> None:
    pid = session.start("stubborn", STUBBORN, CORES, 512)
    assert eventually(lambda: len(host.process_tree(pid)) == 2)
    tree = host.process_tree(pid)
    os.kill(session.leader, signal.SIGKILL)
    with pytest.raises(CannotMeasure, match="keeper"):
        session.start("late", ["sleep", "600"], CORES, 512)
    session.kill()
    assert eventually(lambda: not any(psutil.pid_exists(each) for each in tree))


HARNESS = """
import json, os, signal, sys, time
from pathlib import Path
from hopcost import host
cgroup = Path(sys.argv[1]) if sys.argv[1] else None
session = host.Session(cgroup)
pid = session.start("stubborn", json.loads(sys.argv[2]), [%d], 512)
while len(host.process_tree(pid)) < 2:
    time.sleep(0.01)
tree = host.process_tree(pid)
if cgroup is None:
    for each in tree:
        os.kill(each, signal.SIGSTOP)
elif (cgroup / "cgroup.freeze").exists():
    (cgroup / "cgroup.freeze").write_text("1")
else:
    (cgroup / "freezer.state").write_text("FROZEN")
print(json.dumps([session.leader, *tree]), flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("freezer", freezers(), ids=lambda freezer: freezer.kind)
def test_kill_9_of_the_harness_ends_frozen_programs_and_removes_everything(
    freezer: Freezer, nothing_left: Path
) -> None:
    cgroup = freezer.cgroup(f"hopcost-{os.getpid()}-test")
    harness = subprocess.Popen(
        [sys.executable, "-c", HARNESS % CORES[0], str(cgroup or ""), json.dumps(STUBBORN)], stdout=subprocess.PIPE
    )
    assert harness.stdout is not None
    pids = json.loads(harness.stdout.readline())
    assert all(psutil.pid_exists(pid) for pid in pids)
    harness.kill()
    harness.wait()
    harness.stdout.close()
    assert eventually(lambda: not any(psutil.pid_exists(pid) for pid in pids))
    assert eventually(lambda: not leavings(nothing_left))


def test_put_writes_into_the_directory(session: host.Session) -> None:
    assert session.put("a.conf", "x\n") == session.directory / "a.conf"
    assert Path(session.directory / "a.conf").read_text() == "x\n"


def test_the_free_port_probe_sees_a_listener() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert not host.port_is_free(port)
    assert host.port_is_free(port)
