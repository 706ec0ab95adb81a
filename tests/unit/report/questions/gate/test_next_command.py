"""What to do after a gate."""

from __future__ import annotations

import msgspec
import pytest
from samples.questions.gates import FAILED, OPEN, decided, disturbed, figure, page

from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions.gate.gate import GateResult


def test_what_is_open_tells_the_time_and_the_command(slower: GateResult) -> None:
    """Ten more starts take 100 s, so a start takes 10 s; six were done: a new gate takes 160 s."""
    near = decided(slower, OPEN, figure(THROUGHPUT, (0.95, 0.98, 1.01), OPEN, 100.0))
    words = page(near)
    assert "UNDECIDED  70 s could not settle it; about 2.7 min would." in words
    assert "--after origin.work_rounds=50 --time 3m" in words and "exit 4: neither passed nor failed" in words


def test_a_run_that_would_end_sooner_gets_a_precision(slower: GateResult) -> None:
    plan = msgspec.structs.replace(slower.record.plan, precision=0.02)
    usual = msgspec.structs.replace(slower, record=msgspec.structs.replace(slower.record, plan=plan))
    near = decided(usual, OPEN, figure(THROUGHPUT, (0.95, 0.98, 1.01), OPEN, 100.0))
    assert "--time 3m --precision 1%" in page(near)


def test_what_no_time_settles_asks_for_another_margin(slower: GateResult) -> None:
    close = decided(slower, OPEN, figure(CPU, (1.01, 1.03, 1.052), OPEN, 1e9))
    words = " ".join(page(close).split())
    assert "too close to the limit for any time" in words and "--margin 5.5%" in words


@pytest.mark.parametrize(
    ("starts", "reasons", "first"),
    [
        (6, [], "close python3 (pid 812)"),
        (3, [], "close python3 (pid 812)"),
        (2, [], None),
        (6, [Reason(ReasonKind.OTHER_PROGRAMS, value=0.3)], "close other programs"),
        (6, [Reason(ReasonKind.STEAL, value=0.3)], "wait for a quieter hour"),
    ],
)
def test_what_disturbed_half_of_the_starts_stands_before_more_time(
    slower: GateResult, starts: int, reasons: list[Reason], first: str | None
) -> None:
    near = decided(slower, OPEN, figure(THROUGHPUT, (0.95, 0.98, 1.01), OPEN, 100.0))
    words = page(disturbed(near, starts, *reasons))
    assert ("\n  first   " in words) is (first is not None)
    assert first is None or f"\n  first   {first}\n  next    hopcost gate " in words
    failed = decided(slower, FAILED, figure(THROUGHPUT, (0.8, 0.82, 0.84), FAILED))
    assert "first   " not in page(disturbed(failed, starts, *reasons)), "it is decided"
