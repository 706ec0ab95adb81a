"""The live view of a run: where it is, how long it will take, and the figures so far of the experiment under way.

The view must cost little while slices run. It computes the figures once for each block, and lays out their rows then.
Once a second it draws the screen from that layout. A step of the run only sets a few fields.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.segment import Segment
from rich.text import Text

from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Ending
from hopcost.report.formats.text.bar_rows import bar_rows
from hopcost.report.formats.text.wrapping import to_ascii
from hopcost.report.live.clock import minutes, widest_that_fits
from hopcost.report.live.disturbed import HINT, disturbed_line, failure_lines
from hopcost.report.live.rows import label, rows_of
from hopcost.report.live.so_far import SoFar
from hopcost.report.notes.scope import of_blocks
from hopcost.statistics.precision.precision import Forecast

REDRAWS_PER_S = 1.0
FAILURE_LINES = 3  # the last ones
INDENT = "  "
DOING = {"start": "starting", "warm-up": "warming up", "load": "loading"}


@contextmanager
def live(console: Console, plan: Plan, again: str) -> Iterator[View]:
    """A view that is drawn until the run ends and then removed: the report takes its place."""
    view = View(console, plan, again)
    with Live(view, console=console, refresh_per_second=REDRAWS_PER_S, transient=True, redirect_stdout=False) as screen:
        view.screen = screen
        yield view


class View:
    """A watcher that rich can draw. `again` is the command that shows the record."""

    def __init__(self, console: Console, plan: Plan, again: str) -> None:
        self.console = console
        self.plan = plan
        self.again = again
        self.screen: Live | None = None
        self.so_far = SoFar(plan)
        self.experiment: PlannedExperiment | None = None
        self.doing = ""
        self.others_stand_still = False
        self.failures: list[str] = []
        self._laid_out: tuple[ConsoleOptions, list[Text]] | None = None

    def experiment_begins(self, experiment: PlannedExperiment) -> None:
        self._turn_to(experiment)

    def forecast(self, experiment: PlannedExperiment, forecast: Forecast) -> None:
        self.so_far.expect(experiment, forecast)

    def block_begins(self, experiment: PlannedExperiment, number: int) -> None:  # noqa: ARG002
        self.so_far.begin(experiment)
        self._turn_to(experiment)

    def arm_runs(self, arm: str, doing: str) -> None:
        """Called when a start begins, and after every warm-up and slice."""
        assert self.experiment is not None, "experiment_begins comes first"
        self.doing = f"{DOING.get(doing, doing)} {label(self.experiment, arm)}"
        self.others_stand_still = doing == "load" and self.experiment.turns.interleave and _are_frozen(self.experiment)

    def block_ends(self, block: Block) -> None:
        self.so_far.add(block)
        self.failures += failure_lines(block)
        self._redraw()

    def experiment_ends(self, ending: Ending) -> None:
        self.so_far.end(ending)

    def _turn_to(self, experiment: PlannedExperiment) -> None:
        self.experiment, self.doing, self.others_stand_still = experiment, "", False
        self._redraw()

    def _redraw(self) -> None:
        """Lay out now, while no slice runs."""
        self._laid_out = None
        if self.screen is not None:
            self.screen.refresh()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.experiment is None:
            return
        yield _line(self._where(self.experiment, options.max_width), options)
        yield ProgressBar(total=1.0, completed=min(1.0, self.so_far.clock.share))
        yield Segment.line()
        yield _line(self._now(self.experiment, options.max_width), options)
        if self._laid_out is None or self._laid_out[0] != options:
            self._laid_out = (options, list(self._figures(self.experiment, options)))
        yield from self._laid_out[1]

    def _where(self, experiment: PlannedExperiment, width: int) -> str:
        """`nginx-go --quick     one-core, in turns with all-cores     0:41 of 1:48, 1:07 left`, or as much as fits."""
        passed_s, left_s = round(self.so_far.clock.passed_s), round(self.so_far.clock.left_s)
        left = f"{minutes(left_s)} left"
        place, turns = experiment.name, self.so_far.turns(experiment)
        command = self.plan.suite + (" --quick" if self.plan.quick else "")
        forms = [
            (f"{command}     {place}{turns}", f"{minutes(passed_s)} of {minutes(passed_s + left_s)}, {left}"),
            (f"{command}     {place}", f"{minutes(passed_s)} of {minutes(passed_s + left_s)}, {left}"),
            (f"{command}     {place}", left),
            (place, left),
            (place, ""),
        ]
        lines = [f"{where}  {time.rjust(width - len(where) - 2)}".rstrip() for where, time in forms]
        return widest_that_fits(lines, width)

    def _now(self, experiment: PlannedExperiment, width: int) -> str:
        """`now  server start 3 of about 6: loading nginx (the others stand still)`, or as much of it as fits."""
        expected = self.so_far.expected_starts(experiment)
        number = self.so_far.starts(experiment) + 1
        of_about = f" of about {expected}" if expected is not None and expected >= number else ""
        start = f"server start {number}{of_about}"
        step = f"{start}: {self.doing}" if self.doing else start
        step = of_blocks(step, experiment)
        whole = f"now  {step} (the others stand still)" if self.others_stand_still else f"now  {step}"
        return widest_that_fits([whole, f"now  {step}", step], width)

    def _figures(self, experiment: PlannedExperiment, options: ConsoleOptions) -> Iterator[Text]:
        arms = self.so_far.arms(experiment)
        lines = bar_rows(
            rows_of(experiment, arms, options.max_width), options.max_width - len(INDENT), options.ascii_only
        )
        is_point = [arm.ratio is not None and not arm.has_range and arm.name != experiment.baseline for arm in arms]
        styles = ["dim", *("dim" if point else "" for point in is_point)]
        if len(lines) != len(styles):  # too narrow: a row has two lines
            styles = [""] * len(lines)
        yield Text("")
        for line, style in zip(lines, styles, strict=True):
            yield _line(INDENT + line, options, style)
        yield Text("")
        yield _line(INDENT + self._width(experiment), options)
        if disturbed := disturbed_line(self.so_far.blocks_of(experiment)):
            yield _line(_shortened(of_blocks(disturbed, experiment), options), options, "yellow")
        for failure in self.failures[-FAILURE_LINES:]:
            mark = "  " if failure.startswith(HINT) else "! "
            yield _line(_shortened(failure, options, mark), options, "red")
        keeps = f"{INDENT}Ctrl-C keeps what there is"
        yield _line(widest_that_fits([f"{keeps} · details: {self.again}", keeps], options.max_width), options, "dim")

    def _width(self, experiment: PlannedExperiment) -> str:
        """How narrow the ranges are, or when there will be any."""
        width = self.so_far.width(experiment)
        words = f"widest range {width}" if width else "no range yet: that takes 2 server starts"
        if not self.so_far.starts(experiment):
            words = "figures come after the first server start, ranges after the second"
        return of_blocks(words, experiment)


def _are_frozen(experiment: PlannedExperiment) -> bool:
    """Whether the others stand still while one arm is loaded."""
    return all(arm.arm.server is None or arm.arm.server.freeze for arm in experiment.arms)


def _shortened(text: str, options: ConsoleOptions, mark: str = "! ") -> str:
    """Indented behind a mark, and cut off behind a word if it is too long."""
    before = INDENT + mark
    return before + textwrap.shorten(text, max(6, options.max_width - len(before)), placeholder=" ...")


def _line(text: str, options: ConsoleOptions, style: str = "") -> Text:
    """One line of the screen, cut off where that ends."""
    text = to_ascii(text) if options.ascii_only else text
    line = Text(text, style=style, no_wrap=True, overflow="crop" if options.ascii_only else "ellipsis")
    line.truncate(options.max_width)
    return line
