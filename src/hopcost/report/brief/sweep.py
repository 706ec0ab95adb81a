"""A sweep in short: one table, for each stack a row for each value, so that one sees where the baseline's lead ends."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from hopcost.errors import printable
from hopcost.record.contents.run import Record
from hopcost.report.brief.cautions.cautions import disturbed
from hopcost.report.brief.cautions.explanations import no_verdicts, not_measured
from hopcost.report.brief.cautions.faults import known_faults
from hopcost.report.brief.load import FULL_LOAD
from hopcost.report.brief.outcome import Outcome, has_size, marks, outcome_of, share_of
from hopcost.report.brief.table import bar_of, most_of, requests_per_s
from hopcost.report.brief.words import baseline_of, others_of, stack_word
from hopcost.report.document import BarRow, Bars
from hopcost.report.formatting import swept_key, swept_value
from hopcost.report.notes.merge import merge_lines
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary

MARK = re.compile(r"^(at [^:]*: )([?~!] )")
FEW = 2  # so many stacks are in the sentence


def sentence(points: Sequence[ExperimentSummary]) -> str:
    """What each stack keeps at the first value and at the last one."""
    measured = [point for point in points if baseline_of(point) is not None and others_of(point)]
    if not measured:
        return "No result at any value."
    first, last = measured[0], measured[-1]
    key, clauses = swept_key(first), []
    for name in stacks(measured)[:FEW]:
        shares = [
            f"{share_of(arm, arm.ratio)[0]}{_in_brackets(_mark(point, name))} at {key} {swept_value(point)}"
            for point in ([first] if first is last else [first, last])
            if (arm := _arm(point, name)) is not None and has_size(point, arm)
        ]
        if shares:
            clauses.append(f"{name} {', '.join(shares)}")
    base = baseline_of(first)
    assert base is not None, "measured points have one"
    more = len(stacks(measured)) - FEW
    others = f"; {more} more below" if more > 0 else ""
    return printable(f"Of {stack_word(base)}'s throughput: {'; '.join(clauses)}{others}.")


def stacks(points: Sequence[ExperimentSummary]) -> list[str]:
    """All stacks but the baseline, in the plan's order."""
    return list(dict.fromkeys(arm.name for point in points for arm in point.arms if arm.name != point.plan.baseline))


def sweep_bars(points: Sequence[ExperimentSummary]) -> Bars:
    """One scale for all bars. The first row of several stacks has the stack's name."""
    ratios = [
        arm.ratio for point in points for arm in others_of(point) if arm.ratio is not None and has_size(point, arm)
    ]
    most, names = most_of(ratios), stacks(points)
    key, base = swept_key(points[0]), points[0].plan.baseline
    if len(names) == 1:
        return Bars([key, f"{base} req/s", f"{names[0]} of {base}", "", ""], _rows(points, names[0], most))
    rows = []
    for name in names:
        labels = itertools.chain([name], itertools.repeat(""))
        own = _rows(points, name, most)
        rows += [BarRow(next(labels), [row.label, *row.before], row.bar, row.after) for row in own]
    return Bars(["", key, f"{base} req/s", f"of {base}", "", ""], rows)


def _rows(points: Sequence[ExperimentSummary], name: str, most: float) -> list[BarRow]:
    """A row for each value at which the stack ran."""
    rows = []
    for point in points:
        arm, baseline = _arm(point, name), baseline_of(point)
        if arm is None or baseline is None:
            continue
        ratio = arm.ratio if has_size(point, arm) else None
        bar = None if ratio is None else bar_of(ratio, most)
        after = [*share_of(arm, ratio), _mark(point, name)]
        rows.append(BarRow(swept_value(point), [requests_per_s(baseline)], bar, after))
    return rows


def _mark(point: ExperimentSummary, name: str) -> str:
    return marks(point, others_of(point))[name]


def _in_brackets(mark: str) -> str:
    return f" ({mark})" if mark else ""


def _arm(point: ExperimentSummary, name: str) -> ArmSummary | None:
    return next((arm for arm in point.arms if arm.name == name), None)


def sweep_cautions(record: Record, points: Sequence[ExperimentSummary]) -> list[list[str]]:
    """The sentences of each entry of all values, each once, with its values if it does not hold for all."""
    marked = [(swept_value(point), [*no_verdicts(point), *not_measured(point)]) for point in points]
    lines = [MARK.sub(r"\2\1", line) for line in merge_lines(marked)]
    unsettled = [
        swept_value(point)
        for point in points
        if point.no_verdicts is None and any(outcome_of(arm) is Outcome.NOT_SETTLED for arm in others_of(point))
    ]
    if unsettled:
        lines.append(f"? not settled at {', '.join(unsettled)}: more --time narrows the ranges")
    important = merge_lines([(swept_value(point), known_faults(record, point, FULL_LOAD)) for point in points])
    by_others = disturbed(points)
    is_everywhere = all(len(point.suspect) == point.blocks for point in points)
    important = [*by_others, *important] if is_everywhere else [*important, *by_others]
    entries = [[line] for line in lines] + ([[f"! {important[0]}", *important[1:]]] if important else [])
    empty = [f"{swept_value(point)} ({point.ending.detail})" for point in points if not point.arms and point.ending]
    entries += [[f"! No result at {', '.join(empty)}."]] if empty else []
    return [[printable(sentence) for sentence in entry] for entry in entries]
