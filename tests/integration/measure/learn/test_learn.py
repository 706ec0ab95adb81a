"""Apps with an oddity, started as a stack and learned: what is found out, and what is refused with which words."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from places import ROOT
from processes.needed import need_program

from hopcost.errors import ArmFailed
from hopcost.machine import facts
from hopcost.measure.learn import Learned, answers, idle, learn_app, warm_up
from hopcost.measure.learn.idle import KEEPS, keeps_when_upgrading
from hopcost.measure.rig import RealRig
from hopcost.plan.cores import Cores
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop, Link, SettingValue
from hopcost.suites.experiments.expect import Compared, Expect
from hopcost.suites.experiments.workload import Workload

pytestmark = pytest.mark.usefixtures("nothing_left", "brief")

APP = ROOT / "tests" / "support" / "processes" / "odd_app.py"
CORES = Cores(stack=facts.allowed_cores(), generator=facts.allowed_cores()[-1:])
WORKLOAD = Workload(connections=4, timeout_s=10)
NUMBERS = itertools.count()


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short waits: no test is about their length, but for the idle time-out."""
    raise_open_files()
    monkeypatch.setattr(answers, "APART_S", 0.01)
    monkeypatch.setattr(idle, "WATCHED_S", 0.05)
    monkeypatch.setattr(warm_up, "LEAST_REQUESTS", 500)
    monkeypatch.setattr(warm_up, "STRETCH_REQUESTS", 200)
    monkeypatch.setattr(warm_up, "MOST_S", 4.0)


def odd(oddity: str) -> Hop:
    """The app with this oddity."""
    app = App(command=[sys.executable, str(APP), oddity, "{port}"])
    return Hop(program="odd", link=Link.HTTP_TCP, app=app)


def nginx(**settings: SettingValue) -> Hop:
    """As a front."""
    need_program("nginx")
    return Hop(program="nginx", link=Link.HTTP_TCP, settings={"worker_processes": 1, **settings})


@contextmanager
def running(*hops: Hop) -> Iterator[tuple[RunningStack, RealRig]]:
    """A stack of these hops, the app last."""
    arm = Arm(hops=list(hops))
    host = Local(find_freezer(), network.find_network())
    with RunningStack("alone", arm, {}, CORES, host, label=f"odd-{next(NUMBERS)}") as stack:
        yield stack, RealRig(host)


def learned(*hops: Hop, workload: Workload = WORKLOAD) -> Learned:
    with running(*hops) as (stack, rig):
        return learn_app(stack, workload, rig, lambda _: None)


def refused(oddity: str, workload: Workload = WORKLOAD) -> ArmFailed:
    with running(odd(oddity)) as (stack, rig), pytest.raises(ArmFailed) as caught:
        learn_app(stack, workload, rig, lambda _: None)
    return caught.value


def test_an_app_that_stays_the_same_is_compared_in_every_byte() -> None:
    known = learned(odd("none"))
    assert known.expect == Expect(Compared.BODY, 200)
    assert set(known.changing) <= {"Date"}
    assert (known.status, known.content_type, known.processes) == (200, "text/html", 1)
    assert ("Content-Type", "text/html") in known.headers
    assert (known.keeps_connections, known.idle_timeout_s) == (True, None)
    assert known.ready_s > 0
    assert known.cpu_us_per_request > 0
    assert known.throughput_per_s > 0
    assert known.warm_up_requests >= 0


def test_a_token_in_the_body_is_masked_and_holds_under_load() -> None:
    known = learned(odd("token"))
    assert known.expect == Expect(Compared.MASKED, 200, masked=[(32, 48)])
    assert {"Set-Cookie", "16 bytes of the body at 32"} <= set(known.changing)
    assert "answers are compared but for what changes in their body" in known.notes


@pytest.mark.parametrize(
    ("oddity", "compared", "changing"),
    [
        ("longer", Compared.STATUS, "the length of the body (205 to 207 bytes)"),
        ("noise", Compared.LENGTH, "most of the body's 100 bytes"),
        ("rare", Compared.LENGTH, "the body under load"),
    ],
)
def test_what_changes_more_is_compared_less(oddity: str, compared: Compared, changing: str) -> None:
    known = learned(odd(oddity))
    assert known.expect == Expect(compared, 200)
    assert changing in known.changing
    assert any(note.startswith("answers are compared by") for note in known.notes)


def test_an_app_that_closes_each_connection_says_so() -> None:
    known = learned(odd("closes"))
    assert (known.keeps_connections, known.idle_timeout_s) == (False, None)
    assert "it closes each connection after its answer" in known.notes


