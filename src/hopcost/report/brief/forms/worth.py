"""What a hop costs and what it buys in one table.

A sweep has a row for each stack at each value, with its own figures. Any other experiment has a row for each figure:
beside the baseline's own stands what a hop adds, with its range. Of a load that the baseline cannot carry there is no
difference: then each stack has a figure of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hopcost.errors import printable
from hopcost.programs.generators.beside import BesideKind
from hopcost.report import notation
from hopcost.report.brief.load import Load, carries, cpu_parts, load_shown, median_parts
from hopcost.report.brief.outcome import has_size, share_of
from hopcost.report.brief.table import requests_per_s
from hopcost.report.brief.words import baseline_of
from hopcost.report.document import Table
from hopcost.report.formatting import mebibytes, swept_key, swept_value
from hopcost.statistics.figures import cpu_of_hops, total
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary

NOT_CARRIED = "not carried"
TAILS = ("p99", "p90")  # the first one that enough samples are there for
BELOW = "memory of all programs, connections open"

Cell = Callable[[ExperimentSummary, ArmSummary], str]


def worth_table(points: Sequence[ExperimentSummary]) -> Table:
    """The table of one experiment, or of all values of a sweep; without figures of which nothing is known."""
    return _of_one(points[0]) if points[0].plan.point is None else _of_sweep(points)


def worth_sentence(points: Sequence[ExperimentSummary]) -> str:
    """What each stack gives at full load at a sweep's first value and its last, and memory for each connection."""
    measured = [point for point in points if point.arms]
    ends = measured[:1] + (measured[-1:] if len(measured) > 1 else [])
    clauses = [
        f"{swept_value(point)}: {', '.join(f'{arm.name} {_throughput(point, arm)}' for arm in _arms(point))}"
        for point in ends
    ]
    if not clauses:
        return "No result at any value."
    throughput = f"At full load, {swept_key(points[0]).replace('_', ' ')} {'; '.join(clauses)}."
    return printable(" ".join(filter(None, (throughput, _memory_each(ends)))))


def _of_one(experiment: ExperimentSummary) -> Table:
    arms = _arms(experiment)
    load = load_shown(experiment)
    tail = _tail([experiment], load)
    cells: dict[str, Cell] = {
        "full load": _throughput,
        "CPU": _cpu,
        "median": _median,
        tail: lambda _, arm: _own_time(arm, load, tail) if carries(arm, load) else NOT_CARRIED,
        "memory": lambda _, arm: _memory(arm),
        "failed": lambda _, arm: notation.rate(sum(arm.errors.values())),
    }
    rows = [[name, *(cell(experiment, arm) for arm in arms)] for name, cell in cells.items()]
    known = [row for row in rows if any(cell != notation.ABSENT for cell in row[1:])]
    at = "" if load.per_s is None else f"at {notation.rate(load.per_s)}/s"
    return Table([at, *(arm.name for arm in arms)], known, below=[f"CPU per request; {BELOW}"])


def _of_sweep(points: Sequence[ExperimentSummary]) -> Table:
    loads = [load_shown(point) for point in points]
    rates = {load.per_s for load in loads if load.per_s is not None}
    rows = [
        ["" if number else swept_value(point), arm.name, *_own_cells(arm, load, is_offered=bool(rates))]
        for point, load in zip(points, loads, strict=True)
        for number, arm in enumerate(_arms(point))
    ]
    header = [swept_key(points[0]).replace("_", " "), "", "throughput", "CPU", "median", "memory"]
    known = [0, 1, *(place for place in range(2, len(header)) if any(row[place] != notation.ABSENT for row in rows))]
    figures = "CPU per request and median" if "median" in (header[place] for place in known) else "CPU per request"
    at = f" at {notation.rate(rates.pop())}/s" if len(rates) == 1 else ", each at a load of its own" if rates else ""
    below = f"{figures}{at}; {BELOW}"
    return Table([header[place] for place in known], [[row[place] for place in known] for row in rows], "", [below], 2)


def _own_cells(arm: ArmSummary, load: Load, *, is_offered: bool) -> list[str]:
    """`is_offered`: CPU is that of an offered load everywhere, so that there is none without one."""
    cpu = notation.ABSENT if is_offered and load.per_s is None else _own_cpu(arm, load)
    return [_own_throughput(arm), cpu, _own_time(arm, load, "p50"), _memory(arm)]


