"""The prior of the spread between records, and how records update it."""

from __future__ import annotations

import math

import pytest

from hopcost.statistics.change_points.spread import PRIOR_RECORDS, USUAL_SPREAD, Spread, prior, typical_variance


def test_the_prior_is_the_usual_spread_and_what_records_vary_in_themselves() -> None:
    known = prior([0.02, None, 0.02, 0.5])
    assert known.variance == pytest.approx(USUAL_SPREAD**2 + 0.02**2)
    assert known.degrees == PRIOR_RECORDS
    assert prior([]).variance == prior([None, math.inf]).variance == USUAL_SPREAD**2


def test_an_update_pools_squares_by_their_degrees() -> None:
    updated = Spread(0.0004, 3.0).updated(0.0015, 6.0)
    assert (updated.variance, updated.degrees) == (pytest.approx(0.0003), 9.0)


def test_the_typical_variance_is_a_median() -> None:
    assert typical_variance([0.1, 0.2, 0.9]) == pytest.approx(0.04)
    assert typical_variance([None]) == 0.0
