"""The live view of a run: where it is, how long it will take, and the figures so far.

The view must cost little while slices run. It computes the figures and lays out their table once for each block. Once
a second it draws the screen from that layout. A step of the run only sets a few fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from hopcost.errors import printable
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.record.block import Block
from hopcost.record.run import Ending
from hopcost.report.formatting import ABSENT, CONFIDENCE, difference, interval
from hopcost.report.live.progress import Clock, expected, faults, position
from hopcost.statistics import stop
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.precision import Forecast
from hopcost.statistics.stop import ArmSoFar

REDRAWS_PER_S = 1.0
FAULTS_SHOWN = 4
BAR = 24  # columns


@contextmanager
def live(console: Console, plan: Plan) -> Iterator[View]:
    """A view that is drawn until the run ends and then removed: the report takes its place."""
    view = View(console, plan)
    with Live(view, console=console, refresh_per_second=REDRAWS_PER_S, transient=True, redirect_stdout=False) as screen:
        view.screen = screen
        yield view


class View:
    """A watcher that rich can draw."""

    def __init__(self, console: Console, plan: Plan) -> None:
        self.console = console
        self.plan = plan
        self.screen: Live | None = None
        self.clock = Clock(plan.time_s)
        self.experiment: PlannedExperiment | None = None
        self.block = 0
        self.round = 0
        self.doing = ""
        self.targets: dict[str, Forecast] = {}
        self.blocks: dict[str, list[Block]] = {experiment.name: [] for experiment in plan.experiments}
        self.faults: list[str] = []
        self.laid_out: tuple[ConsoleOptions, list[list[Segment]]] | None = None

    def experiment_begins(self, experiment: PlannedExperiment) -> None:
        self._show(experiment)

    def forecast(self, experiment: PlannedExperiment, forecast: Forecast) -> None:
        self.targets[experiment.name] = forecast
        self.clock.expect(experiment.name, forecast)

    def block_begins(self, experiment: PlannedExperiment, number: int) -> None:
        self._show(experiment)
        self.block = number

    def _show(self, experiment: PlannedExperiment) -> None:
        self.experiment, self.block, self.round, self.doing, self.laid_out = experiment, 0, 0, "", None

    def arm_runs(self, arm: str, doing: str) -> None:
        """Called after every slice."""
        assert self.experiment is not None, "experiment_begins comes first"
        if doing != "load":
            self.round = 0
        elif arm == self.experiment.baseline:
            self.round += 1
        self.doing = f"{doing} {arm}"

    def block_ends(self, block: Block) -> None:
        self.blocks[block.experiment].append(block)
        self.faults += [printable(line).splitlines()[0] for line in faults(block)]
        self.laid_out = None
        if self.screen is not None:
            self.screen.refresh()  # lay out the table now, while no slice runs

    def experiment_ends(self, ending: Ending) -> None:
        self.clock.ends(ending.experiment)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.experiment is None:
            return
        for line in self._headings(self.experiment):
            yield Text(line, no_wrap=True, overflow="ellipsis")
        yield from self._time(self.experiment)
        if self.laid_out is None or self.laid_out[0] != options:
            self.laid_out = (options, console.render_lines(self._table(self.experiment), options, pad=False))
        for segments in self.laid_out[1]:
            yield from segments
            yield Segment.line()
        hidden = len(self.faults) - FAULTS_SHOWN
        if hidden > 0:
            yield Text(f"… {hidden} more before", style="yellow", no_wrap=True)
        for fault in self.faults[-FAULTS_SHOWN:]:
            yield Text(fault, style="yellow", no_wrap=True, overflow="ellipsis")

    def _headings(self, experiment: PlannedExperiment) -> Iterator[str]:
        yield f"{self.plan.suite}/{experiment.name}{position(self.plan, experiment)}: {experiment.question}"
        place = f"block {self.block + 1}" + (f", round {self.round}" if self.round else "")
        yield f"{place}: {self.doing}" if self.doing else place

    def _time(self, experiment: PlannedExperiment) -> Iterator[Table]:
        lines = [f"at most {clock(self.clock.left_s)}"]
        target = self.targets.get(experiment.name)
        if self.clock.expected_s is not None and target is not None:
            lines.insert(0, f"about {clock(self.clock.expected_s)} left: {expected(target)}")
        grid = Table.grid(padding=(0, 1))
        grid.add_column(width=BAR)
        grid.add_column(no_wrap=True, overflow="ellipsis")
        bar = ProgressBar(total=1.0, completed=min(1.0, self.clock.share), width=BAR)
        for number, line in enumerate(lines):
            grid.add_row(bar if number == 0 else "", Text(line))
        yield grid

    def _table(self, experiment: PlannedExperiment) -> Table:
        grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        grid.add_column("arm", no_wrap=True, overflow="ellipsis")
        for name in (f"ratio [{CONFIDENCE}]", f"CPU added, µs [{CONFIDENCE}]", "errors"):
            grid.add_column(Text(name), justify="right", no_wrap=True)
        for arm in stop.arms_so_far(PairedBlocks(experiment, self.blocks[experiment.name])):
            grid.add_row(*(Text(cell) for cell in _cells(experiment, arm)))
        return grid


def _cells(experiment: PlannedExperiment, arm: ArmSoFar) -> list[str]:
    if arm.has_failed:
        return [arm.name, "failed", ABSENT, ABSENT]
    if arm.name == experiment.baseline:
        return [arm.name, "1 (baseline)", ABSENT, f"{arm.errors:,}"]
    return [arm.name, interval(arm.ratio), difference(arm.cpu_added_ns), f"{arm.errors:,}"]


def clock(seconds: float) -> str:
    """Minutes and seconds.

    >>> clock(9.4), clock(125)
    ('0:09', '2:05')
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
