"""A soak in short: what each figure was at the beginning and at the end, and how far it drifted."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.report import notation
from hopcost.report.brief.words import shortened
from hopcost.report.document import Table
from hopcost.report.formatting import LONGEST_PROPOSED_S, duration, mebibytes
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.soak import NOT_MEASURED, Course, Drift
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.statistics.verdict import NOT_SETTLED, SAME

SHORT_S = 600  # slopes of less say little
FIGURES = {"ratio": "throughput", "service_time_p50_ns": "median service time", "memory_bytes": "memory"}


def soak_sentence(courses: Sequence[Course]) -> str:
    """What drifts, what does not, and what is not settled."""
    kinds = {
        "drifts": ["drifts"],
        "stays the same": [SAME, "drifts, negligible"],
        "is not settled": [NOT_SETTLED],
        "is not measured": [NOT_MEASURED],
    }
    sentences = []
    for words, verdicts in kinds.items():
        names = [f"{course.arm}'s {FIGURES[course.figure]}" for course in courses if course.word in verdicts]
        if names:
            sentences.append(f"{shortened(names)} {words if len(names) == 1 else _plural(words)}.")
    return " ".join(sentences)


def _plural(words: str) -> str:
    for singular, plural in (("drifts", "drift"), ("stays", "stay"), ("is not", "are not")):
        if words.startswith(singular):
            return plural + words.removeprefix(singular)
    return words


def soak_table(experiment: ExperimentSummary) -> Table:
    """A row for each figure of each stack."""
    header = ["stack", "figure", "at first", "at last", "change", ""]
    rows = [
        [
            course.arm,
            FIGURES[course.figure],
            _amount(course, course.first),
            _amount(course, course.last),
            notation.change(over_run(course.drift)) if course.drift is not None else notation.ABSENT,
            course.word,
        ]
        for course in experiment.soak
    ]
    return Table(header, rows, words=2)


def soak_cautions(experiment: ExperimentSummary) -> list[str]:
    """What the table cannot tell."""
    open_courses = [course for course in experiment.soak if course.word == NOT_SETTLED]
    times_s = [time_s for course in open_courses if (time_s := course.length_to_settle_s) is not None]
    lengths_s = [course.drift.length_s for course in experiment.soak if course.drift is not None]
    entries = []
    if times_s and max(times_s) > LONGEST_PROPOSED_S:
        entries.append("? not settled: a soak of a day would not settle all of it")
    elif times_s:
        entries.append(f"? not settled: a soak of about {duration(max(times_s))} would settle it (--soak-length)")
    elif open_courses:
        entries.append("? not settled: too few parts for a slope; a longer --soak-length has more")
    if lengths_s and min(lengths_s) < SHORT_S:
        entries.append("! So short a soak says little about drift: its parts follow each other within seconds.")
    entries.append("The change is that of a straight line through all parts, not last ÷ first.")
    entries.append("Times and memory are of one stack, and the machine drifts too; throughput is beside the baseline.")
    return entries


def over_run(drift: Drift) -> Interval:
    """The factor over the whole run."""
    return Interval(value=drift.over_run, low=drift.low, high=drift.high)


def _amount(course: Course, value: float | None) -> str:
    if value is None:
        return notation.ABSENT
    match course.figure:
        case "ratio":
            return f"{100 * value:.0f} %"
        case "memory_bytes":
            return mebibytes(round(value))
        case _:
            return notation.time(value)
