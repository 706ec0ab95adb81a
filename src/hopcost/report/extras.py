"""What stands below an experiment's table: sweeps as one table, the article's own protocol, the drift of a soak."""

from __future__ import annotations

import statistics

from hopcost.drift import Drift
from hopcost.planned import Point
from hopcost.published import Published, label
from hopcost.record import Repeat
from hopcost.statistics import Interval
from hopcost.summary import ArmSummary, ExperimentSummary

ABSENT = "–"
Grid = tuple[list[str], list[list[str]]]


def sweep(experiments: list[ExperimentSummary], name: str) -> Grid:
    """All points of one sweep, a row for each value and arm."""
    key = next(each.plan.point.key for each in experiments if each.plan.point and each.plan.point.experiment == name)
    header = [key, "arm", "answers/s", "ratio", "errors", "busy cores", "article's requests/s", "its CPU", "its errors"]
    rows = []
    for each in experiments:
        point = each.plan.point
        if point is None or point.experiment != name:
            continue
        here = each.plan.workload.connections
        value = label(point.value) + (f" ({here} here)" if each.plan.connections_asked is not None else "")
        published = {row.arm: row for row in each.plan.published}
        for arm in each.arms:
            own = published.get(arm.name)
            rows.append([value, arm.name, *measured(arm, arm.name == each.plan.baseline), *printed(own)])
        done = {arm.name for arm in each.arms}
        for failure in {failure.arm: failure for failure in each.failures if failure.arm not in done}.values():
            first = failure.message.splitlines()[0]
            rows.append(
                [value, failure.arm, "failed", ABSENT, first[:60], ABSENT, *printed(published.get(failure.arm))]
            )
    return header, rows


def last_points(experiments: list[ExperimentSummary]) -> dict[str, str]:
    """By the name of the last point of each sweep of two points or more, the sweep's name."""
    points: dict[str, list[str]] = {}
    for each in experiments:
        if isinstance(each.plan.point, Point):
            points.setdefault(each.plan.point.experiment, []).append(each.plan.name)
    return {names[-1]: name for name, names in points.items() if len(names) > 1}


def measured(arm: ArmSummary, is_baseline: bool) -> list[str]:
    """Throughput, ratio, errors, and CPU time per elapsed time of all hops."""
    speed = ABSENT if arm.throughput_per_s is None else f"{arm.throughput_per_s:,.0f}"
    return [speed, "1 (baseline)" if is_baseline else interval(arm.ratio), errors(arm.errors), busy(arm)]


def busy(arm: ArmSummary) -> str:
    """CPU time of all hops per elapsed time, in per cent of one core."""
    used = [ns for hop, ns in arm.cpu_ns_per_request.items() if hop != "generator"]
    if arm.throughput_per_s is None or not used:
        return ABSENT
    total = 0
    for ns in used:
        if ns is None:
            return ABSENT
        total += ns
    return f"{total * arm.throughput_per_s / 1e9:.0%}"


def printed(row: Published | None) -> list[str]:
    """The article's throughput, CPU and errors."""
    if row is None:
        return [ABSENT, ABSENT, ABSENT]
    speed = ABSENT if row.throughput_per_s is None else f"{row.throughput_per_s:,.0f}"
    cpu = ABSENT if row.cpu_percent is None else f"{row.cpu_percent:g}%"
    return [speed, cpu, errors(row.errors) if any(row.errors.values()) else "errors" if row.errored else "0"]


def repeats(each: ExperimentSummary) -> Grid:
    """The article's own protocol: every repeat, mean and spread, the published figure beside."""
    published = {row.arm: row for row in each.plan.published}
    by_arm: dict[str, list[Repeat]] = {}
    for repeat in each.repeats:
        by_arm.setdefault(repeat.arm, []).append(repeat)
    header = ["arm", "repeats: answers/s", "mean", "spread", "errors", "article's requests/s"]
    rows = []
    for arm, done in by_arm.items():
        speeds = [one.run.answers * 1e9 / max(1, one.run.elapsed_ns) for one in done if one.run is not None]
        words = [
            f"{one.run.answers * 1e9 / max(1, one.run.elapsed_ns):,.0f}" if one.run is not None else "failed"
            for one in done
        ]
        kinds: dict[str, int] = {}
        for one in done:
            for kind, count in (one.run.errors if one.run is not None else {}).items():
                kinds[kind] = kinds.get(kind, 0) + count
        mean = f"{statistics.mean(speeds):,.0f}" if speeds else ABSENT
        spread = (
            f"±{statistics.stdev(speeds) / statistics.mean(speeds):.1%}" if len(speeds) > 1 and all(speeds) else ABSENT
        )
        rows.append([arm, ", ".join(words), mean, spread, errors(kinds), printed(published.get(arm))[0]])
    return header, rows


def repeats_below(each: ExperimentSummary) -> list[str]:
    """What was scaled, which repeats failed, and what this protocol cannot tell."""
    protocol, lines = each.plan.as_published, []
    if protocol is not None:
        ran = sorted({(one.connections, one.requests or 0, one.duration_s or 0) for one in each.repeats})
        end = f"{protocol.requests:,} requests" if protocol.requests else f"{protocol.duration_s} s"
        connections = protocol.connections or each.plan.connections_asked or each.plan.workload.connections
        lines.append(f"published: {protocol.peer}, {connections} connections, {end}, {protocol.repeats} repeats")
        for here, requests, seconds in ran:
            if requests or seconds:
                lines.append(f"here: {here} connections, " + (f"{requests:,} requests" if requests else f"{seconds} s"))
    lines += [f"failed: {one.arm}: {one.failure}" for one in each.repeats if one.failure is not None]
    lines.append(
        "this protocol cannot tell a slow minute of the machine from a slow arm: arms run one after another, nothing is"
        " interleaved, there is no A/A arm, and answers are not compared with what they should be; the spread is"
        " between repeats of one start and is no error of the mean"
    )
    return lines


def drifts(each: ExperimentSummary) -> list[str]:
    """A line for each figure of a soak."""
    return [f"{what}: {_drift(found)}" for what, found in each.drifts.items()]


def _drift(found: Drift) -> str:
    ends = f"[{found.low - 1:+.1%}, {found.high - 1:+.1%}]"
    hourly = f", {found.per_hour - 1:+.1%} an hour" if found.length_s >= 600 else ""
    return ("drifts" if found.is_seen else "no drift seen") + (
        f": {found.over_run - 1:+.1%} {ends} over {found.length_s:.0f} s{hourly}"
    )


def interval(ratio: Interval | None) -> str:
    """`0.397 [0.392, 0.402]`."""
    if ratio is None:
        return ABSENT
    ends = "no interval" if ratio.low is None or ratio.high is None else f"{ratio.low:.3f}, {ratio.high:.3f}"
    return f"{ratio.value:.3f} [{ends}]"


def errors(counts: dict[str, int]) -> str:
    """`3 timeout, 1 read`, or 0."""
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count) or "0"
