"""How far a run is, in plain lines; the clock and the words that the live view shares."""

from __future__ import annotations

import time

from rich.console import Console

from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.record.block import Block
from hopcost.report.formatting import reached
from hopcost.statistics import stop
from hopcost.statistics.precision import Forecast


class Clock:
    """The time of one experiment, and of the run."""

    def __init__(self, budget_s: float) -> None:
        self.began = self.deadline = time.monotonic()
        self.ends = self.began + budget_s
        self.expected: float | None = None

    def start(self, deadline: float) -> None:
        """An experiment begins, which has until then."""
        self.began, self.deadline, self.expected = time.monotonic(), deadline, None

    def expect(self, forecast: Forecast) -> None:
        """It is expected to be precise enough before that."""
        self.expected = time.monotonic() + forecast.seconds

    @property
    def left_s(self) -> float:
        """Until the experiment's time is over."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def expected_s(self) -> float | None:
        """Until it is expected to be precise enough, and no longer than its time; None before anything is known."""
        return None if self.expected is None else min(self.left_s, max(0.0, self.expected - time.monotonic()))

    @property
    def run_left_s(self) -> float:
        """Until the time of all experiments is over."""
        return max(0.0, self.ends - time.monotonic())

    @property
    def share(self) -> float:
        """Of the experiment's time, as far as it is expected, that is gone."""
        gone = time.monotonic() - self.began
        left = self.left_s if self.expected_s is None else self.expected_s
        return gone / max(gone + left, 1e-9)


class PlainLines:
    """A line per block, for logs."""

    def __init__(self, console: Console, plan: Plan) -> None:
        self.console = console
        self.plan = plan
        self.clock = Clock(plan.budget_s)
        self.experiment: PlannedExperiment | None = None
        self.blocks: list[Block] = []
        self.said: int | None = None

    def experiment_begins(self, experiment: PlannedExperiment, blocks: int, deadline: float) -> None:
        self.clock.start(deadline)
        self.experiment, self.blocks, self.said = experiment, [], None
        self._say(
            f"{experiment.name}{of_how_many(self.plan, experiment)}: at most {blocks} blocks of"
            f" {len(experiment.arms)} arms, {self.clock.left_s:.0f} s"
        )

    def forecast(self, forecast: Forecast) -> None:
        assert self.experiment is not None, "it has begun"
        if forecast.blocks != self.said:
            self.said = forecast.blocks
            self._say(f"{self.experiment.name}: expected: {expected(forecast)}")

    def block_begins(self, number: int) -> None:
        pass

    def arm_runs(self, arm: str, doing: str) -> None:
        pass

    def block_ends(self, block: Block) -> None:
        assert self.experiment is not None, "it has begun"
        self.blocks.append(block)
        widest = stop.widest_interval(self.experiment, stop.arms_so_far(self.plan, self.experiment, self.blocks))
        ratios = "" if widest is None else f", {reached(widest)}"
        self._say(
            f"{block.experiment}: block {block.number + 1} {block.validity}{ratios}, {self.clock.left_s:.0f} s left"
        )
        for line in faults(block):
            self._say(line)

    def _say(self, line: str) -> None:
        self.console.print(line, markup=False, soft_wrap=True)


def of_how_many(plan: Plan, experiment: PlannedExperiment) -> str:
    """` (2 of 3)`; nothing where there is only one."""
    names = [each.name for each in plan.experiments]
    return f" ({names.index(experiment.name) + 1} of {len(names)})" if len(names) > 1 else ""


def expected(forecast: Forecast) -> str:
    """`±1.2% after 10 blocks, in 95 s`."""
    return f"±{forecast.half_width:.1%} after {forecast.blocks} blocks, in {forecast.seconds:.0f} s"


def faults(block: Block) -> list[str]:
    """What went wrong in a block, a line each."""
    lines = [f"block {block.number + 1} is {block.validity}: {reason}" for reason in block.reasons]
    return lines + [f"{failure.arm} failed: {failure.message}" for failure in block.failures]
