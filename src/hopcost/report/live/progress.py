"""The progress of a run in plain lines, and the clock and words that the live view uses too."""

from __future__ import annotations

import time

from rich.console import Console

from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.record.block import Block
from hopcost.record.run import Ending
from hopcost.report.formatting import number, reached
from hopcost.report.notes.void_loads import words
from hopcost.statistics import stop
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.precision import Forecast
from hopcost.statistics.validity.reasons import shorten_reasons


class Clock:
    """The time that a run has left."""

    def __init__(self, time_s: float) -> None:
        self.start_s = time.monotonic()
        self.end_s = self.start_s + time_s
        self._expected: dict[str, float] = {}  # seconds of its own that each experiment is expected to take from now
        self._since_s = self.start_s

    def expect(self, experiment: str, forecast: Forecast) -> None:
        """The experiment is expected to be precise enough then."""
        self._expected[experiment] = forecast.seconds
        self._since_s = time.monotonic()

    def ends(self, experiment: str) -> None:
        """The experiment takes no more time."""
        self._expected.pop(experiment, None)

    @property
    def left_s(self) -> float:
        """Seconds until the run's time is over."""
        return max(0.0, self.end_s - time.monotonic())

    @property
    def expected_s(self) -> float | None:
        """Seconds until all experiments are expected to end, at most `left_s`. None before the first forecast."""
        if not self._expected:
            return None
        return min(self.left_s, max(0.0, self._since_s + sum(self._expected.values()) - time.monotonic()))

    @property
    def share(self) -> float:
        """The share of the run's expected time that has passed."""
        passed = time.monotonic() - self.start_s
        left = self.left_s if self.expected_s is None else self.expected_s
        return passed / max(passed + left, 1e-9)


class PlainLines:
    """A watcher that prints a line per block, for logs."""

    def __init__(self, console: Console, plan: Plan) -> None:
        self.console = console
        self.plan = plan
        self.clock = Clock(plan.time_s)
        self.experiments = {experiment.name: experiment for experiment in plan.experiments}
        self.blocks: dict[str, list[Block]] = {name: [] for name in self.experiments}
        self.forecast_blocks: dict[str, int] = {}

    def experiment_begins(self, experiment: PlannedExperiment) -> None:
        self._print(f"{experiment.name}{position(self.plan, experiment)}: {len(experiment.arms)} arms")

    def forecast(self, experiment: PlannedExperiment, forecast: Forecast) -> None:
        if forecast.blocks != self.forecast_blocks.get(experiment.name):
            self.forecast_blocks[experiment.name] = forecast.blocks
            self._print(f"{experiment.name}: expected: {expected(forecast)}")

    def block_begins(self, experiment: PlannedExperiment, number: int) -> None:
        pass

    def arm_runs(self, arm: str, doing: str) -> None:
        pass

    def block_ends(self, block: Block) -> None:
        experiment, blocks = self.experiments[block.experiment], self.blocks[block.experiment]
        blocks.append(block)
        widest = stop.widest_interval(experiment, stop.arms_so_far(PairedBlocks(experiment, blocks)))
        ratios = "" if widest is None else f", {reached(widest)}"
        self._print(
            f"{block.experiment}: block {block.number + 1} {block.validity}{ratios}, {self.clock.left_s:.0f} s left"
        )
        for line in faults(block):
            self._print(line)

    def experiment_ends(self, ending: Ending) -> None:
        self._print(f"{ending.experiment}: {ending.detail}")

    def _print(self, line: str) -> None:
        self.console.print(line, markup=False, soft_wrap=True)


def position(plan: Plan, experiment: PlannedExperiment) -> str:
    """` (2 of 3)`; empty if there is only one experiment."""
    names = [planned.name for planned in plan.experiments]
    return f" ({names.index(experiment.name) + 1} of {len(names)})" if len(names) > 1 else ""


def expected(forecast: Forecast) -> str:
    """`±1.2% after 10 blocks`."""
    return f"±{forecast.half_width:.1%} after {forecast.blocks} blocks"


def faults(block: Block) -> list[str]:
    """A line for the reasons of a block, one for each load that does not count and one for each arm that failed."""
    lines = [f"block {block.number + 1} is {block.validity}: {shorten_reasons(block.reasons)}"] if block.reasons else []
    lines += [
        f"block {block.number + 1} does not count at {number(load.rate_per_s)}/s: {words(load.faults)}"
        for load in block.void_loads
    ]
    return lines + [f"{failure.arm} failed: {failure.message}" for failure in block.failures]
