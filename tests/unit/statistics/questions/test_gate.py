"""What a gate makes of intervals: the table of its decisions."""

from __future__ import annotations

import msgspec
import pytest

from hopcost.statistics.comparisons import CPU, GENERATOR_FULL, THROUGHPUT, Comparison
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions import gate
from hopcost.statistics.questions.gate import FIGURES, GateOutcome
from hopcost.statistics.questions.gate_figures import GateFigures
from hopcost.statistics.verdict import Better, judge_interval

IN, OUT, OPEN = GateOutcome.WITHIN, GateOutcome.BEYOND, GateOutcome.UNDECIDED


def compared(figure: str, low: float | None, high: float | None) -> Comparison:
    """As a record has it, against a margin of 3 %."""
    ratio = Interval(value=1.0 if low is None or high is None else (low * high) ** 0.5, low=low, high=high)
    better = Better.HIGHER if figure == THROUGHPUT else Better.CHEAPER
    return Comparison(figure, None, ratio, judge_interval(ratio, 0.03, better))


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (0.99, 1.01, IN),
        (0.972, 0.98, IN),  # slower for certain, but less than 3 % (1 ÷ 1.03 is 0.9709)
        (0.972, 1.40, IN),  # however much faster: only the slow end counts
        (1.10, 1.20, IN),
        (0.970, 1.01, OPEN),
        (0.90, 0.9710, OPEN),
        (0.90, 0.9708, OUT),
        (0.30, 0.40, OUT),
        (0.90, 1.10, OPEN),
        (None, None, OPEN),
    ],
)
def test_throughput_is_decided_by_its_slow_end(low: float | None, high: float | None, outcome: GateOutcome) -> None:
    assert gate.judge(compared(THROUGHPUT, low, high), THROUGHPUT, 0.03).outcome is outcome


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [(0.99, 1.01, IN), (0.50, 1.0299, IN), (1.01, 1.031, OPEN), (1.0301, 1.2, OUT), (1.0299, 1.2, OPEN)],
)
def test_cpu_is_decided_by_its_dear_end(low: float, high: float, outcome: GateOutcome) -> None:
    assert gate.judge(compared(CPU, low, high), CPU, 0.03).outcome is outcome


def test_a_figure_without_a_verdict_is_undecided_and_says_why() -> None:
    full = msgspec.structs.replace(compared(THROUGHPUT, 0.5, 0.6), no_verdict=GENERATOR_FULL)
    found = gate.judge(full, THROUGHPUT, 0.03)
    assert (found.outcome, found.why) == (OPEN, GENERATOR_FULL)
    unknown = msgspec.structs.replace(compared(CPU, 1.0, 1.0), ratio=None)
    assert gate.judge(unknown, CPU, 0.03).why == "it is not known here"
    assert gate.judge(None, CPU, 0.03).outcome is OPEN


@pytest.mark.parametrize(
    ("outcomes", "together"),
    [
        ([IN, IN], IN), ([IN, OUT], OUT), ([OUT, OPEN], OUT), ([IN, OPEN], OPEN), ([OPEN, OPEN], OPEN),
        ([IN], IN), ([OUT], OUT), ([], OPEN),
    ],
)  # fmt: skip
def test_one_figure_beyond_fails_and_all_within_pass(outcomes: list[GateOutcome], together: GateOutcome) -> None:
    assert gate.together(outcomes) is together


def test_exit_codes() -> None:
    assert [each.exit_code for each in (IN, OUT, OPEN)] == [0, 1, 4]


def test_every_choice_of_figures_has_its_own() -> None:
    assert set(FIGURES) == set(GateFigures)