@pytest.mark.parametrize(("oddity", "keeps"), [("none", True), ("closes upgrades", False)])
def test_whether_a_request_that_says_upgrade_closes_its_connection(oddity: str, keeps: bool) -> None:
    with running(nginx(), odd(oddity)) as (stack, _):
        assert keeps_when_upgrading(stack, WORKLOAD) is keeps
        assert idle.watch_idle(stack, WORKLOAD).keeps_connections


def test_the_idle_time_out_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle, "WATCHED_S", 60.0)
    known = learned(odd("impatient"))
    assert known.keeps_connections
    assert known.idle_timeout_s is not None
    assert 0.9 <= known.idle_timeout_s < 60


@pytest.mark.parametrize(
    ("oddity", "message", "hint"),
    [
        ("redirect", "it redirects GET / to /login/ (status 302)", "--path /login/"),
        ("login", "it answers GET / with status 401", "-H 'Authorization: …'"),
        ("broken", "with status 500; its last lines:\nKeyError: 'DATABASE'", "--path"),
        ("flips", "with status 200 first, and with 503 0.01 s later", "--path"),
        ("no HTTP", "what it sends is not HTTP: it begins with b'220 ready", "port"),
        ("fails", " of another status)", "fewer connections"),
        ("ends", "odd ended with exit code 3; its last lines:\nenough answered", "memory"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_what_to_do(oddity: str, message: str, hint: str) -> None:
    error = refused(oddity)
    assert message in error.message
    assert hint in (error.hint or "")


@pytest.mark.parametrize(
    ("oddity", "message"), [("stream", "its answer to GET / does not end: "), ("silent", "it does not answer GET /: ")]
)
def test_an_answer_that_takes_for_ever_is_not_waited_for(oddity: str, message: str) -> None:
    error = refused(oddity, Workload(connections=4, timeout_s=1))
    assert message in error.message


def test_an_app_that_stood_still_once_is_loaded_once_more() -> None:
    said: list[str] = []
    with running(odd("stalls once")) as (stack, rig):
        known = learn_app(stack, Workload(connections=4, timeout_s=3), rig, said.append)
    assert said[-1] == "odd: loaded once more: requests timed out (4)"
    assert "requests of its warm-up without a correct answer: 4" in known.notes


def test_an_app_that_stands_still_again_is_refused() -> None:
    error = refused("stalls", Workload(connections=4, timeout_s=1))
    assert " timeout)" in error.message
    assert "fewer connections" in (error.hint or "")


def test_a_status_that_the_user_expects_is_measured() -> None:
    workload = Workload(connections=4, expect=Expect(Compared.LENGTH, status=401))
    known = learned(odd("login"), workload=workload)
    assert (known.status, known.expect) == (401, Expect(Compared.LENGTH, 401))


def test_behind_a_front_the_apps_own_connections_are_watched() -> None:
    known = learned(nginx(), odd("closes"))
    assert not known.keeps_connections
    assert known.processes == 1
    assert known.expect.compared is Compared.BODY


def test_an_app_that_speaks_fastcgi_has_no_connections_of_its_own() -> None:
    known = learned(nginx(), Hop(program="origin", link=Link.FASTCGI_TCP))
    assert (known.keeps_connections, known.idle_timeout_s) == (False, None)
    assert any("FastCGI" in note for note in known.notes)


def test_of_compressed_answers_that_change_the_status_is_compared_under_load() -> None:
    workload = Workload(connections=4, headers=[["Accept-Encoding", "gzip"]])
    known = learned(nginx(gzip=True), odd("token"), workload=workload)
    assert known.expect == Expect(Compared.MASKED, 200, masked=[(32, 48)])
    assert any("compressed answers are compared by their status alone" in note for note in known.notes)


def test_what_is_being_done_is_told() -> None:
    said: list[str] = []
    with running(odd("none")) as (stack, rig):
        learn_app(stack, WORKLOAD, rig, said.append)
    assert [line.partition(" ")[2].partition(" ")[0] for line in said] == ["asked", "one", "loaded"]


def test_connections_that_are_known_to_be_kept_are_not_watched() -> None:
    said: list[str] = []
    with running(odd("none")) as (stack, rig):
        known = learn_app(stack, WORKLOAD, rig, said.append, KEEPS)
    assert [line.partition(" ")[2].partition(" ")[0] for line in said] == ["asked", "loaded"]
    assert (known.keeps_connections, known.idle_timeout_s) == (True, None)
