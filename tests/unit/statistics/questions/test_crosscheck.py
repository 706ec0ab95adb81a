"""Turns of several generators, folded: medians, ratios and errors."""

from __future__ import annotations

import pytest
from samples.questions.crosschecks import turns

from hopcost.statistics.questions import crosscheck
from hopcost.statistics.questions.crosscheck import OURS, Turn


def test_figures_are_medians_over_turns_and_ratios_are_to_ours_of_the_same_round() -> None:
    ours, other = crosscheck.summarise_crosscheck(
        [*turns(OURS, 1000, 2000, 1000), *turns("ab", 500, 1000, 500, latency_ms={"mean": 4.0, "p50": 3.0})], 10, 1
    )
    assert (ours.name, ours.per_s, ours.ratio, ours.stack_ratio) == (OURS, 1000, None, None)
    assert (ours.generator_ns, ours.stack_ns, ours.busy) == (550_000, 10_000, pytest.approx(0.5))
    assert ours.in_flight == pytest.approx(1)  # 1000/s × 10 ms = ten connections
    assert ours.p99_ms == (20.0, 20.0)
    assert other.ratio is not None
    assert other.ratio.value == pytest.approx(0.5)
    assert other.ratio.low is not None and other.ratio.high is not None
    assert 0.35 < other.ratio.low < 0.5 < other.ratio.high < 0.7, "three turns that agree may have agreed by chance"
    assert other.in_flight == pytest.approx(0.2)  # 500/s × 4 ms = two of ten
    assert other.p99_ms is None


def test_a_round_that_one_of_the_two_lacks_is_not_compared() -> None:
    ours = turns(OURS, 1000, 3000)[1:]
    (_, other) = crosscheck.summarise_crosscheck([*ours, *turns("ab", 10, 1500)], 10, 1)
    assert other.ratio is not None
    assert (other.ratio.value, other.ratio.low, other.turns) == (pytest.approx(0.5), None, 2)


def test_how_much_turns_differ_is_learned_from_all_generators() -> None:
    """Of two turns alone nobody can tell; beside three generators that are steady over six it can be told."""
    ours, ab = turns(OURS, *[1000, 1010] * 3), turns("ab", 900, 915)
    steady = [*turns("wrk", *[950, 955] * 3), *turns("hey", *[800, 810] * 3), *turns("oha", *[990, 985] * 3)]

    def width(of_all: list[Turn]) -> float:
        (tool_ab,) = [tool for tool in crosscheck.summarise_crosscheck(of_all, 10, 1) if tool.name == "ab"]
        assert tool_ab.ratio is not None and tool_ab.ratio.half_width is not None
        return tool_ab.ratio.half_width

    assert width([*ours, *ab, *steady]) < width([*ours, *ab]) / 2


def test_errors_are_added_up_and_the_faster_stands_first_behind_ours() -> None:
    tools = crosscheck.summarise_crosscheck(
        [*turns(OURS, 10, 10), *turns("ab", 20, 20, errors={"read": 2}), *turns("wrk", 30, 30)], 10, 1
    )
    assert [tool.name for tool in tools] == [OURS, "wrk", "ab"]
    assert tools[2].errors == {"read": 4}
