"""The short form of the coverage grid: a few cells, a few hundred experiments; and that a broken interval is caught."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hopcost.plan.method import METHOD
from hopcost.statistics.random_effects import Contrast, estimate
from hopcost.statistics.random_effects.fit import Fit, fit
from tools.truth.sections.coverage import cell as cells
from tools.truth.sections.coverage.cell import cell, packed
from tools.truth.sections.coverage.judge import probability_of_so_few
from tools.truth.sections.coverage.noise import Floats, Scenario, Shape, a_quarter, same, slices

EXPERIMENTS = 300
CELLS = {
    "two starts of a single arm": (Shape(2, 8, 1, 1), Scenario(same(0.03))),
    "three starts of rounds alone": (Shape(3, 2, 4, 1), Scenario(same(0.0))),
    "four starts of one arm, t beside": (Shape(4, 8, 1, 1), Scenario(same(0.05))),
    "six starts, some arms worse": (Shape(6, 2, 4, 1), Scenario(a_quarter(0.10))),
    "three experiments, heavy tails": (Shape(3, 8, 2, 3), Scenario(same(0.01), tails=3.0, bad_minutes=0.7)),
    "three experiments, blocks that are off": (Shape(6, 2, 4, 3), Scenario(same(0.01), outliers=0.05)),
}


@pytest.mark.parametrize("name", CELLS)
def test_intervals_hold_the_truth_as_often_as_they_say(name: str) -> None:
    """Not significantly below 94 %: at one in a thousand, so that the seed of the next method is no lottery."""
    shape, scenario = CELLS[name]
    figures = cell(shape, name, scenario, EXPERIMENTS)
    assert figures["experiments"] >= EXPERIMENTS
    assert probability_of_so_few(figures["holds"], figures["experiments"], 0.94) > 0.001
    assert figures["experiments"] - figures["holds"] <= figures["above"] + figures["below"]


def test_intervals_that_are_too_narrow_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds as units, as if every start were alike: with 3 % between starts they hold the truth in one of four."""

    def rounds_alone(self: Fit, x: float) -> Floats:
        mixture = self.mixture
        return np.asarray(
            type(mixture)(
                mixture.weights[..., :1, :] / mixture.weights[..., :1, :].sum((-2, -1), keepdims=True),
                mixture.centres[..., :1, :],
                mixture.widths[..., :1, :],
            ).probability_below(x)
        )

    monkeypatch.setattr(Fit, "probability_below", rounds_alone)
    figures = cell(Shape(3, 8, 4, 1), "3 %", Scenario(same(0.03)), EXPERIMENTS)
    assert probability_of_so_few(figures["holds"], figures["experiments"], 0.94) < 1e-9


def test_it_is_the_analysis_of_a_record() -> None:
    """What the array of records says of the first of them is what `estimate` says of its contrasts, one by one."""
    drawn = slices(np.random.default_rng(1), Shape(3, 4, 2, 2), Scenario(same(0.02)), records=2)
    together = fit(packed(drawn)).probability_below(0.0)[0]
    contrasts: list[Contrast] = []
    for experiment in drawn[0]:
        baseline = np.log(np.exp(experiment[..., -2:]).mean(-1))
        for logs in (*(experiment[..., arm] - baseline for arm in range(2)), experiment[..., -1] - experiment[..., -2]):
            variance = float(logs.var(axis=1, ddof=1).mean())
            contrasts.append(Contrast(logs.mean(1).tolist(), [4.0] * 3, variance, 9.0, learns=len(contrasts) % 3 < 2))
    assert together == pytest.approx([estimated.probability_below(0.0) for estimated in estimate(contrasts)])


def test_the_same_method_draws_the_same_records(monkeypatch: pytest.MonkeyPatch) -> None:
    shape, scenario = Shape(2, 2, 1, 1), Scenario(same(0.03))
    first, again, other = (cell(shape, name, scenario, 50) for name in ("3 %", "3 %", "3 % again"))
    assert first == again
    assert first["width"] != other["width"]
    monkeypatch.setattr(cells, "METHOD", type(METHOD)(number=METHOD.number + 1))
    assert cell(shape, "3 %", scenario, 50) != first


def test_slices_scatter_as_the_scenario_says() -> None:
    dice = np.random.default_rng(2)
    still = slices(dice, Shape(4, 8, 2, 1), Scenario(same(0.0)), records=300)
    restarted = slices(dice, Shape(4, 8, 2, 1), Scenario(same(0.3)), records=300)
    assert still.shape == (300, 1, 4, 8, 4)
    assert still[..., -1].std() == pytest.approx(0.021 * math.exp(0.4**2 / 2), rel=0.05)
    assert restarted.mean(3).std() == pytest.approx(0.3, rel=0.05)
    quarter = slices(dice, Shape(4, 8, 2, 1), Scenario(a_quarter(0.5)), records=300)
    assert quarter[..., -1].std() < 0.03
    assert (quarter[..., 0].mean(-1).std(-1) > 0.1).mean() == pytest.approx(0.25, abs=0.08)
    slow = slices(dice, Shape(4, 8, 2, 1), Scenario(same(0.0), slow_starts=0.5), records=300).mean(3)
    assert np.median(np.abs(slow)) == pytest.approx(-math.log(0.8) / 2, rel=0.1)
