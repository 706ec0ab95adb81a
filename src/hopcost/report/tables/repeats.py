"""`--as-published`: the repeats, their mean and spread, the published figure, and what all this cannot tell."""

from __future__ import annotations

from hopcost.report import formatting
from hopcost.report.document import Table
from hopcost.report.formatting import ABSENT, count, swept_key, swept_value
from hopcost.report.notes.merge import merge_lines
from hopcost.report.notes.surroundings import surroundings_lines
from hopcost.statistics.summary.repeats import ArmRepeats
from hopcost.statistics.summary.summary import ExperimentSummary

CANNOT_TELL = (
    "the article's own protocol: stacks one after another, each on one start; no two run at once, nothing runs twice,"
    " so there is no range: a slow minute of the machine is in whichever stack had it, and there is no verdict on speed"
)
FOLLOWS = "req/s, errors: as the tool counts them, answers with a 2xx status only; errors apart, never as answers"


def repeats_table(group: list[ExperimentSummary]) -> Table:
    """A row for each arm; in a sweep, for each value and arm."""
    key = swept_key(group[0])
    header = [key] if key else []
    header += ["stack", "repeats, req/s", "mean", "min–max", "ratio", "errors", "CPU %"]
    header += ["article's req/s", "its ratio"]
    arms = [arm for experiment in group for arm in experiment.repeats]
    if any(arm.published is not None and arm.published.has_errors for arm in arms):
        header.append("its errors")
    rows = []
    for experiment in group:
        shown = [swept_value(experiment)] if key else []
        for arm in experiment.repeats:
            rows.append([*shown, *_cells(arm)][: len(header)])
            shown = [""] if shown else []
    return Table(header, rows, words=2 if key else 1)


def notes(group: list[ExperimentSummary]) -> list[str]:
    """What ran here, what the article ran, what failed. In a sweep, a line names its values."""
    own_lines = merge_lines([(swept_value(experiment), _lines(experiment)) for experiment in group])
    lines = [CANNOT_TELL, FOLLOWS, *own_lines, *surroundings_lines(group)]
    if group[0].plan.published_conditions:
        lines.append(f"the article's conditions: {group[0].plan.published_conditions}")
    return lines


def _lines(experiment: ExperimentSummary) -> list[str]:
    arms_by_run: dict[str, list[str]] = {}
    for arm in experiment.repeats:
        arms_by_run.setdefault(_run(experiment, arm), []).append(arm.name)
    lines = []
    for run, arms in arms_by_run.items():
        who = "every stack" if len(arms) == len(experiment.repeats) > 1 else ", ".join(arms)
        lines.append(f"{who}: {run}")
    for arm in experiment.repeats:
        lines += [f"failed: {arm.name}: {failure}" for failure in dict.fromkeys(arm.failures)]
    lines += [f"note: {note}" for note in experiment.plan.notes]
    return lines + [f"left out: {left_out.words()}" for left_out in experiment.plan.left_out]


def _run(experiment: ExperimentSummary, arm: ArmRepeats) -> str:
    """How an arm's repeats were run here, and how the article ran them."""
    protocol = experiment.plan.as_published
    size = count(arm.requests, "request") if arm.requests is not None else f"{arm.duration_s or ABSENT} s"
    ran = f"{arm.tool or 'no run'}, {count(arm.connections, 'connection')}, {size} a repeat"
    if protocol is None:
        return ran
    published = count(protocol.requests, "request") if protocol.requests else f"{protocol.duration_s} s"
    connections = protocol.connections or experiment.plan.workload.connections
    times = "once" if protocol.repeats == 1 else f"{protocol.repeats} times"
    return f"{ran}; published: {count(connections, 'connection')}, {published}, {times}"


def _cells(arm: ArmRepeats) -> list[str]:
    row, per_s = arm.published, arm.throughputs_per_s
    return [
        arm.name,
        ", ".join(formatting.number(value) for value in per_s) or "failed",
        formatting.number(arm.mean_per_s),
        f"{formatting.number(min(per_s))}–{formatting.number(max(per_s))}" if len(per_s) > 1 else ABSENT,
        formatting.ratio(arm.ratio),
        formatting.errors(arm.errors),
        formatting.number(arm.cpu_percent),
        formatting.number(row.throughput_per_s if row is not None else None),
        formatting.ratio(arm.published_ratio),
        formatting.published_errors(row) if row is not None else ABSENT,
    ]
