"""What a section of the page is made of: prose, a table, and whether its rows hold."""

from __future__ import annotations

import abc
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

import msgspec
from scipy import stats

from hopcost.statistics.intervals import Interval
from tools.markdown import table
from tools.truth.form import Form
from tools.truth.kept import Kept, aside
from tools.truth.lines import FOLDER, Case, Figures, Sorted, path_of
from tools.truth.made_with import Machine


class Part(msgspec.Struct):
    """Paragraphs, a table, paragraphs. It holds if it has verdicts and each of them is `yes`."""

    prose: list[str]
    columns: list[str]
    rows: list[list[str]] = []
    verdicts: list[str] = []
    after: list[str] = []

    def lines(self) -> list[str]:
        """Markdown, with an empty line at the end."""
        return "\n\n".join([*self.prose, table(self.columns, self.rows), *self.after, ""]).splitlines()

    def holds(self) -> bool:
        """Whether every verdict is yes."""
        return bool(self.verdicts) and set(self.verdicts) == {"yes"}


class Section(abc.ABC):
    """Cases to run, and a section of the page made of the kept runs. `key` names it in the kept lines.

    `asks`: what ought to be so, in a sentence; `tells`: the columns of its tables that say by how much it is not.
    `short_s`: the time that its short form takes, at most; None if it has none.
    """

    key: ClassVar[str]
    heading: ClassVar[str]
    asks: ClassVar[str] = ""
    tells: ClassVar[tuple[str, ...]] = ()
    short_s: ClassVar[float | None] = None
    keeps: ClassVar[type[Kept]] = Kept  # when a run is due

    def __init__(self, folder: Path = FOLDER, form: Form = Form.FULL, machine: Machine | None = None) -> None:
        """`folder` holds the kept lines, as `lines.path_of` says; those of `machine` count, else those of this one."""
        self.form = form
        self.kept = self.keeps(path_of(self.key, folder), self.cases, self.runs(), machine)

    def runs(self) -> int | None:
        """How many runs there will be, if not all cases are known from the beginning."""
        return None

    @abc.abstractmethod
    def cases(self) -> list[Case]:
        """What is to be run, and how many times."""

    @abc.abstractmethod
    def parts(self, done: Sorted) -> list[Part]:
        """What the page says of these runs."""

    def adds(self, _done: Sorted) -> str:
        """A sentence for the top of the page, if a figure must stand there for the checks to be read rightly."""
        return ""

    def page(self, done: Sorted) -> tuple[list[str], bool]:
        """The lines of the page, and whether all of them hold."""
        parts = self.parts(done)
        lines = [line for part in parts for line in part.lines()]
        return [self.heading, "", *lines, *aside(done)], all(part.holds() for part in parts)


class Bar(msgspec.Struct, frozen=True):
    """How one row is judged: each run's misses as shares of what is allowed."""

    misses: list[list[float]]
    runs: int

    def verdict(self) -> str:
        """`yes` if for each bar the median run is within it; before enough runs are done, how many are."""
        if len(self.misses) < self.runs:
            return unfinished(len(self.misses), self.runs)
        return "yes" if all(statistics.median(of_bar) <= 1 for of_bar in zip(*self.misses, strict=True)) else "no"

    def within(self) -> str:
        """How many runs are within all bars by themselves: `11 of 12`."""
        within = sum(max(of_run) <= 1 for of_run in self.misses)
        return f"{within} of {len(self.misses)}" if self.misses else ""


def unfinished(done: int, wanted: int) -> str:
    """The verdict before enough runs are done."""
    return f"unfinished: {done} of {wanted} runs"


def median_interval(values: Sequence[float]) -> Interval | None:
    """The median with its 95 % interval by order statistics, whatever the distribution; None for fewer than six.

    How many values lie below the median is binomial (Conover 1999, Practical Nonparametric Statistics, 3.2).
    """
    ordered, rank = sorted(values), int(stats.binom.ppf(0.025, len(values), 0.5)) if values else 0
    if rank == 0:
        return None
    return Interval(value=statistics.median(ordered), low=ordered[rank - 1], high=ordered[-rank])


def median(runs: Sequence[Figures], name: str) -> float:
    """Over runs."""
    return statistics.median(run[name] for run in runs)


def quartiles(runs: Sequence[Figures], name: str) -> tuple[float, float]:
    """The first and the third one, over runs; of one run it is itself."""
    values = [run[name] for run in runs]
    if len(values) < 2:
        return values[0], values[0]
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    return first, third


def spread(runs: Sequence[Figures], name: str, shown: Callable[[float], str]) -> str:
    """`median (quartile–quartile)`."""
    first, third = quartiles(runs, name)
    return f"{shown(median(runs, name))} ({shown(first)}–{shown(third)})"


def bracketed(interval: Interval | None, digits: int) -> str:
    """`1.003 [0.991, 1.015]`; empty if there is no interval."""
    if interval is None or interval.low is None or interval.high is None:
        return ""
    return f"{interval.value:.{digits}f} [{interval.low:.{digits}f}, {interval.high:.{digits}f}]"


def within(quotient: Interval | None, margin: float) -> str:
    """Whether it is 1 but for this margin: `yes` or `no` when the whole interval says so, else `undecided`."""
    if quotient is None or quotient.low is None or quotient.high is None:
        return "undecided"
    if quotient.low >= 1 - margin and quotient.high <= 1 + margin:
        return "yes"
    return "no" if quotient.low > 1 + margin or quotient.high < 1 - margin else "undecided"
