"""What a suite means on a machine: chosen experiments, times, looks, weights."""

from __future__ import annotations

import math

import msgspec
import pytest
from samples.plans import SUITE, make

from hopcost.errors import CannotMeasure, UsageError
from hopcost.plan.plan import Plan
from hopcost.plan.until import Until


def test_what_the_suite_says_goes_along() -> None:
    planned = make("first")
    (first,) = planned.experiments
    given = SUITE.experiments[0]
    for key in ("name", "question", "workload", "settings", "published", "published_conditions", "control"):
        assert getattr(first, key) == getattr(given, key), key
    assert (planned.suite, planned.title, planned.analysis, planned.seed) == ("mine", "Mine", "because", 7)


def test_when_nothing_can_run_that_is_an_error_with_reason_and_remedy() -> None:
    with pytest.raises(CannotMeasure) as caught:
        make(gone=("app", "origin"))
    assert caught.value.message.startswith(
        "no experiment of mine can run here: first: every stack is left out (direct: "
    )
    assert "second: every stack is left out" in caught.value.message
    assert caught.value.hint == "apt-get install proxy"
    assert caught.value.exit_code == 3


def test_chosen_experiments_run_in_the_order_chosen() -> None:
    assert [each.name for each in make("second", "first").experiments] == ["second", "first"]


def test_an_experiment_chosen_twice_runs_once() -> None:
    assert [each.name for each in make("first", "second", "first").experiments] == ["first", "second"]


def test_an_unknown_experiment_gets_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        make("frist")
    assert caught.value.hint == "did you mean 'first'?"


@pytest.mark.parametrize(
    ("quick", "given", "time_s", "lengths_ms"),
    [
        (False, None, 1800.0, (300, 600)),
        (True, None, 174.0, (300, 300)),
        (False, 60.0, 60.0, (300, 300)),
        (True, 7.5, 7.5, (300, 300)),
    ],
)
def test_times_and_lengths(quick: bool, given: float | None, time_s: float, lengths_ms: tuple[int, int]) -> None:
    planned = make(quick=quick, time_s=given)
    assert (planned.quick, planned.time_s) == (quick, time_s)
    assert planned.precision == 0.03
    lengths = [(planned.settle_ns // 1_000_000, planned.slice_ns // 1_000_000) for planned in planned.experiments]
    assert lengths == [lengths_ms] * 2


def test_an_experiment_of_more_weight_gets_more_of_the_time() -> None:
    first, second = SUITE.experiments
    heavy = msgspec.structs.replace(SUITE, experiments=[msgspec.structs.replace(first, weight=3), second])
    assert [each.weight for each in make(suite=heavy).experiments] == [3, 1]
    assert "it needs 26 s for this experiment, 25 s are given" in "".join(
        make(suite=heavy, time_s=100.0).experiments[1].notes
    )
    assert make(suite=heavy, time_s=100.0).experiments[0].open_loop_shares


def test_the_time_of_a_full_run_grows_with_the_weights() -> None:
    first, second = SUITE.experiments
    heavy = msgspec.structs.replace(SUITE, experiments=[msgspec.structs.replace(first, weight=14), second])
    assert make(suite=heavy).time_s == 1800.0
    heavier = msgspec.structs.replace(SUITE, experiments=[msgspec.structs.replace(first, weight=15), second])
    assert make(suite=heavier).time_s == 1920.0


@pytest.mark.parametrize("time_s", [math.inf, math.nan])
def test_a_time_that_no_clock_can_reach_is_refused(time_s: float) -> None:
    """It would be null in the record, which then could not be read."""
    with pytest.raises(UsageError, match="--time"):
        make(time_s=time_s)


def test_a_plan_survives_its_record() -> None:
    planned = make(seed=2**80)
    assert msgspec.json.decode(msgspec.json.encode(planned), type=Plan) == planned


def test_only_an_arm_that_is_compared_can_be_decided() -> None:
    arms = [arm.name for arm in make("first").experiments[0].arms if arm.copy_of is None]
    baseline = make("first").experiments[0].baseline
    other = next(name for name in arms if name != baseline)
    decided = make("first", until=Until.DECIDED, decide=(other,))
    assert (decided.until, decided.decide) == (Until.DECIDED, [other])
    assert decided.experiments[0].loads == 0, "the closed loop alone"
    with pytest.raises(UsageError, match=f"--decide: no stack '{baseline}'"):
        make("first", until=Until.DECIDED, decide=(baseline,))
