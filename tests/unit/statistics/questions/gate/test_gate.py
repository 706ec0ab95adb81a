"""What a gate makes of intervals: the table of its decisions."""

from __future__ import annotations

import math

import pytest
from samples.questions.judgements import normal

from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.claims.decision import Bound, Evidence
from hopcost.statistics.questions.gate import gate
from hopcost.statistics.questions.gate.decision import FigureDecision, GateOutcome, together
from hopcost.statistics.questions.gate.figures import GateFigures
from hopcost.statistics.questions.gate.gate import FIGURES, MeasuredFigure
from hopcost.statistics.validity.grounds import GENERATOR_FULL
from hopcost.suites.articles.claim import Relation

IN, OUT, OPEN = GateOutcome.WITHIN, GateOutcome.BEYOND, GateOutcome.NOT_SETTLED
MARGIN = 0.03
SIGMAS = 1.6449  # 95 % of a normal distribution lie below so many of its standard deviations


def measured(figure: str, low: float, high: float, bound: Bound = Bound.NONE) -> MeasuredFigure:
    """A figure whose ends hold with 95 % each."""
    middle, spread = math.sqrt(low * high), math.log(high / low) / 2 / SIGMAS
    relation, allowed, limit = (
        (Relation.AT_LEAST, (1 / (1 + MARGIN), math.inf), 1 / (1 + MARGIN))
        if figure == THROUGHPUT
        else (Relation.AT_MOST, (0.0, 1 + MARGIN), 1 + MARGIN)
    )
    evidence = Evidence(relation, allowed, normal(middle, spread), MARGIN, bound)
    return MeasuredFigure(figure, Interval(middle, low, high), limit, evidence)


def judged(*figures: MeasuredFigure, deciding: GateFigures) -> list[FigureDecision]:
    return gate.judge(figures, deciding)


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (0.99, 1.01, IN),
        (0.972, 0.98, IN),  # slower for certain, but less than 3 % (1 ÷ 1.03 is 0.9709)
        (0.972, 1.40, IN),  # however much faster: only the slow end counts
        (1.10, 1.20, IN),
        (0.970, 1.01, OPEN),
        (0.90, 0.9710, OPEN),
        (0.90, 0.9707, OUT),
        (0.30, 0.40, OUT),
        (0.90, 1.10, OPEN),
    ],
)
def test_throughput_is_decided_by_its_slow_end(low: float, high: float, outcome: GateOutcome) -> None:
    (decision,) = judged(measured(THROUGHPUT, low, high), deciding=GateFigures.THROUGHPUT)
    assert decision.outcome is outcome
    assert (decision.why is None) is (outcome is not OPEN)


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [(0.99, 1.01, IN), (0.50, 1.0299, IN), (1.01, 1.031, OPEN), (1.0302, 1.2, OUT), (1.0299, 1.2, OPEN)],
)
def test_cpu_is_decided_by_its_dear_end(low: float, high: float, outcome: GateOutcome) -> None:
    (decision,) = judged(measured(CPU, low, high), deciding=GateFigures.CPU)
    assert decision.outcome is outcome


def test_a_pass_needs_both_at_5_percent_and_a_failure_one_at_half_of_it() -> None:
    within = [measured(THROUGHPUT, 0.971, 1.01), measured(CPU, 0.99, 1.0299)]
    assert [decision.outcome for decision in judged(*within, deciding=GateFigures.BOTH)] == [IN, IN]
    barely, clearly = measured(CPU, 1.031, 1.1), measured(CPU, 1.05, 1.1)
    both = judged(measured(THROUGHPUT, 0.9, 1.1), barely, deciding=GateFigures.BOTH)
    assert [decision.outcome for decision in both] == [OPEN, OPEN]
    assert both[1].why == "its range lies beyond the limit, but not clearly enough for one of two figures"
    both = judged(measured(THROUGHPUT, 0.9, 1.1), clearly, deciding=GateFigures.BOTH)
    assert [decision.outcome for decision in both] == [OPEN, OUT]
    alone = judged(measured(THROUGHPUT, 0.9, 1.1), barely, deciding=GateFigures.CPU)
    assert [(decision.outcome, decision.decides) for decision in alone] == [(OPEN, False), (OUT, True)]


def test_a_bound_passes_or_fails_on_its_own_side_alone() -> None:
    """The generator was full for `after`: it can do at least what was measured. For `before`: the ratio is less."""

    def outcome(low: float, high: float, bound: Bound) -> GateOutcome:
        (decision,) = judged(measured(THROUGHPUT, low, high, bound), deciding=GateFigures.THROUGHPUT)
        assert decision.outcome is not OPEN or decision.why == GENERATOR_FULL
        return decision.outcome

    assert outcome(0.99, 1.01, Bound.LOWER) is IN
    assert outcome(0.5, 0.6, Bound.LOWER) is OPEN
    assert outcome(0.99, 1.01, Bound.UPPER) is OPEN
    assert outcome(0.5, 0.6, Bound.UPPER) is OUT
    assert outcome(0.99, 1.01, Bound.BOTH) is OPEN


def test_a_figure_without_a_verdict_never_passes_and_says_why() -> None:
    silent = MeasuredFigure(CPU, Interval(1.0, 0.999, 1.001), 1.03, None, "errors")
    fine = measured(THROUGHPUT, 0.99, 1.01)
    decisions = judged(fine, silent, deciding=GateFigures.BOTH)
    assert [(decision.outcome, decision.why) for decision in decisions] == [(IN, None), (OPEN, "errors")]
    assert together([decision.outcome for decision in decisions]) is OPEN


def test_every_choice_of_figures_has_its_own() -> None:
    assert set(FIGURES) == set(GateFigures)
