"""A sweep as one table: a row for each value and arm, the value shown once, the article's figures beside."""

from __future__ import annotations

from hopcost.report import formatting
from hopcost.report.formatting import ABSENT
from hopcost.report.notes import conditions, surroundings
from hopcost.report.tables import further
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary
from hopcost.suites.published import Published, label

ELSEWHERE = ("A/A floor", "µs under", "p50, p99", "hopcost itself")  # said of all values in one line, or not at all


def header(points: list[ExperimentSummary], confidence: str) -> list[str]:
    """Only columns that have something in them."""
    names = [_key(points[0]), "arm", "answers/s", f"ratio [{confidence}]", "verdict", "CPU µs", "CPU %"]
    if _has_errors(points):
        names.append("errors")
    if any(row.throughput_per_s for row in _published(points)):
        names += ["article's requests/s", "its ratio"]
    if any(row.cpu_percent is not None for row in _published(points)):
        names.append("its CPU %")
    if any(row.has_errors for row in _published(points)):
        names.append("its errors")
    return names


def rows(points: list[ExperimentSummary], names: list[str]) -> list[list[str]]:
    """One row for each value and arm; a value without any arm has a row that says so."""
    made = []
    for each in points:
        assert each.plan.point is not None, "the points of a sweep"
        shown = label(each.plan.point.value)
        measured = [_cells(each, arm) for arm in each.arms]
        for cells in measured or [{"arm": "no result"}]:
            made.append([shown, *[cells.get(name.partition(" [")[0], ABSENT) for name in names[1:]]])
            shown = ""
    return made


def below(points: list[ExperimentSummary]) -> list[str]:
    """What holds of all values once; what differs, with the values that it holds for."""
    first = points[0]
    floors = "; ".join(f"{_value(each)}: {formatting.interval(each.aa_floor)}" for each in points if each.arms)
    said = []
    if floors:
        said.append(
            f"A/A floor: {first.plan.copied_arm} against itself is {floors}; nothing finer is told apart at that value"
        )
    said.append(
        "a ratio is to the baseline at the same value; CPU µs: CPU time of all hops per answer; CPU %: their CPU time"
        f" ÷ the arm's time × {formatting.cores(len(first.plan.cores.stack))}"
    )
    blocks = ", ".join(f"{_value(each)}: {each.blocks}" + _stopped(each) for each in points)
    said.append(f"blocks: {blocks}")
    holds: dict[str, list[str]] = {}
    for each in points:
        for line in [*further.lines(each), *conditions.but_surroundings(each)]:
            if not line.startswith((*ELSEWHERE, f"{formatting.count(each.blocks, 'block')}, ")):
                holds.setdefault(line, []).append(_value(each))
    for line, values in holds.items():
        said.append(line if len(values) == len(points) else f"at {', '.join(values)}: {line}")
    said += surroundings.surroundings_lines(points)
    if first.plan.published_conditions:
        said.append(f"the article's conditions: {first.plan.published_conditions}")
    return [formatting.printable(line) for line in said]


def _cells(each: ExperimentSummary, arm: ArmSummary) -> dict[str, str]:
    used = [ns for hop, ns in arm.cpu_ns_per_request.items() if hop != "generator"]
    known = [ns for ns in used if ns is not None]
    row = arm.published
    return {
        "arm": arm.name,
        "answers/s": formatting.throughput(arm),
        "ratio": "1 (baseline)" if arm.name == each.plan.baseline else formatting.interval(arm.ratio),
        "verdict": further.verdict(arm, THROUGHPUT),
        "CPU µs": formatting.microseconds(sum(known) if used and len(known) == len(used) else None),
        "CPU %": formatting.number(arm.cpu_percent),
        "errors": formatting.errors(arm.errors),
        "article's requests/s": formatting.number(row.throughput_per_s if row is not None else None),
        "its ratio": formatting.ratio(arm.published_ratio),
        "its CPU %": formatting.number(row.cpu_percent if row is not None else None),
        "its errors": formatting.published_errors(row) if row is not None else ABSENT,
    }


def _key(each: ExperimentSummary) -> str:
    assert each.plan.point is not None, "a point of a sweep"
    return each.plan.point.key.rpartition(".")[2]


def _value(each: ExperimentSummary) -> str:
    assert each.plan.point is not None, "a point of a sweep"
    return label(each.plan.point.value)


def _stopped(each: ExperimentSummary) -> str:
    return f" ({each.ending.why})" if each.ending is not None else ""


def _published(points: list[ExperimentSummary]) -> list[Published]:
    return [arm.published for each in points for arm in each.arms if arm.published is not None]


def _has_errors(points: list[ExperimentSummary]) -> bool:
    return any(sum(arm.errors.values()) for each in points for arm in each.arms)
