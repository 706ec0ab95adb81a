"""Disturbed starts in one line: how many, and by what. They count, but other work was in them."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.record.block import Block
from hopcost.report.brief.reasons import plainer
from hopcost.report.formatting import count
from hopcost.statistics.validity.reasons import group_reasons


def disturbed_line(suspect: Sequence[Block], starts: int) -> list[str]:
    """`5 of 5 starts were disturbed: other programs used 22 to 60 % of the CPU.`; nothing if none was."""
    if not suspect:
        return []
    kinds = group_reasons((block.number, reason) for block in suspect for reason in block.reasons)
    worst = max(kinds, key=lambda kind: len(kind.blocks), default=None)
    why = "" if worst is None else f": {plainer(worst.what.partition(': ')[0])}"
    were = "was" if len(suspect) == 1 else "were"
    return [f"{len(suspect)} of {count(starts, 'start')} {were} disturbed{why}."]
