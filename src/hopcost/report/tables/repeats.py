"""`--as-published`: each repeat, its mean and spread, the published figure beside, and what it cannot tell."""

from __future__ import annotations

from hopcost.report import formatting
from hopcost.report.formatting import ABSENT
from hopcost.report.notes import surroundings
from hopcost.statistics.summary.repeats import ArmRepeats
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.suites.published import label

CANNOT_TELL = (
    "the article's own protocol: arms one after another, each on one start; nothing is interleaved, nothing runs"
    " against itself (no A/A), no interval can be had, and a slow minute of the machine is in whichever arm had it:"
    " no verdict on speed"
)
FOLLOWS = "answers/s, errors: as the tool counts them, answers with a 2xx status only; errors apart, never as answers"


def header(each: list[ExperimentSummary]) -> list[str]:
    """A sweep has its values before the arms."""
    point = each[0].plan.point
    names = [point.key.rpartition(".")[2]] if point is not None else []
    names += ["arm", "repeats' answers/s", "mean", "min–max", "ratio", "errors", "CPU %"]
    names += ["article's requests/s", "its ratio"]
    return [*names, "its errors"] if _with_errors(each) else names


def _with_errors(each: list[ExperimentSummary]) -> bool:
    return any(arm.published is not None and arm.published.has_errors for one in each for arm in one.repeats)


def rows(each: list[ExperimentSummary]) -> list[list[str]]:
    """One row for each arm (and value)."""
    made = []
    for experiment in each:
        shown = [label(experiment.plan.point.value)] if experiment.plan.point is not None else []
        for arm in experiment.repeats:
            made.append([*shown, *_cells(arm)][: len(header(each))])
            shown = [""] if shown else []
    return made


def below(each: list[ExperimentSummary]) -> list[str]:
    """What was run, what the published run was, what failed; of a sweep with the values that it holds for."""
    holds: dict[str, list[str]] = {}
    for experiment in each:
        value = label(experiment.plan.point.value) if experiment.plan.point is not None else ""
        for line in _of_one(experiment):
            holds.setdefault(line, []).append(value)
    said = [CANNOT_TELL, FOLLOWS]
    for line, values in holds.items():
        said.append(line if len(values) == len(each) else f"at {', '.join(values)}: {line}")
    said += surroundings.surroundings_lines(each)
    if each[0].plan.published_conditions:
        said.append(f"the article's conditions: {each[0].plan.published_conditions}")
    return [formatting.printable(line) for line in said]


def _of_one(experiment: ExperimentSummary) -> list[str]:
    ran: dict[str, list[str]] = {}
    for arm in experiment.repeats:
        ran.setdefault(_ran(experiment, arm), []).append(arm.name)
    said = []
    for how, arms in ran.items():
        who = "every arm" if len(arms) == len(experiment.repeats) > 1 else ", ".join(arms)
        said.append(f"{who}: {how}")
    for arm in experiment.repeats:
        said += [f"failed: {arm.name}: {failure}" for failure in dict.fromkeys(arm.failures)]
    said += [f"note: {note}" for note in experiment.plan.notes]
    for left in experiment.plan.left_out:
        said.append(f"left out: {left.name}: {left.reason}" + (f"; hint: {left.remedy}" if left.remedy else ""))
    return list(dict.fromkeys(said))


def _ran(experiment: ExperimentSummary, arm: ArmRepeats) -> str:
    """How an arm's repeats were run here, and how the article ran them."""
    protocol = experiment.plan.as_published
    size = f"{arm.requests:,} requests" if arm.requests is not None else f"{arm.duration_s or ABSENT} s"
    ran = f"{arm.tool or 'no run'}, {arm.connections} connections, {size} a repeat"
    if protocol is None:
        return ran
    published = f"{protocol.requests:,} requests" if protocol.requests else f"{protocol.duration_s} s"
    connections = protocol.connections or experiment.plan.workload.connections
    times = "once" if protocol.repeats == 1 else f"{protocol.repeats} times"
    return f"{ran}; published: {connections} connections, {published}, {times}"


def _cells(arm: ArmRepeats) -> list[str]:
    each, row = arm.throughputs_per_s, arm.published
    return [
        arm.name,
        ", ".join(formatting.number(value) for value in each) or "failed",
        formatting.number(arm.mean_per_s),
        f"{formatting.number(min(each))}–{formatting.number(max(each))}" if len(each) > 1 else ABSENT,
        formatting.ratio(arm.ratio),
        formatting.errors(arm.errors),
        formatting.number(arm.cpu_percent),
        formatting.number(row.throughput_per_s if row is not None else None),
        formatting.ratio(arm.published_ratio),
        formatting.published_errors(row) if row is not None else ABSENT,
    ]
