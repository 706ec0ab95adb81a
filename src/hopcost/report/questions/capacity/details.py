"""What stands behind the answer: starts, how unlike they were, what ended each rate, the run."""

from __future__ import annotations

from hopcost.report.formatting import CONFIDENCE_IN_TEXT, count
from hopcost.report.notes import head
from hopcost.statistics.questions.capacity.result import CapacityResult, CapacityRow
from hopcost.statistics.validity.reasons import sentences


def detail_lines(answer: CapacityResult) -> list[str]:
    """All that the answer leaves out."""
    experiments = answer.record.plan.experiments
    return [
        *map(_row, answer.rows),
        f"The ranges of all stacks hold together with {CONFIDENCE_IN_TEXT}; they cover how much starts differ.",
        *(f"{ending.experiment}: {ending.detail}" for ending in answer.endings),
        *(
            f"start {block.number + 1}: {'; '.join(sentences(block.reasons))}"
            for block in [*answer.void, *answer.suspect]
        ),
        *(f"failed: {failure.arm}: {failure.message}" for failure in answer.failures),
        *(f"not measured: {left.words()}" for experiment in experiments for left in experiment.left_out),
        *(f"note: {note}" for experiment in experiments for note in experiment.notes),
        *head.about(answer.record),
        *head.machine(answer.record),
    ]


def _row(row: CapacityRow) -> str:
    """`go: 6 starts, which differ by about 2 %; above its capacity p99 is missed first`."""
    probes = sum(point.requests for point in row.points)
    spread = f", which differ by about {100 * row.restart_spread:.2g} %" if row.restart_spread is not None else ""
    ends = f"; above its capacity {row.ends_by} is missed first" if row.ends_by is not None else ""
    return f"{row.arm}: {count(row.starts, 'start')}{spread}, {count(probes, 'request')}{ends}"
