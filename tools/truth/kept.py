"""The measuring loop of `make truth`: runs the missing cases of a file and keeps a line of each, until time is over.

A run beside other programs is kept and done again, for that reason alone and never for its result. So is a run that
failed, for instance because hopcost itself called the blocks void.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from hopcost.errors import MeasurementFailed
from hopcost.report.formatting import count
from tools.truth.lines import Case, Figures, Line, Reckoned, Sorted, append, missing, read, sort_out
from tools.truth.made_with import Machine, build, this_machine
from tools.truth.server import say, wait_for_quiet, watched

FAILURES_MOST = 5  # in a row: chance does not explain more


class Kept:
    """A file of lines, and the cases that belong in it; `cases` is asked anew, since one may wait for others.

    `machine`: whose lines count; only those of this one can be measured.
    """

    def __init__(
        self, path: Path, cases: Callable[[], list[Case]], runs: int | None = None, machine: Machine | None = None
    ) -> None:
        self.path = path
        self.machine = machine or this_machine()
        self.cases = cases
        self._runs = runs  # if not all cases are known from the beginning

    def left(self) -> int:
        """How many runs are still wanted."""
        cases = self.cases()
        unknown = max(0, (self._runs or 0) - sum(case.runs for case in cases))
        return len(missing(cases, self.done())) + unknown

    def done(self) -> Sorted:
        """What earlier calls have measured."""
        return self.done_of(self.cases())

    def done_of(self, cases: Sequence[Case]) -> Sorted:
        """What earlier calls have measured of these cases."""
        return sort_out(read(self.path, Line), cases, build(), self.machine)

    def measure(self, at_most_s: float) -> None:
        """Everything that is missing; no run begins that could not end within so many seconds.

        MeasurementFailed after many failures in a row.
        """
        began, failures, fits = time.monotonic(), 0, True
        while fits and (order := missing(self.cases(), self.done())):
            fits = False
            for case, number in order:
                if case.decided(self.done().of(case.section, case.name)):
                    fits = True  # then it is missing no longer
                    continue
                if time.monotonic() - began + case.seconds > at_most_s:
                    continue
                fits = True
                line = self.add(case, number)
                failures = failures + 1 if line.failed else 0
                if failures >= FAILURES_MOST:
                    raise MeasurementFailed(f"{failures} runs in a row failed, the last one: {line.failed}")
        if left := self.left():
            say(f"{self.path.stem}: {left} runs are missing")

    def add(self, case: Case, number: int) -> Line:
        """One run, as a line that is kept; what became of it is said."""
        line = self._measured(case, number)
        say(f"{case.section} {case.name}, run {number + 1} of {case.runs}{_aside(case, line)}")
        return line

    def _measured(self, case: Case, number: int) -> Line:
        if not isinstance(case, Reckoned):
            wait_for_quiet()
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        (figures, failed), foreign, steal = watched(partial(_attempt, case, number))
        line = Line(
            section=case.section,
            case=case.name,
            number=number,
            figures=figures,
            foreign=round(foreign, 4),
            steal=round(steal, 4),
            engine=build(),
            machine=this_machine(),
            settings=case.settings,
            time=now,
            failed=failed,
        )
        append(self.path, line)
        return line


def _attempt(case: Case, number: int) -> tuple[Figures, str]:
    """The figures of a run, or why there are none."""
    try:
        return case.run(number), ""
    except MeasurementFailed as error:
        return {}, error.message


def _aside(case: Case, line: Line) -> str:
    if line.failed:
        return f", failed: {line.failed}"
    return ", disturbed" if case.disturbed(line) else ""


def aside(done: Sorted) -> list[str]:
    """A line of the page about what does not count."""
    if not done.aside:
        return []
    return ["Set aside: " + ", ".join(f"{count(n, 'run')} {why}" for why, n in sorted(done.aside.items())) + ".", ""]
