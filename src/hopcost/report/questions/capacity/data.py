"""The answer as data: rates in requests per second, times in ns."""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.report import Cell
from hopcost.report.questions.capacity.sentence import sentence
from hopcost.statistics.questions.capacity.result import CapacityResult

COLUMNS = (
    "stack",
    "outcome",
    "capacity_per_s",
    "low_per_s",
    "high_per_s",
    "rate_per_s",
    "requests",
    "errors",
    "not_sent",
)


def data(answer: CapacityResult) -> dict[str, object]:
    """All that the text has, with every figure whole."""
    return {
        "target": answer.question.target,
        "objectives": [
            {"words": objective.words, "option": objective.option} for objective in answer.question.objectives
        ],
        "answer": sentence(answer),
        "stacks": [
            {
                "arm": row.arm,
                "outcome": row.kind,
                "capacity_per_s": row.per_s,
                "ends_by": row.ends_by,
                "held_per_s": row.held_per_s,
                "starts": row.starts,
                "restart_spread": row.restart_spread,
                "is_short_of_connections": row.is_short_of_connections,
                "points": row.points,
            }
            for row in answer.rows
        ],
        "starts": answer.valid,
        "void_starts": len(answer.void),
        "disturbed_starts": len(answer.suspect),
        "failures": answer.failures,
        "record": str(answer.record.path),
    }


def rows(answer: CapacityResult) -> Iterator[list[Cell]]:
    """A row for each rate of each stack."""
    names = list(dict.fromkeys(name for row in answer.rows for point in row.points for name in point.response_time_ns))
    yield [*COLUMNS, *(f"{name}_ns" for name in names)]
    for row in answer.rows:
        per_s = row.per_s
        known: list[Cell] = [None] * 3 if per_s is None else [per_s.value, per_s.low, per_s.high]
        for point in row.points:
            counts: list[Cell] = [point.rate_per_s, point.requests, point.errors, point.not_sent]
            yield [row.arm, row.kind.value, *known, *counts, *(point.response_time_ns.get(name) for name in names)]
