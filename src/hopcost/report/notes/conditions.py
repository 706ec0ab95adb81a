"""The lines below an experiment's table: conditions, validity, what arms did besides answering."""

from __future__ import annotations

from hopcost.plan.turns import Turns
from hopcost.report.formatting import count, interval, mebibytes, printable, reached
from hopcost.report.notes import surroundings
from hopcost.statistics.summary.soak import Course, Drift
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary

TURNS = {
    Turns.ALL: None,
    Turns.WHOLE: "whole slices: one arm alive at a time, each in runs of {seconds:g} s; what drifts meanwhile is in the"
    " ratio, and its interval shows it",
    Turns.SOAK: "a soak: one start, about nine tenths of the time on the arm, short slices of the baseline between",
}
PEER = (
    "{tools} drove the arms in place of hopcost's engine: counts and times are its own, connections were opened within"
    " its time, and no answer's bytes were compared"
)
SHORT_S = 600
FIGURES = {"ratio": "ratio", "service_time_p50_ns": "median service time", "memory_bytes": "memory (resident)"}


def lines_below(each: ExperimentSummary) -> list[str]:
    """All lines of one experiment, printable."""
    return [*but_surroundings(each), *(printable(line) for line in surroundings.surroundings_lines([each]))]


def but_surroundings(each: ExperimentSummary) -> list[str]:
    """Without what the arms got of their surroundings, which a sweep says of all its values together."""
    lines = [*_figures(each), *_course(each), *of_soak(each.soak), *validity(each)]
    return [printable(line) for line in lines]


def _figures(each: ExperimentSummary) -> list[str]:
    if not each.arms:
        return [f"no result: {each.ending.detail}"] if each.ending else []
    compared = [arm.ratio for arm in each.arms if arm.ratio and arm.name != each.plan.baseline]
    widest = max((ratio.half_width for ratio in compared if ratio.half_width is not None), default=None)
    lines = [
        f"A/A floor: {each.plan.copied_arm} against itself is {interval(each.aa_floor)}; nothing finer is told apart",
        f"{count(each.blocks, 'block')}, {reached(widest)}"
        + (f"; stopped: {each.ending.detail}" if each.ending else ""),
        "µs under a hop: its CPU time per answer, all threads",
    ]
    if all(arm.peer is None and not arm.open_loop for arm in each.arms):
        lines.append(
            f"p50, p99: service time, sent → last byte with {each.plan.workload.connections} connections always busy;"
            " it is not what a user waits for"
        )
    lines.append(_bytes(each.arms))
    return lines


def _course(each: ExperimentSummary) -> list[str]:
    """How it was run, where that is not as asked or as usual."""
    plan, lines = each.plan, []
    turns = TURNS[plan.turns]
    if turns is not None:
        lines.append(turns.format(seconds=plan.slice_ns / 1e9))
    if plan.connections_asked is not None and each.arms:
        lines.append(f"run with {plan.workload.connections} connections, {plan.connections_asked} asked for")
    tools = dict.fromkeys(arm.peer for arm in each.arms if arm.peer is not None)
    if tools:
        lines.append(PEER.format(tools=", ".join(tools)))
    if each.harness_load is not None:
        lines.append(f"hopcost itself took {each.harness_load:.2%} of a core while the engine ran")
    lines += [f"note: {note}" for note in plan.notes]
    for arm in each.arms:
        lines += [f"note: {arm.name}: {note}" for note in arm.notes]
    return lines


def validity(each: ExperimentSummary) -> list[str]:
    """Blocks that do not count, arms with errors or without a steady state, arms that failed or did not run."""
    lines = [f"suspect: block {block.number + 1}: {'; '.join(block.reasons)}" for block in each.suspect]
    lines += [f"void: block {block.number + 1}: {'; '.join(block.reasons)}" for block in each.void]
    for arm in each.arms:
        if sum(arm.errors.values()):
            lines.append(f"{arm.name} had errors: its ratio counts correct answers only")
        if arm.steady is False:
            lines.append(f"{arm.name} reached no steady state in its warm-up")
    for failure in each.failures:
        lines.append(f"failed: {failure.arm}: {failure.message}" + (f"\nhint: {failure.hint}" if failure.hint else ""))
    for left in each.plan.left_out:
        lines.append(f"left out: {left.name}: {left.reason}" + (f"; hint: {left.remedy}" if left.remedy else ""))
    return lines


def of_soak(courses: list[Course]) -> list[str]:
    """A line for each figure: its verdict, its first and last part, its slope with the interval."""
    lines = []
    for course in courses:
        name = f"soak: {course.arm}: {FIGURES[course.figure]}: {course.word}"
        if course.first is not None and course.last is not None:
            name += f"; {_amount(course.figure, course.first)} → {_amount(course.figure, course.last)}"
        name += f" ({course.parts} parts)"
        lines.append(name + (_slope(course.drift) if course.drift is not None else "; too few parts for a slope"))
    if courses:
        lines.append(
            "soak: slopes with 95% intervals, each figure taken alone; times and memory are of one arm, and the machine"
            " drifts too: the baseline stands beside"
        )
    if any(course.drift is not None and course.drift.length_s < SHORT_S for course in courses):
        lines.append("soak: parts of seconds are alike, and slopes of so short a run say little")
    return lines


def _slope(drift: Drift) -> str:
    whole = f", {_change(drift.over_run)} [{_change(drift.low)}, {_change(drift.high)}] over its {drift.length_s:.0f} s"
    if drift.length_s < SHORT_S:  # a slope of seconds carried on to an hour is no statement
        return whole
    hour = f"{_change(drift.per_hour)} [{_change(drift.per_hour_low)}, {_change(drift.per_hour_high)}] per hour"
    return f"{whole}; {hour}"


def _change(factor: float) -> str:
    return f"{factor - 1:+.1%}"


def _amount(figure: str, value: float) -> str:
    match figure:
        case "ratio":
            return f"{value:.3f}"
        case "memory_bytes":
            return mebibytes(round(value))
        case _:
            return f"{value / 1000:,.0f} µs"


def _bytes(arms: list[ArmSummary]) -> str:
    sizes = {(arm.header_bytes, arm.body_bytes) for arm in arms}
    if len(sizes) == 1:
        header_bytes, body_bytes = sizes.pop()
        return f"every arm answers with {header_bytes} header bytes and {body_bytes} body bytes"
    each = ", ".join(f"{arm.name} {arm.header_bytes} + {arm.body_bytes}" for arm in arms)
    return f"answers differ in size (header + body bytes): {each}"
