"""The answer of a record: rows, advice, what failed."""

from __future__ import annotations

from pathlib import Path

import pytest
from known import known, near
from mocks import fronts
from mocks.mock_rig import MockRig

from hopcost.record import reader
from hopcost.statistics.questions.front.advice import Worth
from hopcost.statistics.questions.front.fronts import Front
from hopcost.statistics.questions.front.result import read_front


def test_keepalive_is_found_and_sized_and_the_socket_is_noise(rig: MockRig, tmp_path: Path) -> None:
    answer = fronts.express(rig, tmp_path)
    keepalive, unix = known(answer.of(Front.KEEPALIVE)), known(answer.of(Front.UNIX))
    assert (keepalive.worth, keepalive.beside, unix.worth, unix.beside) == (
        Worth.SAVES, "nginx", Worth.NOISE, "keepalive",
    )  # fmt: skip
    assert answer.best is Front.KEEPALIVE and answer.app_ns == near(100_000)
    assert [entry.front for entry in answer.advice] == [Front.KEEPALIVE, Front.UNIX, Front.NGINX]
    nginx = known(answer.row("nginx"))
    assert known(nginx.added).value == near(150_000, rel=0.01) and known(nginx.ratio).value == near(0.4, rel=0.01)


def test_with_anyway_nothing_is_judged(rig: MockRig, tmp_path: Path) -> None:
    rig.answers = {"alone": 100, "alone-aa": 100, "nginx": 40, "keepalive": 80, "unix": 80}
    answer = fronts.measured(rig, tmp_path, fronts.plan_of(), on_busy_machine=True)
    assert {entry.worth for entry in answer.advice} == {Worth.NO_VERDICT}
    assert "--anyway" in known(known(answer.of(Front.KEEPALIVE)).why)
    assert known(known(answer.of(Front.KEEPALIVE)).cpu).value < 0


def test_a_front_that_fails_is_told_and_the_others_are_kept(rig: MockRig, tmp_path: Path) -> None:
    rig.fails_at_start = {"unix"}
    answer = fronts.express(rig, tmp_path, idle_timeout_s=None)
    assert [(failure.arm, failure.message) for failure in answer.failures] == [("unix", "it would not start")]
    assert answer.of(Front.UNIX) is None and known(answer.of(Front.KEEPALIVE)).worth is Worth.SAVES


def test_an_interrupted_record_has_an_answer_too(rig: MockRig, tmp_path: Path) -> None:
    rig.interrupted_at = 4
    with pytest.raises(KeyboardInterrupt):
        fronts.express(rig, tmp_path, idle_timeout_s=None)
    plan = fronts.plan_of(idle_timeout_s=None)
    answer = read_front(plan.question, reader.read_record(tmp_path / "record"))
    assert {row.arm for row in answer.rows} == {"alone", "nginx", "keepalive", "unix"}


def test_over_fastcgi_the_others_stand_beside_nginx(rig: MockRig, tmp_path: Path) -> None:
    rig.answers = {"nginx": 40, "nginx-aa": 40, "keepalive": 80, "unix": 80}
    rig.slice_cpu_ns = 10_000_000
    plan = fronts.plan_of(idle_timeout_s=None, keeps_connections=False, is_fastcgi=True, processes=1)
    answer = fronts.measured(rig, tmp_path, plan)
    assert [row.arm for row in answer.rows] == ["nginx", "keepalive", "unix"]
    assert answer.best is Front.KEEPALIVE and known(answer.of(Front.KEEPALIVE)).worth is Worth.SAVES
