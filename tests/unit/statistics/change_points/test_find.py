"""Changes of a history against values worked out by hand: when one is told, how large, with which interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import stdtrit

from hopcost.statistics.change_points import Segments, change_points
from hopcost.statistics.change_points.find import SPLIT_ERROR, between_changes, penalty, split_error
from hopcost.statistics.change_points.spread import PRIOR_RECORDS, USUAL_SPREAD

NOISE = (-0.01, 0.0, 0.01)  # of three records about their mean: squares of 0.0002
SQUARES = 0.0002


def segments(*logs: float) -> Segments:
    return change_points(logs, [None] * len(logs))


def two_triples(step: float, level: float = 0.0) -> Segments:
    return segments(*(level + noise for noise in NOISE), *(level + step + noise for noise in NOISE))


def least_step() -> float:
    """The step between two triples at which Student's t of the prior's and 6 - 2 degrees of freedom is the quantile."""
    degrees = PRIOR_RECORDS + 4
    variance = (PRIOR_RECORDS * USUAL_SPREAD**2 + 2 * SQUARES) / degrees
    return float(stdtrit(degrees, 1 - split_error(6) / 2)) * math.sqrt(variance * 2 / 3)


def test_a_stretch_is_split_where_students_t_of_its_parts_is_beyond_the_threshold() -> None:
    assert two_triples(0.999 * least_step()).changes == ()
    for sign in (-1, 1):
        (change,) = two_triples(1.001 * sign * least_step()).changes
        assert change.index == 3
        assert change.size == pytest.approx(1.001 * sign * least_step())


def test_sizes_spread_and_intervals_by_hand() -> None:
    found = two_triples(0.07, level=-0.7)
    degrees = PRIOR_RECORDS + 4
    variance = (PRIOR_RECORDS * USUAL_SPREAD**2 + 2 * SQUARES) / degrees
    quantile = float(stdtrit(degrees, 0.975))
    assert (found.spread, found.degrees) == (pytest.approx(math.sqrt(variance)), degrees)
    before, after = found.stretches
    assert (before.first, before.after, after.first, after.after) == (0, 3, 3, 6)
    assert (before.mean, after.mean) == (pytest.approx(-0.7), pytest.approx(-0.63))
    assert after.high - after.mean == pytest.approx(quantile * math.sqrt(variance / 3))
    assert after.mean - after.low == pytest.approx(quantile * math.sqrt(variance / 3))
    (change,) = found.changes
    assert change.high - change.size == pytest.approx(quantile * math.sqrt(variance * 2 / 3))
    assert change.size - change.low == pytest.approx(quantile * math.sqrt(variance * 2 / 3))


def test_another_baseline_level_moves_nothing_but_the_means() -> None:
    logs = np.random.default_rng(6).normal(0, 0.02, 60)
    logs[40:] += 0.08
    here, there = segments(*logs), segments(*(logs - 3.0))
    assert [change.index for change in here.changes] == [change.index for change in there.changes] == [40]
    assert here.spread == pytest.approx(there.spread)
    assert here.changes[0].size == pytest.approx(there.changes[0].size)


def test_backwards_in_time_the_changes_are_the_same_the_other_way() -> None:
    logs = np.random.default_rng(7).normal(0, 0.02, 50)
    logs[20:] += 0.1
    forth, back = segments(*logs), segments(*logs[::-1])
    assert [50 - change.index for change in back.changes] == [change.index for change in forth.changes] == [20]
    assert back.changes[0].size == pytest.approx(-forth.changes[0].size)


@pytest.mark.parametrize("number", [1, 2, 5])
def test_too_few_records_are_one_stretch_with_a_finite_interval(number: int) -> None:
    found = segments(*(0.3 * place for place in range(number)))
    (stretch,) = found.stretches
    assert (stretch.first, stretch.after, found.changes) == (0, number, ())
    assert -math.inf < stretch.low < stretch.mean < stretch.high < math.inf


def test_without_records_the_spread_is_the_usual_one() -> None:
    assert segments() == Segments(stretches=(), changes=(), spread=USUAL_SPREAD, degrees=PRIOR_RECORDS)


def test_records_that_are_all_alike_have_no_change_and_a_spread_that_is_not_0() -> None:
    found = segments(*[0.25] * 40)
    assert found.changes == () and 0 < found.spread < USUAL_SPREAD
    assert found.stretches[0].mean == 0.25


def test_one_record_far_off_is_no_change_and_hides_none() -> None:
    logs = np.random.default_rng(11).normal(0, 0.01, 40)
    logs[12] += 0.5
    assert segments(*logs).changes == () and segments(*logs).spread < 0.015
    logs[30:] -= 0.05
    assert [change.index for change in segments(*logs).changes] == [30]


def test_two_records_far_off_are_no_change_either() -> None:
    logs = np.random.default_rng(12).normal(0, 0.01, 40)
    logs[12:14] += 0.5
    assert segments(*logs).changes == ()


def test_several_changes_are_found_each_with_its_sign() -> None:
    logs = np.random.default_rng(13).normal(0, 0.01, 60)
    logs[20:40] += 0.06
    up, down = segments(*logs).changes
    assert (up.index, down.index) == (20, 40) and down.high < 0 < up.low


def test_records_that_vary_much_in_themselves_widen_a_short_history() -> None:
    calm, wild = (change_points([0.0, 0.0, 0.06], [error] * 3) for error in (0.001, 0.05))
    assert wild.spread > 1.5 * calm.spread


@pytest.mark.parametrize("degrees", [5.0, 12.0, 40.0, 1e5])
def test_the_penalty_is_that_of_the_quantile(degrees: float) -> None:
    """(1 + t² / d) is by how much one split must lessen the squares."""
    quantile = float(stdtrit(degrees, 1 - SPLIT_ERROR / 2))
    assert math.exp(penalty(degrees) / (degrees + 1)) == pytest.approx(1 + quantile**2 / degrees)


def test_one_false_change_has_as_many_records_in_a_short_history() -> None:
    assert [split_error(number) / SPLIT_ERROR for number in (10, 20, 40, 200)] == [0.25, 0.5, 1.0, 1.0]


def test_a_short_stretch_between_two_changes_costs_more_than_a_long_one() -> None:
    """One that ends with the history may be new, and costs nothing more."""
    assert between_changes((0, 200)) == between_changes((0, 197, 200)) == between_changes((0, 3, 200)) == 0.0
    assert between_changes((0, 100, 104, 200)) == pytest.approx(2 * math.log(200 / 4))
    assert between_changes((0, 50, 100, 110, 200)) == pytest.approx(2 * math.log(200 / 50) + 2 * math.log(200 / 10))
