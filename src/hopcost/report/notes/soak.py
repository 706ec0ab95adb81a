"""The result of a soak: a line for each figure of each arm."""

from __future__ import annotations

from hopcost.report.formatting import CONFIDENCE, mebibytes
from hopcost.statistics.summary.soak import Course, Drift

SHORT_S = 600
FIGURES = {"ratio": "ratio", "service_time_p50_ns": "median service time", "memory_bytes": "memory (resident)"}


def soak_lines(courses: list[Course]) -> list[str]:
    """A line for each figure: its verdict, its first and last part, its slope with the interval."""
    lines = []
    for course in courses:
        line = f"soak: {course.arm}: {FIGURES[course.figure]}: {course.word}"
        if course.first is not None and course.last is not None:
            line += f"; {_amount(course.figure, course.first)} → {_amount(course.figure, course.last)}"
        line += f" ({course.parts} parts)"
        lines.append(line + (_slope(course.drift) if course.drift is not None else "; too few parts for a slope"))
    if courses:
        lines.append(
            f"soak: slopes with {CONFIDENCE} intervals, each figure taken alone; times and memory are of one arm, and"
            " the machine drifts too: the baseline stands beside"
        )
    if any(course.drift is not None and course.drift.length_s < SHORT_S for course in courses):
        lines.append("soak: parts of seconds are alike, and slopes of so short a run say little")
    return lines


def _slope(drift: Drift) -> str:
    over_run = (
        f", {_change(drift.over_run)} [{_change(drift.low)}, {_change(drift.high)}] over its {drift.length_s:.0f} s"
    )
    if drift.length_s < SHORT_S:  # too short for a slope per hour
        return over_run
    per_hour = f"{_change(drift.per_hour)} [{_change(drift.per_hour_low)}, {_change(drift.per_hour_high)}] per hour"
    return f"{over_run}; {per_hour}"


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
