"""Edges by an agent: what is compared, and how the row is judged. Nothing is run."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from samples.blocks import slice_of
from samples.truth import filled

from hopcost.errors import MeasurementFailed
from hopcost.programs.generators.agent import AgentEdges, ClockExchange
from hopcost.programs.generators.engine_lines import Slice
from tools.truth.sections.machines import edges
from tools.truth.sections.machines.edges import Side

TIMES = dict.fromkeys([*edges.TIMES, "latest_us", "beyond_bound", "exchanges"], 3.0)


def piece(answers: int, elapsed_ns: int = 1000, cpu_ns: int | None = 500, agent: AgentEdges | None = None) -> Slice:
    piece = slice_of("first", answers, elapsed_ns=elapsed_ns, cpu_ns={"nginx": cpu_ns, "origin": 100})
    return msgspec.structs.replace(piece, freeze_ns=2000, agent=agent)


def test_figures_of_both_ways_by_hand() -> None:
    agent, own = Side.of([piece(10), piece(20)]), Side.of([piece(12, 500), piece(15, 500)])
    assert agent == Side(30, 2000, 1200)
    quotients = edges.quotients(agent, own)
    assert quotients["throughput"] == pytest.approx((30 / 2000) / (27 / 1000))
    assert quotients["cpu"] == pytest.approx((1200 / 30) / (1200 / 27))


def test_a_slice_without_its_cpu_time_is_none() -> None:
    for slices in ([], [piece(10), piece(10, cpu_ns=None)]):
        with pytest.raises(MeasurementFailed, match="CPU time"):
            Side.of(slices)


def test_what_edges_and_clocks_came_to() -> None:
    thaw, freeze = ClockExchange(4000, 9000, 50_000), ClockExchange(-12_000, 9000, 70_000)
    figures = edges.times([piece(1, agent=AgentEdges(thaw, freeze, 3000, 0))], [piece(1)])
    assert (figures["round_trip_us"], figures["offset_us"], figures["bound_us"]) == (60.0, 8.0, 9.0)
    assert (figures["beyond_bound"], figures["exchanges"]) == (1.0, 2.0)
    assert (figures["late_us"], figures["latest_us"], figures["engine_freezing_us"]) == (3.0, 3.0, 2.0)


@pytest.mark.parametrize(
    ("off", "word"), [(0.0, "yes"), (0.004, "yes"), (0.009, "undecided"), (0.02, "no"), (-0.02, "no")]
)
def test_the_whole_range_must_lie_within_a_hundredth(off: float, word: str) -> None:
    def of(_case: Any, number: int) -> dict[str, float]:
        return dict.fromkeys(edges.FIGURES, 1 + off + (0.01 if number % 2 else -0.01)) | TIMES

    text, holds = edges.AgentEdges().page(filled(edges.AgentEdges(), of))
    assert [row.split(" | ")[-1] for row in text if row.startswith(("| throughput", "| CPU"))] == [f"{word} |"] * 2
    assert holds is (word == "yes")
    assert any("beyond its bound in 120 of 120 exchanges" in row for row in text)
