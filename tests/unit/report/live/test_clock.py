"""The time of a run whose experiments take turns, on a clock that the tests set."""

from __future__ import annotations

import time

import msgspec
import pytest
from samples.records import plan_of

from hopcost.plan.slices import least_time_s
from hopcost.report.live.clock import Clock
from hopcost.statistics.precision.precision import Forecast


class Time:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 1000.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now_s)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


@pytest.fixture
def clock(now: Time) -> Clock:
    """Of two experiments, 600 s for both."""
    plan = plan_of()
    second = msgspec.structs.replace(plan.experiments[0], name="again")
    return Clock(msgspec.structs.replace(plan, time_s=600.0, experiments=[*plan.experiments, second]))


def seconds(left: float) -> Forecast:
    return Forecast(blocks=10, rounds=2, half_width=0.02, seconds=left)


def test_until_every_experiment_has_told_the_time_is_all_that_is_known(clock: Clock, now: Time) -> None:
    assert (clock.left_s, clock.passed_s, clock.share) == (600, 0, 0)
    clock.expect("cost", seconds(95))
    now.now_s += 60
    assert (clock.left_s, clock.passed_s, clock.share) == (540, 60, 0.1)
    clock.expect("again", seconds(50))
    assert clock.left_s == 95 - 60 + 50


def test_while_one_runs_the_others_own_time_stands_still(clock: Clock, now: Time) -> None:
    clock.expect("cost", seconds(95))
    clock.expect("again", seconds(50))
    now.now_s += 20
    clock.begin("cost")
    now.now_s += 10
    assert clock.left_s == 95 - 10 + 50 - 20
    now.now_s += 1000
    assert clock.left_s == 0, "the time is over"


def test_a_block_that_takes_longer_than_expected_takes_nothing_from_the_others(clock: Clock, now: Time) -> None:
    clock.expect("cost", seconds(5))
    clock.expect("again", seconds(50))
    clock.begin("cost")
    now.now_s += 30
    assert clock.left_s == 50


def test_an_experiment_that_ends_takes_no_more_time_and_nobody_waits_for_its_forecast(clock: Clock, now: Time) -> None:
    clock.expect("cost", seconds(95))
    clock.end("again")
    assert clock.left_s == 95
    clock.expect("cost", seconds(1e6))
    assert clock.left_s == 600, "at most the run's time"
    clock.end("cost")
    now.now_s += 60
    assert (clock.left_s, clock.share) == (0, 1)


def test_a_time_too_short_for_the_first_starts_does_not_say_that_nothing_is_left(now: Time) -> None:
    plan = msgspec.structs.replace(plan_of(), time_s=1.0)
    clock = Clock(plan)
    assert clock.left_s == pytest.approx(least_time_s(plan)) and clock.left_s > 1
