"""A gate's outcome out of its figures, and what would settle an open one."""

from __future__ import annotations

import pytest

from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.intervals import Interval
from hopcost.statistics.precision.precision import Settling
from hopcost.statistics.questions.gate.decision import FigureDecision, GateDecision, GateOutcome, together

IN, OUT, OPEN = GateOutcome.WITHIN, GateOutcome.BEYOND, GateOutcome.NOT_SETTLED
MARGIN = 0.03


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([IN, IN], IN), ([IN, OUT], OUT), ([OUT, OPEN], OUT), ([IN, OPEN], OPEN), ([OPEN, OPEN], OPEN),
        ([IN], IN), ([OUT], OUT), ([], OPEN),
    ],
)  # fmt: skip
def test_one_figure_beyond_fails_and_all_within_pass(outcomes: list[GateOutcome], expected: GateOutcome) -> None:
    assert together(outcomes) is expected


def test_exit_codes() -> None:
    assert [outcome.exit_code for outcome in (IN, OUT, OPEN)] == [0, 1, 4]


def open_figure(figure: str, value: float, starts: int) -> FigureDecision:
    """An open figure with the starts that would settle it; 0: time alone does not."""
    limit = 1 / (1 + MARGIN) if figure == THROUGHPUT else 1 + MARGIN
    settling = Settling(half_width=0.1, target=0.01, starts=starts, seconds=10.0 * starts) if starts else None
    return FigureDecision(figure, Interval(value, 0.9, 1.1), limit, True, OPEN, to_settle=settling)


@pytest.mark.parametrize(
    ("throughput", "cpu", "starts"),
    [
        ((0.99, 4), (1.01, 9), 9),  # a pass needs both
        ((0.96, 40), (1.01, 9), 40),  # a failure needs one
        ((0.96, 40), (1.04, 9), 9),  # and the sooner one is enough
        ((0.99, 4), (1.01, 0), None),  # one of them never passes
        ((0.96, 40), (1.01, 0), 40),  # but the other one may fail
    ],
)
def test_what_settles_a_gate(throughput: tuple[float, int], cpu: tuple[float, int], starts: int | None) -> None:
    figures = [open_figure(THROUGHPUT, *throughput), open_figure(CPU, *cpu)]
    settling = GateDecision(OPEN, figures).to_settle
    assert (None if settling is None else settling.starts) == starts


def test_a_gate_that_is_settled_or_has_a_reason_tells_no_time() -> None:
    figures = [open_figure(THROUGHPUT, 0.99, 4)]
    assert GateDecision(OUT, figures).to_settle is None
    assert GateDecision(OPEN, figures, "before failed").to_settle is None
    assert GateDecision(OPEN, []).to_settle is None
