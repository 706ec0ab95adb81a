"""The answer as people read it: in fifteen lines what each stack carries, then its curve."""

from __future__ import annotations

import shlex

from hopcost.record.contents.run import StopReason
from hopcost.report.brief.table import bar_of
from hopcost.report.document import BarRow, Bars, Document, Fold, Heading, Lines, Section, Style
from hopcost.report.formatting import CONFIDENCE_IN_TEXT, count
from hopcost.report.notes import head
from hopcost.report.notes.scope import AS_THEY_RUN, is_of_servers, reworded
from hopcost.report.questions.capacity.curve import curve_of
from hopcost.report.questions.capacity.details import detail_lines
from hopcost.report.questions.capacity.sentence import sentence
from hopcost.report.questions.capacity.words import (
    caution_lines,
    possible_objective,
    rate_parts,
    streams_words,
    why_not,
)
from hopcost.report.questions.closing import closing_lines, time_option
from hopcost.statistics.questions.capacity.result import CapacityResult, CapacityRow, Kind

MOST_CAUTIONS = 3
WIDE = 0.1  # half-width of a range as a share of the capacity, from which more time is the next step
MORE = 4  # times the time that halves a range
FARTHEST = 1.5  # times the largest capacity: a bar's range goes on beyond it


def document(answer: CapacityResult, *, details: bool = False) -> Document:
    """What ran, the answer, a row for each stack, what changes the reading, and what to do next."""
    names = dict.fromkeys(experiment.suite_name for experiment in answer.record.plan.experiments)
    sections: list[Section] = [
        [
            Heading(_title(answer), level=1),
            Lines([f"! {line}" for line in head.warnings(answer.record)], Style.CAUTIONS),
        ],
        [
            Heading(", ".join(names), about=f"The highest rate with {answer.question.words}."),
            Lines([sentence(answer)], Style.ANSWER),
            table(answer),
            Lines([*caution_lines(answer)[:MOST_CAUTIONS], *_unknown(answer)], Style.CAUTIONS),
            Lines(_how(answer), Style.NOTES),
        ],
        [
            Fold("Curves", [curve_of(row, answer.question) for row in answer.rows], is_open=details),
            Fold("Details", [Lines(detail_lines(answer))], is_open=details),
        ],
    ]
    whole = Document(sections)
    if is_of_servers(answer.record.plan):
        whole = reworded(whole)
    whole.sections.append([Lines(closing_lines(str(answer.record.path), *_next(answer)), Style.VERSE)])
    return whole


def table(answer: CapacityResult) -> Bars:
    """A row for each stack with its capacity as a bar. Capacities set the scale, and not the widest range."""
    known = [row.per_s for row in answer.rows if row.per_s is not None]
    farthest = FARTHEST * max((per_s.value for per_s in known), default=0.0)
    most = max((min(farthest, per_s.high or per_s.value) for per_s in known), default=0.0)
    return Bars(["", "requests/s", ""], [_bar_row(row, most) for row in answer.rows] if known else [])


def _bar_row(row: CapacityRow, most: float) -> BarRow:
    if row.per_s is None:
        return BarRow(row.arm, ["–"], None, ["failed" if row.kind is Kind.FAILED else "?"])
    figure, ends = rate_parts(row.per_s)
    if row.kind is Kind.AT_LEAST:
        return BarRow(row.arm, [f"≥{figure}"], bar_of(row.per_s, most), ["the generator's limit"])
    return BarRow(row.arm, [figure], bar_of(row.per_s, most), [ends])


def _title(answer: CapacityResult) -> str:
    """`capacity nginx-go/one-core · 90 s · 2-core VM, AMD EPYC · go-hello go1.26.8`."""
    parts = head.first_line(answer.record).split(head.SEPARATOR)[1:]
    return head.SEPARATOR.join([f"capacity {answer.question.target}", *parts])


def _unknown(answer: CapacityResult) -> list[str]:
    """A line for each stack without a capacity, if others have one."""
    if not answer.is_answered:
        return []
    return [f"? {why_not(row, answer)}." for row in answer.rows if row.per_s is None]


def _how(answer: CapacityResult) -> list[str]:
    """Under which load, over how many starts, and what the ranges are."""
    workload = answer.record.plan.experiments[0].workload
    ranges = f" (a–b): {CONFIDENCE_IN_TEXT} range." if any(row.per_s and row.per_s.low for row in answer.rows) else ""
    connections = f"{count(workload.connections, 'connection')}{streams_words(answer)}"
    line = f"Poisson arrivals over {connections}; {count(answer.valid, 'start')}.{ranges}"
    return [line, AS_THEY_RUN] if ranges and is_of_servers(answer.record.plan) else [line]


def _next(answer: CapacityResult) -> tuple[str, str]:
    """The next command, and why."""
    idle = next((row for row in answer.rows if row.kind is Kind.MISSES_IDLE and row.points), None)
    target, same = answer.question.target, "".join(f" -O {shlex.quote(limit)}" for limit in answer.question.options)
    if idle is not None and not answer.is_answered:
        objective = possible_objective(idle.points[0], answer)
        if objective is not None:
            return f"hopcost capacity {target} -O {shlex.quote(objective)}", "it holds that idle"
    if any(row.kind is Kind.NOT_OFFERED for row in answer.rows) and not answer.is_answered:
        return "hopcost doctor", "what disturbs this machine"
    needed_s = _needed_s(answer)
    if needed_s is not None:
        return f"hopcost capacity {target}{same} --time {time_option(needed_s)}", ""
    command = "latest" if answer.record.path.parent.name == "records" else shlex.quote(str(answer.record.path))
    return f"hopcost report {command} --html", "with the curves"


def _needed_s(answer: CapacityResult) -> float | None:
    """The time to give it, if that was too short or a range is wide; None if it was enough."""
    time_s = answer.record.plan.time_s
    if any(row.kind is Kind.NOT_SETTLED for row in answer.rows):
        told = [ending.detail.rpartition(" in all ")[2] for ending in answer.endings if ending.why is StopReason.TIME]
        seconds = [float(words.removesuffix(" s")) for words in told if words.removesuffix(" s").isdecimal()]
        return max([2 * time_s, *seconds])
    widths = [row.per_s.half_width for row in answer.rows if row.per_s is not None and row.kind is Kind.MEASURED]
    known = [width for width in widths if width is not None]
    if not known:
        return 2 * time_s if widths else None
    return MORE * time_s if max(known) > WIDE else None
