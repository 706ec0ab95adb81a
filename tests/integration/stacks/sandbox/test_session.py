"""Sessions: programs start, stop and die with the harness, frozen or not, and nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest
from processes.freezers import freezers, leavings

from hopcost.errors import CannotMeasure, MeasurementFailed
from hopcost.stacks.sandbox import processes, usage
from hopcost.stacks.sandbox.cgroups import Freezer, _is_frozen
from hopcost.stacks.sandbox.leftovers import owner
from hopcost.stacks.sandbox.ports import port_is_free
from hopcost.stacks.sandbox.session import NotStarted, Session, last_lines, process_tree

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
def session(request: pytest.FixtureRequest) -> Session:
    freezer: Freezer = request.param
    session = Session(freezer.cgroups(f"hopcost-{owner()}-test"))
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


def freeze(session: Session, pids: list[int]) -> None:
    if session.cgroup is None:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
    elif (session.cgroup / "cgroup.freeze").exists():
        (session.cgroup / "cgroup.freeze").write_text("1")
    else:
        (session.cgroup / "freezer.state").write_text("FROZEN")


def test_a_program_runs_on_its_cores_in_the_stacks_session_and_directory(session: Session) -> None:
    pid = session.start("sleeper", ["sleep", "600"], [CORES[-1]], 512)
    process = psutil.Process(pid)
    assert process.cpu_affinity() == [CORES[-1]]
    assert os.getsid(pid) == session.leader != os.getsid(0)
    assert process.cwd() == str(session.directory)
    assert process.rlimit(psutil.RLIMIT_NOFILE) == (512, 512)


def test_all_programs_of_a_stack_share_one_session(session: Session) -> None:
    pids = [session.start(name, ["sleep", "600"], CORES, 512) for name in ("front", "back")]
    assert {os.getsid(pid) for pid in pids} == {session.leader}
    assert [session.processes(name, pid) for name, pid in zip(("front", "back"), pids, strict=True)] == [
        [pid] for pid in pids
    ]


def test_stop_ends_also_a_frozen_program_that_ignores_sigterm_and_its_child(session: Session) -> None:
    pid = session.start("stubborn", STUBBORN, CORES, 512)
    assert eventually(lambda: len(process_tree(pid)) == 2)
    tree = process_tree(pid)
    freeze(session, tree)
    session.stop()
    assert not any(psutil.pid_exists(each) for each in tree)
    assert not session.directory.exists()


def test_a_program_may_take_a_while_to_end(session: Session) -> None:
    slow = "trap 'sleep 2; exit 3' TERM; echo ready; while :; do sleep 0.05; done"
    session.start("slow", ["sh", "-c", slow], CORES, 512)
    assert eventually(lambda: last_lines(session.log("slow")) == "ready")
    session.stop()
    assert session.exited == {"slow": 3}


def test_a_cgroup_is_killed_whole_since_a_program_may_fork_faster_than_its_processes_are_listed(
    session: Session,
) -> None:
    if not any((cgroup / "cgroup.kill").exists() for cgroup in session.cgroups):
        pytest.skip("no cgroup.kill: version 1, or a kernel before 5.14")
    pid = session.start("stubborn", STUBBORN, CORES, 512)
    assert eventually(lambda: len(process_tree(pid)) == 2)
    processes.kill([], session.cgroups)
    assert eventually(lambda: session.processes("stubborn", pid) == [])
    assert eventually(lambda: session.poll() == {"stubborn": -9})


def test_a_program_that_ends_is_told_with_its_status_and_last_lines(session: Session) -> None:
    session.start("short", ["sh", "-c", "echo one; echo two >&2; exit 7"], CORES, 512)
    assert eventually(lambda: session.poll() == {"short": 7})
    assert last_lines(session.log("short")) == "one\ntwo"
    assert last_lines(session.log("short"), count=1) == "two"


def test_the_error_is_shown_that_stands_before_where_it_came_from(tmp_path: Path) -> None:
    """As Node prints a module that is not there."""
    trace = [f"    at step{number} (node:internal/modules/loader:{number})" for number in range(9)]
    (tmp_path / "log").write_text("\n".join(["throw err;", "Error: Cannot find module 'x'", *trace]))
    assert last_lines(tmp_path / "log", count=2).splitlines() == ["Error: Cannot find module 'x'", *trace[-2:]]
    (tmp_path / "log").write_text("starting\nerror: no such port\nbye")
    assert last_lines(tmp_path / "log", count=2) == "error: no such port\nbye"


def test_a_program_that_cannot_be_executed_says_so(session: Session) -> None:
    with pytest.raises(NotStarted, match=r"/no/such/program: .*No such file"):
        session.start("none", ["/no/such/program"], CORES, 512)


def test_a_killed_keeper_leaves_nothing_either(session: Session) -> None:
    pid = session.start("stubborn", STUBBORN, CORES, 512)
    assert eventually(lambda: len(process_tree(pid)) == 2)
    tree = process_tree(pid)
    os.kill(session.leader, signal.SIGKILL)
    with pytest.raises(MeasurementFailed, match="keeper"):
        session.start("late", ["sleep", "600"], CORES, 512)
    session.kill()
    assert eventually(lambda: not any(psutil.pid_exists(each) for each in tree))


HARNESS = """
import json, os, signal, sys, time
from pathlib import Path
from hopcost.stacks.sandbox import session as sessions
cgroup = Path(sys.argv[1]) if sys.argv[1] else None
session = sessions.Session([cgroup] if cgroup is not None else [])
pid = session.start("stubborn", json.loads(sys.argv[2]), [%d], 512)
while len(sessions.process_tree(pid)) < 2:
    time.sleep(0.01)
