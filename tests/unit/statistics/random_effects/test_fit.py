"""Which rule a contrast comes under."""

from __future__ import annotations

import numpy as np
import pytest

from hopcost.statistics.random_effects.contrast import Contrast, pack
from hopcost.statistics.random_effects.fit import fit


def arm(blocks: int, *, scatter: float = 0.01, learns: bool = True) -> Contrast:
    logs = scatter * np.linspace(-1, 1, blocks) if blocks > 1 else np.zeros(1)
    return Contrast(logs.tolist(), [4.0] * blocks, 0.02**2, 3.0 * blocks, learns)


@pytest.mark.parametrize(
    ("contrasts", "is_checked"),
    [
        ([arm(6)] * 4, [False] * 4),
        ([arm(6)] * 3, [True] * 3),
        ([arm(6), arm(3)], [True, False]),
        ([arm(6)] * 3 + [arm(6, learns=False)], [True] * 4),  # A/A does not make four
        ([arm(6)] * 3 + [arm(1)], [True] * 3 + [False]),  # nor does a single start
        ([arm(6)] * 4 + [arm(6, scatter=2.0)], [False] * 4 + [True]),
        ([arm(6)] * 4 + [arm(101)], [False] * 4 + [True]),  # more starts than the grid is fine for
    ],
)
def test_when_student_s_t_stands_beside(contrasts: list[Contrast], is_checked: list[bool]) -> None:
    assert fit(pack(contrasts)).is_checked.tolist() == is_checked


def test_a_fit_of_many_records_is_that_of_each() -> None:
    dice = np.random.default_rng(3)
    records = [[Contrast((0.05 * dice.standard_normal(4)).tolist(), [4.0] * 4, 0.02**2, 12.0)] * 2 for _ in range(3)]
    packed = [pack(record) for record in records]
    first = packed[0]
    together = type(first)(
        np.stack([contrast.logs for contrast in packed]),
        first.rounds,
        np.stack([contrast.variance for contrast in packed]),
        first.degrees,
        first.learns,
    )
    below = fit(together).probability_below(0.01)
    assert below == pytest.approx(np.stack([fit(contrast).probability_below(0.01) for contrast in packed]))
