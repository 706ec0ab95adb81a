"""How far each figure of a soak drifted, with its slope: a line for each figure of each stack."""

from __future__ import annotations

from hopcost.report import notation
from hopcost.report.formatting import CONFIDENCE_IN_TEXT, LONGEST_PROPOSED_S, count, duration
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.soak import SEGMENTS_LEAST, Course, Drift

SHORT_S = 600
FIGURES = {
    "ratio": "throughput beside the baseline",
    "service_time_p50_ns": "median service time",
    "memory_bytes": "memory",
}


def soak_lines(courses: list[Course]) -> list[str]:
    """A line for each figure: its verdict and its slope with the range, and what would settle it."""
    lines = [f"{course.arm}: {FIGURES[course.figure]}: {course.word}{_behind(course)}" for course in courses]
    if courses:
        lines.append(f"slopes have {CONFIDENCE_IN_TEXT} ranges, each figure taken alone")
    return lines


def _behind(course: Course) -> str:
    """What stands behind the word; empty if nothing was measured."""
    if not course.parts:
        return ""
    parts = f" ({count(course.parts, 'part')})"
    if course.drift is None:
        return f"{parts}; a slope needs {SEGMENTS_LEAST}: more --soak-length"
    words = [_slope(course.drift)]
    if course.length_to_settle_s is not None:
        is_possible = course.length_to_settle_s <= LONGEST_PROPOSED_S
        length = f"of about {duration(course.length_to_settle_s)} would" if is_possible else "of a day would not"
        words.append(f"a soak {length} settle it")
    return "; ".join([parts, *words])


def _slope(drift: Drift) -> str:
    change = notation.change(Interval(value=drift.over_run, low=drift.low, high=drift.high))
    over_run = f"{change} over its {drift.length_s:.0f} s"
    if drift.length_s < SHORT_S:  # too short for a slope per hour
        return over_run
    hourly = Interval(value=drift.per_hour, low=drift.per_hour_low, high=drift.per_hour_high)
    return f"{over_run}; {notation.change(hourly)} per hour"