tree = sessions.process_tree(pid)
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
    cgroup = freezer.cgroup(f"hopcost-{owner()}-test")
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


def test_put_writes_into_the_directory(session: Session) -> None:
    assert session.put("a.conf", "x\n") == session.directory / "a.conf"
    assert Path(session.directory / "a.conf").read_text() == "x\n"


def test_the_free_port_probe_sees_a_listener() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert not port_is_free(port)
    assert port_is_free(port)


@pytest.mark.parametrize(
    ("cores", "open_files", "step"),
    [([4095], 512, r"cores \[4095\]: .*Invalid argument"), (CORES, 1 << 40, f"a limit of {1 << 40} open files: ")],
)
def test_what_a_program_cannot_be_given_is_named_with_the_reason(
    session: Session, cores: list[int], open_files: int, step: str
) -> None:
    with pytest.raises(NotStarted, match=step):
        session.start("none", ["sleep", "600"], cores, open_files)


@pytest.mark.parametrize("freezer", [each for each in freezers() if each.parent], ids=lambda freezer: freezer.kind)
def test_freezing_a_stack_freezes_the_cgroup_of_each_program_and_who_was_born_in_it(freezer: Freezer) -> None:
    session = Session(freezer.cgroups(f"hopcost-{owner()}-parent"))
    try:
        assert session.cgroup is not None
        forks = [sys.executable, "-c", "import os, time\nwhile True:\n  if os.fork() == 0: os._exit(0)\n  os.wait()"]
        pid = session.start("forks", forks, CORES, 512)
        before = usage.account_ns(Path(freezer.account or "") / session.cgroup.name / "forks")
        assert (session.cgroup / "forks" / "cgroup.procs").read_text().split()[:1] == [str(pid)]
        assert (session.cgroup / "cgroup.procs").read_text() == ""
        assert eventually(lambda: usage.account_ns(Path(freezer.account or "") / session.cgroup.name) > before)
        freeze(session, [])
        assert eventually(lambda: _is_frozen(session.cgroup)), "children and all"
        frozen = usage.account_ns(Path(freezer.account or "") / session.cgroup.name)
        time.sleep(0.1)
        assert usage.account_ns(Path(freezer.account or "") / session.cgroup.name) == frozen
    finally:
        session.kill()


def test_a_folder_for_temporary_files_that_cannot_be_used_is_named_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, nothing_left: Path
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: "/proc")
    with pytest.raises(CannotMeasure, match="directory cannot be made") as caught:
        Session()
    assert "TMPDIR" in (caught.value.hint or "")


def test_a_cgroup_that_cannot_be_made_is_the_instruments_fault_and_leaves_nothing(nothing_left: Path) -> None:
    with pytest.raises(MeasurementFailed, match=r"the stack's cgroup could not be made: .*No such file"):
        Session([Path("/sys/fs/cgroup/no/such/folder")])
