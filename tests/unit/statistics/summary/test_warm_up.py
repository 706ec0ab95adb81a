"""Warm-up: where it ends in series made by hand, and that it may have no end."""

import itertools
import math
import random
from collections.abc import Iterable

import msgspec
import numpy as np
import pytest
from samples import blocks as sample

from hopcost.programs.generators.engine_lines import WarmedUp
from hopcost.record.contents.block import Block
from hopcost.statistics.summary.warm_up import (
    PENALTY,
    PER_SD,
    change_points,
    cost,
    course,
    is_steady,
    steady_from,
    warm_up_length,
)

NOISE = random.Random(3)


def noisy(*stretches: tuple[float, int], spread: float = 0.02) -> list[float]:
    """Stretches of (mean, slices), each value off by a normal share."""
    return [mean * math.exp(NOISE.gauss(0, spread)) for mean, count in stretches for _ in range(count)]


def test_a_level_from_the_first_slice_on_is_steady_at_once() -> None:
    assert steady_from([10.0] * 30) == 0
    assert steady_from(noisy((10, 30))) == 0


@pytest.mark.parametrize("slices", [3, 5, 12])
def test_the_steady_state_begins_at_the_last_change(slices: int) -> None:
    assert steady_from(noisy((20, slices), (12, 30 - slices))) == slices


def test_two_steps_end_at_the_second() -> None:
    assert steady_from(noisy((30, 4), (20, 5), (12, 21))) == 9


def test_a_step_that_nobody_would_wait_for_is_none() -> None:
    assert steady_from([10.0] * 10 + [10.1] * 20) == 0


def test_a_change_near_the_end_leaves_no_steady_state() -> None:
    assert steady_from(noisy((12, 24), (20, 6))) is None


def test_slices_without_an_answer_are_not_steady() -> None:
    assert steady_from([math.inf] * 3 + [10.0] * 20) == 3
    assert steady_from([math.inf] * 30) is None
    assert steady_from([10.0] * 20 + [math.inf] * 2) is None


def test_too_few_slices_show_no_change() -> None:
    assert steady_from([20.0, 10.0, 10.0]) == 0
    assert steady_from([]) is None


def warmed(answers: list[int], cpu_ns: list[int | None]) -> WarmedUp:
    return WarmedUp(
        arm="a", elapsed_ns=3, plateau=True, answers=answers, errors={}, slices_elapsed_ns=[100] * 3, cpu_ns=cpu_ns
    )


def test_the_cost_is_cpu_per_answer_and_time_where_cpu_is_not_known() -> None:
    assert cost(warmed([0, 10, 20], [5, 50, 50])) == [math.inf, 5.0, 2.5]
    assert cost(warmed([10, 10, 20], [5, None, 50])) == [10.0, 10.0, 5.0]


def start(*costs: float) -> WarmedUp:
    """Slices of 100 ms in which an answer costs so much."""
    used: list[int | None] = [round(cost * 1000) for cost in costs]
    return WarmedUp(
        arm="a",
        elapsed_ns=100 * len(costs),
        plateau=True,
        answers=[1000] * len(costs),
        errors={},
        slices_elapsed_ns=[100] * len(costs),
        cpu_ns=used,
    )


def blocks_of(*starts: WarmedUp) -> list[Block]:
    return [
        sample.block(number, msgspec.structs.replace(sample.part(sample.slice_of("direct", 1)), warm_up=start))
        for number, start in enumerate(starts)
    ]


LATE = start(*[10.0] * 24, *[20.0] * 6)  # dearer at the end: by itself, or by what else the machine did
LEVEL = start(*[11.0] * 30)


def test_what_a_neighbour_does_in_one_start_is_not_the_arms() -> None:
    assert warm_up_length(blocks_of(LATE), 300).unsteady == ["direct"]
    assert warm_up_length(blocks_of(LATE), 300).length_ns == 3000
    length = warm_up_length(blocks_of(LATE, LEVEL), 300)
    assert length.unsteady == [] and length.length_ns == 300
    assert is_steady([block.arms[0] for block in blocks_of(LATE, LEVEL)])


def test_what_comes_in_every_start_is_the_arms() -> None:
    assert warm_up_length(blocks_of(LATE, LATE), 300).unsteady == ["direct"]
    assert is_steady([block.arms[0] for block in blocks_of(LATE, LATE)]) is False
    slow = start(*[20.0] * 8, *[10.0] * 22)
    assert warm_up_length(blocks_of(slow, LATE), 300).length_ns == 300, "cheap from the beginning once is cheap"
    assert warm_up_length(blocks_of(slow, slow), 300).length_ns == 800


def test_shorter_warm_ups_say_nothing_of_the_end() -> None:
    assert is_steady([block.arms[0] for block in blocks_of(LATE, start(*[10.0] * 8))]) is False
    assert is_steady([block.arms[0] for block in blocks_of(start(10.0, 10.0))]) is None
    assert is_steady([]) is None


def test_a_start_that_is_dearer_throughout_does_not_matter() -> None:
    assert course([start(2.0, 1.0, 1.0), start(6.0, 3.0, 3.0)]) == [2.0, 1.0, 1.0]
    assert course([start(2.0, 1.0, 1.0), warmed([0, 0, 0], [5, 5, 5])]) == [2.0, 1.0, 1.0]


@pytest.mark.parametrize("seed", range(20))
def test_no_other_partition_has_a_lower_price(seed: int) -> None:
    """All of them are tried, of ten slices."""
    dice = random.Random(seed)
    figures = np.array([dice.gauss(2.0 * (number < 4) + (number > 7), 0.7) for number in range(10)])
    price = PENALTY * (PER_SD * float(np.median(np.abs(np.diff(figures))))) ** 2 * math.log(10)

    def price_of(edges: Iterable[int]) -> float:
        segments = np.split(figures, list(edges))
        return sum(float(((segment - segment.mean()) ** 2).sum()) for segment in segments) + price * len(segments)

    sets = (edges for count in range(5) for edges in itertools.combinations(range(2, 9), count))
    allowed = [edges for edges in sets if all(after - before >= 2 for before, after in itertools.pairwise(edges))]
    assert change_points(figures) == list(min(allowed, key=price_of))
