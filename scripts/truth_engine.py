"""Whether the load engine tells the truth about time: sections of docs/truth.md, written by `make truth`.

The truth is the embedded origin's own log of requests: when each had arrived and when its answer had left, on the same
clock. Every run is kept as a line; a second call goes on where the first stopped.
"""

from __future__ import annotations

import datetime
import time
from functools import partial

import truth_delay
import truth_pacing
import truth_stall
from truth_lines import FOLDER, FOREIGN_MOST, Case, Line, Sorted, append, build, missing, read, sort_out, this_machine
from truth_server import say, wait_for_quiet, watched

KEPT = FOLDER / "engine.jsonl"
SECTIONS = (truth_stall, truth_delay, truth_pacing)


def cases() -> list[Case]:
    """Every run of every section."""
    return [case for section in SECTIONS for case in section.cases()]


def done() -> Sorted:
    """What earlier calls have measured."""
    return sort_out(read(KEPT, Line), cases(), build(), this_machine())


def measure(at_most_s: float) -> None:
    """Everything that is missing; no run begins after so many seconds. A disturbed run is kept, and missing still."""
    engine, here, began = build(), this_machine(), time.monotonic()
    while order := missing(cases(), done()):
        for case, number in order:
            if time.monotonic() - began > at_most_s:
                say(f"{len(missing(cases(), done()))} runs are missing")
                return
            wait_for_quiet()
            now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            figures, foreign, steal = watched(partial(case.run, number))
            line = Line(
                section=case.section,
                case=case.name,
                number=number,
                figures=figures,
                foreign=round(foreign, 4),
                steal=round(steal, 4),
                engine=engine,
                machine=here,
                settings=case.settings,
                time=now,
            )
            append(KEPT, line)
            say(f"{case.section} {case.name}, run {number + 1} of {case.runs}" + (", disturbed" * line.disturbed()))


def lines() -> tuple[list[str], bool]:
    """The lines of the page, and whether all of them hold."""
    everything, engine = done(), build()
    total = sum(case.runs for case in cases())
    head = [
        "# The load engine's times",
        "",
        f"Engine {engine.version}, sources {engine.sources}; {len(everything.used)} of {total} runs are done"
        + ("." if len(everything.used) == total else ": what is too few for a verdict is unfinished."),
        "",
        "Runs are short, and of all sections and generators in turn, in shuffled order. Figures are medians over runs,"
        " in brackets the quartiles. A line holds where, for each of its bars, the median over runs of how far a run is"
        " off is within the bar; how many runs are within all bars by themselves stands beside it. A run is set aside,"
        f" and done again, where programs of others took more than {FOREIGN_MOST * 100:g} % of the machine's CPU time"
        " meanwhile, or the hypervisor says that it kept as much of a core; never for what the engine said.",
        "",
    ]
    if everything.aside:
        head += ["Set aside: " + ", ".join(f"{n} runs {why}" for why, n in sorted(everything.aside.items())) + ".", ""]
    holds = True
    for section in SECTIONS:
        text, section_holds = section.section(everything)
        head += text
        holds = holds and section_holds
    return head, holds
