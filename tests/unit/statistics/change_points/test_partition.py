"""The best partitions against all partitions that there are."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from hopcost.errors import CannotMeasure
from hopcost.statistics.change_points import partition
from hopcost.statistics.change_points.partition import Edges, Floats, best_partitions, squares
from hopcost.statistics.change_points.segments import LEAST_RECORDS


def all_partitions(number: int, changes: int, first: int = 0) -> Iterator[tuple[int, ...]]:
    """Edges behind `first` of every partition whose stretches are long enough."""
    if changes == 0:
        if number - first >= LEAST_RECORDS:
            yield (number,)
        return
    for end in range(first + LEAST_RECORDS, number):
        for rest in all_partitions(number, changes - 1, end):
            yield (end, *rest)


def by_hand(values: Floats, edges: Edges) -> float:
    pairs = pairwise(edges)
    return sum(float(((values[first:after] - values[first:after].mean()) ** 2).sum()) for first, after in pairs)


@pytest.mark.parametrize("seed", range(8))
def test_each_number_of_changes_has_the_least_squares_of_all_partitions(seed: int) -> None:
    dice = np.random.default_rng(seed)
    values = dice.normal(0, 1, 13) + 2 * (np.arange(13) > dice.integers(2, 11))
    found = best_partitions(values)
    assert len(found) == 13 // LEAST_RECORDS
    for changes, edges in enumerate(found):
        assert edges[0] == 0 and edges[-1] == 13 and len(edges) == changes + 2
        assert min(np.diff(edges)) >= LEAST_RECORDS
        least = min(by_hand(values, (0, *rest)) for rest in all_partitions(13, changes))
        assert by_hand(values, edges) == pytest.approx(least)


@pytest.mark.parametrize("number", [1, 3, 5])
def test_records_without_room_for_two_stretches_are_one(number: int) -> None:
    assert best_partitions(np.zeros(number)) == [(0, number)]


def test_squares_of_stretches() -> None:
    values = np.array([1.0, 3.0, -2.0, -2.0, -5.0])
    assert squares(values, (0, 2, 5)) == pytest.approx(2 + 6)
    assert squares(values, (0, 5)) == pytest.approx(by_hand(values, (0, 5)))


def test_without_ruptures_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name == "ruptures":
            raise ModuleNotFoundError("No module named 'ruptures'", name="ruptures")
        return imported(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(CannotMeasure, match="ruptures") as refused:
        partition.best_partitions(np.zeros(9))
    assert "history" in (refused.value.hint or "")
