"""What a person sees of a run: programs that are built, arms that are left out, blocks, the record's path."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from hopcost.cli.program import as_called
from hopcost.errors import CannotMeasure, Interrupted, MeasurementFailed
from hopcost.measure.watcher import Silent, Watcher
from hopcost.plan.plan import Plan
from hopcost.plan.slices import least_time_s
from hopcost.plan.turns import Scope
from hopcost.record.contents.run import Record
from hopcost.record.names import FOLDER
from hopcost.report.live.clock import minutes
from hopcost.report.live.watch import can_draw, watch
from hopcost.stacks.sandbox.leftovers import Leftover
from hopcost.stacks.sandbox.network import COST, Network

WAIT_LINE_S = 10.0  # between two lines about a wait


class Screen:
    """Hears of a run, and writes lines to a console."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._waited_for_s: float | None = None  # when the last line of a wait was written: seconds left then

    @contextmanager
    def program_builds(self, name: str) -> Iterator[None]:
        """On a terminal the seconds are counted; elsewhere it is one line."""
        if not can_draw(self.console):
            self._say(f"building {name}")
            yield
            return
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        words = TextColumn(f"building {name}, the first time only")
        with Progress(SpinnerColumn(), words, TimeElapsedColumn(), console=self.console, transient=True) as progress:
            progress.add_task("", total=None)
            yield

    def build_failed(self, reason: str) -> None:
        self._warn(f"warning: {reason}", soft_wrap=False)

    def leftover_removed(self, leftover: Leftover) -> None:
        self._say(f"removed what a dead run left: {leftover.kind.value} {leftover.what}")

    def network_is_shared(self, network: Network) -> None:
        self._warn(f"no network namespaces: {network.why}; {COST}")

    def waits_for_quiet(self, who: str, left_s: float) -> None:
        if self._waited_for_s is None or self._waited_for_s - left_s >= WAIT_LINE_S:
            self._waited_for_s = left_s
            self._warn(f"waiting for quiet, up to {left_s:.0f} s: {who}")

    def is_not_quiet(self, who: str) -> None:
        self._warn(f"other programs compute: {who}; what is measured beside them counts as disturbed")

    @contextmanager
    def run_begins(self, plan: Plan, record: Path) -> Iterator[Watcher]:
        if not can_draw(self.console):  # a view says it all the time
            names = ", ".join(experiment.name for experiment in plan.experiments)
            self._say(f"{plan.suite}: {names}; {_length(plan)}; record: {record}")
        if least_time_s(plan) > plan.time_s:
            are_running = plan.experiments[0].scope is Scope.PROCESSES
            first = "one batch of turns" if are_running else "one start of every stack"
            fewer = "; fewer experiments take less" if len(plan.experiments) > 1 else ""
            self._warn(f"{minutes(plan.time_s)} is too short: {first} takes {_length(plan)}{fewer}")
        for left in [*plan.left_out, *(left for experiment in plan.experiments for left in experiment.left_out)]:
            self._warn(f"not measured: {left.words()}")
        try:
            if self.console.quiet:
                yield Silent()
                return
            again = as_called("hopcost report latest" if record.parent == FOLDER else report_command(record))
            with watch(self.console, plan, again) as watcher:
                yield watcher
        except (MeasurementFailed, CannotMeasure):
            self._say(f"the record so far: {report_command(record)}")
            raise

    def _say(self, line: str) -> None:
        self.console.print(as_called(line), markup=False, soft_wrap=True)

    def _warn(self, line: str, *, soft_wrap: bool = True) -> None:
        self.console.print(as_called(line), style="yellow", markup=False, soft_wrap=soft_wrap)


def _length(plan: Plan) -> str:
    """`up to 2:54`, or `about 13:10` if the first starts alone take more than the time."""
    least_s = least_time_s(plan)
    return f"up to {minutes(plan.time_s)}" if least_s <= plan.time_s else f"about {minutes(least_s)}"


def refuse_nothing(console: Console, record: Record) -> None:
    """Interrupted, and two lines that say so, if not one start was done before."""
    if not record.blocks and not record.repeats:
        console.print("interrupted before the first start was done: nothing to report")
        console.print(f"record: {record.path}", markup=False, soft_wrap=True)
        raise Interrupted("before the first start was done")


def report_command(record: Path) -> str:
    """The command that shows a record again."""
    return f"hopcost report {shlex.quote(str(record))}"
