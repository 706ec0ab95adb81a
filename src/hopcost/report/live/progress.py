"""The progress of a run in plain lines, and the clock and words that the live view uses too."""

from __future__ import annotations

import time

from rich.console import Console

from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.record.block import Block
from hopcost.report.formatting import reached
from hopcost.statistics import stop
from hopcost.statistics.precision import Forecast


class Clock:
    """The time that an experiment and the whole run have left."""

    def __init__(self, time_s: float) -> None:
        self.start_s = self.deadline = time.monotonic()
        self.end_s = self.start_s + time_s
        self.expected: float | None = None

    def start(self, deadline: float) -> None:
        """An experiment begins; it may run until the deadline."""
        self.start_s, self.deadline, self.expected = time.monotonic(), deadline, None

    def expect(self, forecast: Forecast) -> None:
        """The experiment is expected to be precise enough then."""
        self.expected = time.monotonic() + forecast.seconds

    @property
    def left_s(self) -> float:
        """Seconds until the experiment's deadline."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def expected_s(self) -> float | None:
        """Seconds until it is expected to be precise enough, at most `left_s`. None before the first forecast."""
        return None if self.expected is None else min(self.left_s, max(0.0, self.expected - time.monotonic()))

    @property
    def run_left_s(self) -> float:
        """Seconds until the time of all experiments is over."""
        return max(0.0, self.end_s - time.monotonic())

    @property
    def share(self) -> float:
        """The share of the experiment's expected time that has passed."""
        passed = time.monotonic() - self.start_s
        left = self.left_s if self.expected_s is None else self.expected_s
        return passed / max(passed + left, 1e-9)


class PlainLines:
    """A watcher that prints a line per block, for logs."""

    def __init__(self, console: Console, plan: Plan) -> None:
        self.console = console
        self.plan = plan
        self.clock = Clock(plan.time_s)
        self.experiment: PlannedExperiment | None = None
        self.blocks: list[Block] = []
        self.forecast_blocks: int | None = None

    def experiment_begins(self, experiment: PlannedExperiment, blocks: int, deadline: float) -> None:
        self.clock.start(deadline)
        self.experiment, self.blocks, self.forecast_blocks = experiment, [], None
        self._print(
            f"{experiment.name}{position(self.plan, experiment)}: at most {blocks} blocks of"
            f" {len(experiment.arms)} arms, {self.clock.left_s:.0f} s"
        )

    def forecast(self, forecast: Forecast) -> None:
        assert self.experiment is not None, "experiment_begins comes first"
        if forecast.blocks != self.forecast_blocks:
            self.forecast_blocks = forecast.blocks
            self._print(f"{self.experiment.name}: expected: {expected(forecast)}")

    def block_begins(self, number: int) -> None:
        pass

    def arm_runs(self, arm: str, doing: str) -> None:
        pass

    def block_ends(self, block: Block) -> None:
        assert self.experiment is not None, "experiment_begins comes first"
        self.blocks.append(block)
        widest = stop.widest_interval(self.experiment, stop.arms_so_far(self.plan, self.experiment, self.blocks))
        ratios = "" if widest is None else f", {reached(widest)}"
        self._print(
            f"{block.experiment}: block {block.number + 1} {block.validity}{ratios}, {self.clock.left_s:.0f} s left"
        )
        for line in faults(block):
            self._print(line)

    def _print(self, line: str) -> None:
        self.console.print(line, markup=False, soft_wrap=True)


def position(plan: Plan, experiment: PlannedExperiment) -> str:
    """` (2 of 3)`; empty if there is only one experiment."""
    names = [planned.name for planned in plan.experiments]
    return f" ({names.index(experiment.name) + 1} of {len(names)})" if len(names) > 1 else ""


def expected(forecast: Forecast) -> str:
    """`±1.2% after 10 blocks, in 95 s`."""
    return f"±{forecast.half_width:.1%} after {forecast.blocks} blocks, in {forecast.seconds:.0f} s"


def faults(block: Block) -> list[str]:
    """A line for each fault of a block."""
    lines = [f"block {block.number + 1} is {block.validity}: {reason}" for reason in block.reasons]
    return lines + [f"{failure.arm} failed: {failure.message}" for failure in block.failures]