def _arms(experiment: ExperimentSummary) -> list[ArmSummary]:
    """The baseline first, the others in the plan's order."""
    return sorted(experiment.arms, key=lambda arm: arm.name != experiment.plan.baseline)


def _throughput(experiment: ExperimentSummary, arm: ArmSummary) -> str:
    if not arm.answers:
        return notation.ABSENT if arm.throughput_per_s is None else "0/s"
    if arm.name == experiment.plan.baseline or arm.ratio is None or not has_size(experiment, arm):
        return f"{requests_per_s(arm)}/s"
    return _joined(*share_of(arm, arm.ratio))


def _own_throughput(arm: ArmSummary) -> str:
    if arm.throughput_per_s is None:
        return notation.ABSENT
    return f"{requests_per_s(arm)}/s" if arm.answers else "0/s"


def _cpu(experiment: ExperimentSummary, arm: ArmSummary) -> str:
    load = load_shown(experiment)
    if not carries(arm, load):
        return NOT_CARRIED
    if _is_compared(experiment, load):
        return _joined(*cpu_parts(experiment, arm, load))
    return _own_cpu(arm, load)


def _own_cpu(arm: ArmSummary, load: Load) -> str:
    return notation.time(cpu_of_hops(arm.cpu_at(load.share))) if carries(arm, load) else notation.ABSENT


def _median(experiment: ExperimentSummary, arm: ArmSummary) -> str:
    load = load_shown(experiment)
    if load.share is None:
        return notation.ABSENT
    if not carries(arm, load):
        return NOT_CARRIED
    if _is_compared(experiment, load):
        return _joined(*median_parts(experiment, arm, load))
    return _own_time(arm, load, "p50")


def _is_compared(experiment: ExperimentSummary, load: Load) -> bool:
    """Whether the baseline has figures at that load."""
    baseline = baseline_of(experiment)
    return baseline is not None and bool(baseline.answers) and carries(baseline, load)


def _tail(experiments: Sequence[ExperimentSummary], load: Load) -> str:
    """The highest quantile that any stack has at that load."""
    arms = [arm for experiment in experiments for arm in experiment.arms if carries(arm, load)]
    return next(
        (name for name in TAILS if any(_own_time(arm, load, name) != notation.ABSENT for arm in arms)), TAILS[-1]
    )


def _own_time(arm: ArmSummary, load: Load, quantile: str) -> str:
    if not carries(arm, load):
        return notation.ABSENT
    times = (figures.response_time_ns.get(quantile) for figures in arm.open_loop if figures.share == load.share)
    return notation.time(next(times, None))


def _joined(figure: str, interval: str) -> str:
    return " ".join(filter(None, (figure, interval)))


def _memory(arm: ArmSummary) -> str:
    return mebibytes(_memory_bytes(arm))


def _memory_bytes(arm: ArmSummary) -> int | None:
    """Of all hops: shared pages divided among those that have them; the peaks if the kernel does not tell."""
    hops = list(arm.memory.values())
    used = total(hop.proportional_bytes for hop in hops)
    if used is None:
        used = total(hop.peak_bytes for hop in hops)
    return used if hops else None


def _memory_each(ends: Sequence[ExperimentSummary]) -> str:
    """What one more slow client or idle connection takes of each stack that answers the last number of them."""
    point = ends[0].plan.point
    kind = next((kind for kind in BesideKind if point is not None and point.key == f"workload.{kind}.number"), None)
    if kind is None:
        return ""
    few, many = ends[0], ends[-1]
    more = _number(many, kind) - _number(few, kind)
    before = {arm.name: _memory_bytes(arm) for arm in few.arms}
    if more <= 0:
        return ""
    told = [
        f"{arm.name} {max(0, after - first) / more / 1024:.1f} KiB"
        for arm in _arms(many)
        if arm.answers and (after := _memory_bytes(arm)) is not None and (first := before.get(arm.name)) is not None
    ]
    return f"Memory for each of them: {', '.join(told)}." if told else ""


def _number(experiment: ExperimentSummary, kind: BesideKind) -> int:
    workload = experiment.plan.workload
    beside = workload.slow_clients if kind is BesideKind.SLOW else workload.idle_connections
    return 0 if beside is None else beside.number
