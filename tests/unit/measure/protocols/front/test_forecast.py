"""How long it takes, before it begins."""

from __future__ import annotations

from typing import Any

import pytest
from mocks import fronts

from hopcost.measure.protocols.front import ask
from hopcost.measure.protocols.front.forecast import FrontTime, block_s, costs_of, is_whole


def time_of(*wanted: str, time_s: float | None = None, **changes: Any) -> FrontTime:
    return fronts.plan_of(*wanted, time_s=time_s, **changes).time


def test_express_takes_about_four_minutes() -> None:
    assert 200 <= time_of().seconds <= 290


def test_a_cheap_app_gets_more_starts_in_as_much_time() -> None:
    go = time_of(idle_timeout_s=None, ready_s=0.01, cpu_us_per_request=12.0, throughput_per_s=84_000.0)
    assert go.seconds == 240 and go.starts > time_of().starts


def test_an_app_of_python_takes_about_ten_minutes() -> None:
    """gunicorn with threads: 2 s idle, 3 s to stop, 280 µs."""
    gunicorn = time_of(
        idle_timeout_s=2.0, ready_s=1.1, stop_s=3.3, cpu_us_per_request=280.0, throughput_per_s=3300.0,
        warm_up_requests=0,
    )  # fmt: skip
    assert 360 <= gunicorn.seconds <= 720


def test_more_fronts_take_more_time_and_quick_takes_less() -> None:
    assert time_of("all").seconds > 1.5 * time_of().seconds
    assert 60 <= time_of(is_quick=True).seconds < time_of().seconds / 2


def test_the_time_that_was_given_is_the_time() -> None:
    assert time_of(time_s=60.0).seconds == 60.0
    assert time_of(time_s=5.0) == FrontTime(5.0, 1)


def test_stacks_one_at_a_time_are_known_before_the_plan() -> None:
    choice = fronts.found("cache", idle_timeout_s=2.0)
    plan = ask.plan_of(choice)
    assert [is_whole(experiment, costs_of(choice)) for experiment in plan.suite.experiments] == [True, True]


def test_an_experiment_gets_time_as_its_starts_take() -> None:
    choice = fronts.found("cache")
    plan = ask.plan_of(choice)
    costs = costs_of(choice)
    once = {experiment.name: block_s(experiment, costs) for experiment in plan.suite.experiments}
    weights = {experiment.name: experiment.weight for experiment in plan.suite.experiments}
    assert weights["cache"] / weights["nginx"] == pytest.approx(1.5 * once["cache"] / once["nginx"], rel=0.1)
