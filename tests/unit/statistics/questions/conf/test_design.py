"""Designs: balanced, orthogonal, as the paper has them."""

from __future__ import annotations

import numpy as np
import pytest

from hopcost.statistics.questions.conf.design import MOST_FACTORS, design, one_at_a_time, together


@pytest.mark.parametrize("factors", range(1, MOST_FACTORS + 1))
def test_each_change_is_in_half_of_the_arms_and_each_pair_in_a_quarter(factors: int) -> None:
    rows = np.array(design(factors), dtype=int)
    assert rows.sum(axis=0).tolist() == [len(rows) / 2] * factors
    pairs = rows.T @ rows
    assert (pairs[~np.eye(factors, dtype=bool)] == len(rows) / 4).all()


@pytest.mark.parametrize(("factors", "arms"), [(1, 4), (3, 4), (4, 8), (7, 8), (8, 12), (11, 12)])
def test_there_are_as_few_arms_as_do(factors: int, arms: int) -> None:
    assert len(design(factors)) == arms


@pytest.mark.parametrize("factors", [0, 12])
def test_there_is_none_for_no_change_or_for_more_than_eleven(factors: int) -> None:
    with pytest.raises(ValueError, match="factors"):
        design(factors)


def test_the_first_rows_are_those_of_the_paper() -> None:
    assert ["".join("-+"[is_on] for is_on in design(factors)[0]) for factors in (7, 11)] == ["+++-+--", "++-+++---+-"]


def test_the_arm_without_a_change_comes_first_and_the_others_have_names_of_their_own() -> None:
    arms = together(["a", "b"], "rest")
    assert [(arm.name, arm.changes) for arm in arms] == [
        ("rest", []),
        ("rest-1", ["a", "b"]),
        ("rest-2", ["b"]),
        ("rest-3", ["a"]),
    ]


def test_one_at_a_time_each_change_is_an_arm() -> None:
    assert [(arm.name, arm.changes) for arm in one_at_a_time(["a", "b"], "giants")] == [
        ("giants", []),
        ("giants-a", ["a"]),
        ("giants-b", ["b"]),
    ]
