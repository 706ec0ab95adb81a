"""The newest record beside the stretch before it, against values worked out by hand."""

from __future__ import annotations

import math

import pytest
from scipy.special import stdtr, stdtrit

from hopcost.statistics.change_points import Newest, change_points, newest_record

STRETCH = [0.01, -0.01, 0.0, 0.0]


def newest(value: float, before: list[float] = STRETCH, error: float | None = None) -> Newest:
    own = newest_record([*before, value], [None] * len(before) + [error])
    assert own is not None
    return own


def test_the_difference_holds_the_spread_of_the_newest_record_and_of_the_stretch() -> None:
    own = newest(-0.05)
    before = change_points(STRETCH, [None] * 4)
    assert own.before == before
    assert own.difference == pytest.approx(-0.05)
    assert own.scale == pytest.approx(before.spread * math.sqrt(1 + 1 / 4))
    reach = float(stdtrit(before.degrees, 0.95)) * own.scale
    interval = own.interval(0.1)
    assert (interval.low, interval.high) == (pytest.approx(-0.05 - reach), pytest.approx(-0.05 + reach))
    assert own.probability_below(-0.05) == pytest.approx(0.5)
    assert own.probability_below(0.0) == pytest.approx(float(stdtr(before.degrees, 0.05 / own.scale)))


def test_only_the_last_stretch_counts() -> None:
    own = newest(0.2, [0.0, 0.001, -0.001, 0.0, 0.2, 0.201, 0.199])
    assert own.difference == pytest.approx(0.0) and own.stretch.records == 3


def test_a_newest_record_that_knows_its_ratio_less_well_says_less() -> None:
    own, vague = (newest_record([*STRETCH, 0.0], [0.01] * 4 + [error]) for error in (0.01, 0.05))
    assert own is not None and vague is not None
    assert vague.scale**2 - own.scale**2 == pytest.approx(0.05**2 - 0.01**2)


def test_the_newest_record_is_no_part_of_what_it_stands_beside() -> None:
    assert newest(0.5).before == newest(-0.5).before
    assert newest(0.5).difference == pytest.approx(0.5)


@pytest.mark.parametrize("number", [0, 1, 3])
def test_with_fewer_than_three_records_before_it_there_is_nothing_to_say(number: int) -> None:
    assert newest_record([0.0] * number, [None] * number) is None


def test_so_many_records_settle_a_difference_of_that_distance() -> None:
    own = newest(-0.01)
    needed = own.records_to_settle(0.025, 0.1)
    assert needed is not None
    quantile = float(stdtrit(own.degrees, 0.95))
    halves = [quantile * own.before.spread * math.sqrt(1 / 4 + 1 / records) for records in (needed, needed - 1)]
    assert halves[0] <= 0.025 < halves[1]
    assert own.records_to_settle(0.0001, 0.1) is None
