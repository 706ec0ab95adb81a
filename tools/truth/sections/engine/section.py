"""Whether the load engine tells the truth about time.

The truth is the embedded origin's own log of requests: when each had arrived and when its answer had left, on the same
clock.
"""

from __future__ import annotations

from tools.truth.kept import aside
from tools.truth.lines import Case, Sorted
from tools.truth.made_with import build
from tools.truth.page.part import Part, Section
from tools.truth.sections.engine.delay import Delay
from tools.truth.sections.engine.pacing import Pacing
from tools.truth.sections.engine.stall import Stall

SECTIONS: tuple[Section, ...] = (Stall(), Delay(), Pacing())


class Engine(Section):
    """Its three parts are kept in one file, and run in turn."""

    key = "engine"
    heading = "# The load engine's times"
    asks = "The engine's times agree with the server's own log, and requests leave when they are due"
    tells = ("difference, µs", "gaps")

    def cases(self) -> list[Case]:
        """Every run of every part."""
        return [case for section in SECTIONS for case in section.cases()]

    def parts(self, done: Sorted) -> list[Part]:
        """All parts'."""
        return [part for section in SECTIONS for part in section.parts(done)]

    def page(self, done: Sorted) -> tuple[list[str], bool]:
        """What was measured, then a heading for each part."""
        engine, total = build(), sum(case.runs for case in self.cases())
        commits = dict.fromkeys(line.engine.commit for line in done.used)
        measured = f", measured at commit {', '.join(commits)}" if commits else ""
        lines = [
            self.heading,
            "",
            f"Engine {engine.version}, behaviour {engine.behaviour}{measured}; {len(done.used)} of {total} runs are"
            + (" done." if len(done.used) == total else " done: what is too few for a verdict is unfinished."),
            "",
            "Runs are short, and of all sections and generators in turn, in shuffled order. Figures are medians over"
            " runs, in brackets the quartiles. A line holds where, for each of its bars, the median over runs of how"
            " far a run is off is within the bar; how many runs are within all bars by themselves stands beside it.",
            "",
            *aside(done),
        ]
        for section in SECTIONS:
            lines += section.page(Sorted(used=done.used, aside={}))[0]
        return lines, all(part.holds() for part in self.parts(done))
