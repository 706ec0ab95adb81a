"""Whether the load engine tells the truth about time: sections of docs/truth.md, written by `make truth`.

The truth is the embedded origin's own log of requests: when each had arrived and when its answer had left, on the same
clock. Every run is kept as a line; a second call goes on where the first stopped.
"""

from __future__ import annotations

from tools.truth.kept import Kept, aside
from tools.truth.lines import FOLDER, Case, Sorted, build
from tools.truth.sections.engine import delay, pacing, stall

SECTIONS = (stall, delay, pacing)


def cases() -> list[Case]:
    """Every run of every section."""
    return [case for section in SECTIONS for case in section.cases()]


KEPT = Kept(FOLDER / "engine.jsonl", cases)


def section(done: Sorted) -> tuple[list[str], bool]:
    """The lines of the page, and whether all of them hold."""
    engine, total = build(), sum(case.runs for case in cases())
    commits = dict.fromkeys(line.engine.commit for line in done.used)
    measured = f", measured at commit {', '.join(commits)}" if commits else ""
    head = [
        "# The load engine's times",
        "",
        f"Engine {engine.version}, behaviour {engine.behaviour}{measured}; {len(done.used)} of {total} runs are done"
        + ("." if len(done.used) == total else ": what is too few for a verdict is unfinished."),
        "",
        "Runs are short, and of all sections and generators in turn, in shuffled order. Figures are medians over runs,"
        " in brackets the quartiles. A line holds where, for each of its bars, the median over runs of how far a run is"
        " off is within the bar; how many runs are within all bars by themselves stands beside it.",
        "",
        *aside(done),
    ]
    holds = True
    for each in SECTIONS:
        text, section_holds = each.section(done)
        head += text
        holds = holds and section_holds
    return head, holds
