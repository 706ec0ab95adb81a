"""The progress of a run in a log: one line for each block."""

from __future__ import annotations

from rich.console import Console

from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Ending, StopReason
from hopcost.report.brief.reasons import plainer
from hopcost.report.formats.text.wrapping import to_ascii
from hopcost.report.live.clock import minutes
from hopcost.report.live.disturbed import Told, failure_lines
from hopcost.report.live.so_far import SoFar
from hopcost.report.notes.scope import is_of_servers, of_blocks, of_servers
from hopcost.statistics.precision.precision import Forecast


class LogLines:
    """A watcher that prints `one-core start 3/6  widest range ±23 %  0:20 left` after each block."""

    def __init__(self, console: Console, plan: Plan) -> None:
        self.console = console
        self.so_far = SoFar(plan)
        self.told = Told()

    def experiment_begins(self, experiment: PlannedExperiment) -> None:
        """Its first block will tell."""

    def forecast(self, experiment: PlannedExperiment, forecast: Forecast) -> None:
        self.so_far.expect(experiment, forecast)

    def block_begins(self, experiment: PlannedExperiment, number: int) -> None:  # noqa: ARG002
        self.so_far.begin(experiment)

    def arm_runs(self, arm: str, doing: str) -> None:
        """The block's line comes at its end."""

    def block_ends(self, block: Block) -> None:
        experiment = self.so_far.add(block)
        number, expected = self.so_far.starts(experiment), self.so_far.expected_starts(experiment)
        width = self.so_far.width(experiment)
        cells = [
            f"{experiment.name} start {number}" + (f"/{expected}" if expected is not None else ""),
            "no range yet" if width is None else f"widest range {width}",
            f"{minutes(self.so_far.clock.left_s)} left",
            self.told.about(block),
        ]
        self._print(of_blocks("  ".join(filter(None, cells)), experiment))
        for line in failure_lines(block):
            self._print(line)

    def experiment_ends(self, ending: Ending) -> None:
        self.so_far.end(ending)
        if ending.why == StopReason.FAILED:
            self._print(f"{ending.experiment} ends: {plainer(ending.detail)}")

    def _print(self, line: str) -> None:
        line = of_servers(line) if is_of_servers(self.so_far.plan) else line
        line = to_ascii(line) if self.console.options.ascii_only else line
        self.console.print(line, markup=False, soft_wrap=True)
