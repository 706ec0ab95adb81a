"""The progress of a search for capacities: a line for each start in a log, a few lines drawn anew on a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.segment import Segment
from rich.text import Text

from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Ending
from hopcost.report import notation
from hopcost.report.formats.text.wrapping import to_ascii
from hopcost.report.live.clock import minutes, widest_that_fits
from hopcost.report.live.disturbed import Told, failure_lines
from hopcost.report.live.watch import can_draw
from hopcost.statistics.precision.precision import Forecast
from hopcost.statistics.questions.capacity.fit import KnownSoFar

REDRAWS_PER_S = 1.0
INDENT = "  "
DOING = {"start": "starting", "warm-up": "warming up", "load": "full load on"}
KEEPS = f"{INDENT}Ctrl-C keeps what there is"


@contextmanager
def watch_capacity(console: Console, plan: Plan) -> Iterator[CapacityLog]:
    """The watcher that suits the console."""
    if not can_draw(console):
        yield CapacityLog(console, plan)
        return
    view = CapacityView(console, plan)
    with Live(view, console=console, refresh_per_second=REDRAWS_PER_S, transient=True, redirect_stdout=False):
        yield view


class CapacityLog:
    """A watcher that prints what is known of each arm behind each start."""

    def __init__(self, console: Console, plan: Plan) -> None:
        self.console, self.plan = console, plan
        self.known: dict[str, KnownSoFar] = {}
        self.number = 0
        self.experiment = ""
        self.doing = ""
        self._begins_s = time.monotonic()
        self._told = Told()
        self._offered: Mapping[str, float] = {}

    def experiment_begins(self, experiment: PlannedExperiment) -> None:
        self.experiment = experiment.name

    def forecast(self, experiment: PlannedExperiment, forecast: Forecast) -> None:
        """Nothing: a search takes its time."""

    def block_begins(self, experiment: PlannedExperiment, number: int) -> None:
        self.number, self._offered, self.doing = number, {}, f"start {number + 1} of {experiment.name}"

    def offers(self, rates: Mapping[str, float]) -> None:
        self._offered = rates
        self.doing = f"start {self.number + 1}: connecting"

    def knows(self, arms: Mapping[str, KnownSoFar]) -> None:
        self.known = dict(arms)

    def arm_runs(self, arm: str, doing: str) -> None:
        words = f"{DOING.get(doing, doing)} {arm}"
        if self._offered.get(arm) is not None:
            words = f"{notation.rate(self._offered[arm])}/s offered to {arm}"
        self.doing = f"start {self.number + 1}: {words}"

    def block_ends(self, block: Block) -> None:
        known = ", ".join(f"{arm} {known_words(known)}" for arm, known in self.known.items())
        cells = [f"start {block.number + 1}", known, f"{minutes(self.left_s)} left", self._told.about(block)]
        self._print("  ".join(filter(None, cells)))
        for line in failure_lines(block):
            self._print(line)

    def experiment_ends(self, ending: Ending) -> None:
        """The answer tells."""

    @property
    def passed_s(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self._begins_s

    @property
    def left_s(self) -> float:
        """Seconds until its time is over."""
        return max(0.0, self.plan.time_s - self.passed_s)

    def _print(self, line: str) -> None:
        line = to_ascii(line) if self.console.options.ascii_only else line
        self.console.print(line, markup=False, soft_wrap=True)


class CapacityView(CapacityLog):
    """The same on a terminal, drawn anew; nothing is printed."""

    def _print(self, line: str) -> None:
        """Lines are drawn."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        times = f"{minutes(self.passed_s)} of {minutes(self.plan.time_s)}, {minutes(self.left_s)} left"
        head = f"capacity  {self.experiment}"
        yield _line(f"{head}  {times.rjust(options.max_width - len(head) - 2)}", options)
        yield ProgressBar(total=1.0, completed=min(1.0, self.passed_s / self.plan.time_s))
        yield Segment.line()
        yield _line(widest_that_fits([f"now  {self.doing}", self.doing], options.max_width), options)
        yield Text("")
        width = max(map(len, self.known), default=0)
        for arm, known in self.known.items():
            yield _line(f"{INDENT}{arm:<{width}}  {known_words(known)}", options)
        yield Text("")
        yield _line(KEEPS, options, "dim")


def known_words(known: KnownSoFar) -> str:
    """`about 61,000/s`, `61,000/s held, 68,000/s missed`.

    >>> known_words(KnownSoFar(400.0, None, None)), known_words(KnownSoFar(400.0, 500.0, 456.0))
    ('400/s held', 'about 456/s')
    """
    if known.capacity_per_s is not None:
        return f"about {notation.rate(float(f'{known.capacity_per_s:.3g}'))}/s"
    rates = {"held": known.held_per_s, "missed": known.missed_per_s}
    return ", ".join(f"{notation.rate(rate)}/s {word}" for word, rate in rates.items() if rate) or "not known yet"


def _line(text: str, options: ConsoleOptions, style: str = "") -> Text:
    text = to_ascii(text) if options.ascii_only else text
    line = Text(text, style=style, no_wrap=True, overflow="crop" if options.ascii_only else "ellipsis")
    line.truncate(options.max_width)
    return line
