"""Why starts are disturbed or void: a line for each kind of reason. JSON and the record have each reason."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.record.contents.block import Block
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.statistics.validity.reasons import group_reasons

UNKNOWN = Reason(ReasonKind.BROKE_OFF, text="the record has no reason")


def reason_lines(experiment: ExperimentSummary) -> list[str]:
    """`disturbed: 2 of 8 starts (3, 5), nginx at 1,600/s: 6.1 to 12 % of the requests were sent late`."""
    all_blocks = experiment.blocks + len(experiment.void)
    return [*_lines("disturbed", experiment.suspect, all_blocks), *_lines("void", experiment.void, all_blocks)]


def _lines(validity: str, blocks: Sequence[Block], all_blocks: int) -> list[str]:
    reasons = [(block.number + 1, reason) for block in blocks for reason in block.reasons or [UNKNOWN]]
    lines = []
    for alike in group_reasons(reasons):
        where = ", ".join(filter(None, (_blocks(alike.blocks, all_blocks), alike.subject)))
        lines.append(f"{validity}: {where}: {alike.what}")
    return lines


def _blocks(numbers: Sequence[int], all_blocks: int) -> str:
    """`start 3`, `2 of 8 starts (1, 3)`, `both starts`, `all 8 starts`."""
    if len(numbers) == 1:
        return f"start {numbers[0]}"
    if len(numbers) == all_blocks:
        return "both starts" if all_blocks == 2 else f"all {all_blocks} starts"
    return f"{len(numbers)} of {all_blocks} starts ({_runs(numbers)})"


def _runs(numbers: Sequence[int]) -> str:
    """`1, 2, 4–7` for 1, 2, 4, 5, 6, 7."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
