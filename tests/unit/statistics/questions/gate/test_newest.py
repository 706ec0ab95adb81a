"""What a gate against a history makes of the newest record."""

from __future__ import annotations

import math

import pytest

from hopcost.statistics.change_points import newest_record
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions.gate.decision import FigureDecision, GateDecision, GateOutcome
from hopcost.statistics.questions.gate.figures import GateFigures
from hopcost.statistics.questions.gate.newest import BOUND_ERROR, TOO_FEW, decide_newest, measure_newest

BEFORE = [-0.7 + 0.002 * (number % 3 - 1) for number in range(60)]
MARGIN = 0.05


def decision(
    throughput: float, cpu: float = 0.0, why: str | None = None, deciding: GateFigures = GateFigures.BOTH
) -> GateDecision:
    """Of a newest record whose figures are that much (a logarithm) from a calm history."""
    measured = [
        measure_newest(figure, newest_record([*BEFORE, -0.7 + change], [None] * 61), MARGIN, why)
        for figure, change in ((THROUGHPUT, throughput), (CPU, cpu))
    ]
    return decide_newest(measured, deciding)


def figure(decided: GateDecision, name: str) -> FigureDecision:
    return next(figure for figure in decided.figures if figure.figure == name)


@pytest.mark.parametrize(
    ("throughput", "cpu", "outcome"),
    [
        (0.0, 0.0, GateOutcome.WITHIN),
        (0.2, -0.2, GateOutcome.WITHIN),  # however much faster, and however much less CPU
        (-0.2, 0.0, GateOutcome.BEYOND),
        (0.0, 0.2, GateOutcome.BEYOND),
        (-math.log1p(MARGIN), 0.0, GateOutcome.NOT_SETTLED),  # right at the limit
        (-math.log1p(MARGIN), 0.2, GateOutcome.BEYOND),
    ],
)
def test_the_outcome(throughput: float, cpu: float, outcome: GateOutcome) -> None:
    assert decision(throughput, cpu).outcome is outcome


def test_one_figure_decides_and_the_other_is_shown() -> None:
    decided = decision(-0.2, 0.0, deciding=GateFigures.CPU)
    assert decided.outcome is GateOutcome.WITHIN
    assert figure(decided, THROUGHPUT).outcome is GateOutcome.BEYOND and not figure(decided, THROUGHPUT).decides


def test_the_range_holds_the_spread_between_records() -> None:
    """A history that scatters more leaves the same newest record open."""
    noisy = [-0.7 + 0.04 * (number % 3 - 1) for number in range(60)]
    newest = newest_record([*noisy, -0.7], [None] * 61)
    assert newest is not None
    measured = measure_newest(THROUGHPUT, newest, MARGIN)
    ratio, calm = measured.ratio, figure(decision(0.0), THROUGHPUT).ratio
    assert ratio is not None and calm is not None
    assert ratio.low is not None and calm.low is not None
    assert ratio.low < 1 / (1 + MARGIN) < calm.low
    assert decide_newest([measured], GateFigures.THROUGHPUT).outcome is GateOutcome.NOT_SETTLED
    low = newest.interval(BOUND_ERROR).low
    assert low is not None and ratio.low == pytest.approx(math.exp(low))


def test_with_too_few_records_before_it_nothing_is_decided() -> None:
    measured = [measure_newest(name, newest_record([0.0] * 3, [None] * 3), MARGIN) for name in (THROUGHPUT, CPU)]
    decided = decide_newest(measured, GateFigures.BOTH)
    assert decided.outcome is GateOutcome.NOT_SETTLED
    assert {own.why for own in decided.figures} == {TOO_FEW}


def test_a_figure_without_a_verdict_in_its_own_record_has_none_here() -> None:
    decided = decision(-0.2, why="errors")
    assert decided.outcome is GateOutcome.NOT_SETTLED
    assert figure(decided, THROUGHPUT).why == "errors" and figure(decided, THROUGHPUT).ratio is not None
