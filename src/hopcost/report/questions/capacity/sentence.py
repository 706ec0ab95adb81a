"""The sentence that people quote."""

from __future__ import annotations

from hopcost.record.contents.run import StopReason
from hopcost.report.questions.capacity.words import carried, why_not
from hopcost.statistics.questions.capacity.result import CapacityResult, CapacityRow

NAMED = 3  # stacks, with their figures


def sentence(answer: CapacityResult) -> str:
    """`go carries 61,200/s (59,400–62,800) with p99 below 50 ms; nginx-http-tcp 24,000/s (23,100–24,800).`"""
    known = [row for row in answer.rows if row.per_s is not None]
    if not known:
        return f"No capacity: {_why_none(answer)}."
    first, *others = known
    limits = [objective.words for objective in answer.question.objectives if objective.time_ns is not None]
    held = " and ".join(limits) or answer.question.words
    parts = [
        f"{first.arm} carries {carried(first)} with {held}",
        *(f"{row.arm} {carried(row)}" for row in _named(others)),
    ]
    return f"{'; '.join(parts)}."


def _named(others: list[CapacityRow]) -> list[CapacityRow]:
    """All of a few; of many the one that carries most and the one that carries least."""
    if len(others) < NAMED:
        return others
    ranked = sorted(others, key=lambda row: -(row.per_s.value if row.per_s is not None else 0.0))
    return [ranked[0], ranked[-1]]


def _why_none(answer: CapacityResult) -> str:
    ending = next((ending for ending in answer.endings if ending.why is StopReason.FAILED), None)
    if ending is not None:
        return ending.detail
    if not answer.rows or not answer.valid:
        return "interrupted before the first start was done" if not answer.void else "no start of the servers counted"
    return "; ".join(why_not(row, answer) for row in answer.rows)
