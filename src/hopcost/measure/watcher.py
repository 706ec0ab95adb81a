"""Who is told how far a run is. It must be cheap, since slices run meanwhile."""

from __future__ import annotations

from typing import Protocol

from hopcost.plan.plan import PlannedExperiment
from hopcost.record.block import Block
from hopcost.statistics.precision import Forecast


class Watcher(Protocol):
    """Hears of every step."""

    def experiment_begins(self, experiment: PlannedExperiment, blocks: int, deadline: float) -> None:
        """`deadline` on the monotonic clock, in seconds."""

    def forecast(self, forecast: Forecast) -> None:
        """What is expected of the blocks to come."""

    def block_begins(self, number: int) -> None:
        """Blocks count from 0."""

    def arm_runs(self, arm: str, doing: str) -> None:
        """The arm that is started, warmed up or loaded now."""

    def block_ends(self, block: Block) -> None:
        """The block as recorded."""


class Silent:
    """A watcher that says nothing."""

    def forecast(self, forecast: Forecast) -> None:
        """Nothing."""

    def experiment_begins(self, experiment: PlannedExperiment, blocks: int, deadline: float) -> None:
        """Nothing."""

    def block_begins(self, number: int) -> None:
        """Nothing."""

    def arm_runs(self, arm: str, doing: str) -> None:
        """Nothing."""

    def block_ends(self, block: Block) -> None:
        """Nothing."""
