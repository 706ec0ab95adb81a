"""Single records far off give way to their neighbours; the edges of changes stay where they are."""

from __future__ import annotations

import numpy as np
import pytest

from hopcost.statistics.change_points.outliers import FAR, tame

LEAST = 0.01


def tamed(*values: float) -> list[float]:
    return [round(value, 6) for value in tame(np.array(values), LEAST).tolist()]


@pytest.mark.parametrize("place", [0, 1, 4, 8, 9])
def test_one_record_far_off_gives_way(place: int) -> None:
    values = [0.0] * 10
    values[place] = 1.001 * FAR * LEAST
    assert tamed(*values) == [0.0] * 10
    values[place] = 0.999 * FAR * LEAST
    assert tamed(*values) == [round(value, 6) for value in values]


def test_two_records_far_off_give_way_between_others() -> None:
    assert tamed(0.0, 0.0, 0.0, 0.4, 0.5, 0.01, 0.01, 0.0) == [0.0, 0.0, 0.0, 0.01, 0.01, 0.01, 0.01, 0.0]


def test_a_step_stays_as_it_is_once_three_records_are_there() -> None:
    values = [0.0] * 6 + [0.4] * 3
    assert tamed(*values) == values


def test_the_edges_of_a_step_inside_stay_as_they_are() -> None:
    values = [0.0] * 6 + [-0.4] * 6
    assert tamed(*values) == values


def test_records_within_reach_stay_as_they_are() -> None:
    values = [0.0, 0.02, -0.02, 0.03, 0.0, -0.02]
    assert tamed(*values) == values


def test_the_reach_grows_with_the_distances_of_neighbours() -> None:
    values = [0.0, 0.1] * 10
    values[9] = 0.4
    assert tamed(*values) == values


@pytest.mark.parametrize("values", [[], [0.3], [0.0, 0.02]])
def test_few_records_are_left_alone(values: list[float]) -> None:
    assert tamed(*values) == values
