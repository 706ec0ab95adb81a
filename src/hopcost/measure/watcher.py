"""Who hears how far a run is. A watcher must be cheap: slices run meanwhile."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Ending
from hopcost.stacks.sandbox.leftovers import Leftover
from hopcost.stacks.sandbox.network import Network
from hopcost.statistics.precision.precision import Forecast


class RunWatcher(Protocol):
    """Hears what comes before the blocks, and names the watcher of the blocks."""

    def program_builds(self, name: str) -> AbstractContextManager[None]:
        """A program was not built yet, and is built now."""

    def build_failed(self, reason: str) -> None:
        """A program could not be built."""

    def leftover_removed(self, leftover: Leftover) -> None:
        """A dead run had left it."""

    def network_is_shared(self, network: Network) -> None:
        """The stacks have no network namespaces of their own."""

    def waits_for_quiet(self, who: str, left_s: float) -> None:
        """Other programs take too much of the cores; the run waits so long for them at most. Called once a second."""

    def is_not_quiet(self, who: str) -> None:
        """The run begins though other programs take some of the cores."""

    def run_begins(self, plan: Plan, record: Path) -> AbstractContextManager[Watcher]:
        """The watcher of the blocks; its context ends with the last block, or with the error."""


class Watcher(Protocol):
    """Hears of every step of the blocks; those of several experiments take turns."""

    def experiment_begins(self, experiment: PlannedExperiment) -> None:
        """Before its first block."""

    def forecast(self, experiment: PlannedExperiment, forecast: Forecast) -> None:
        """What is expected of the experiment's blocks to come."""

    def block_begins(self, experiment: PlannedExperiment, number: int) -> None:
        """Blocks of an experiment count from 0."""

    def arm_runs(self, arm: str, doing: str) -> None:
        """The arm that is started, warmed up or loaded now."""

    def block_ends(self, block: Block) -> None:
        """The block as recorded."""

    def experiment_ends(self, ending: Ending) -> None:
        """It has no further block."""


class Silent:
    """A watcher that says nothing."""

    def experiment_begins(self, experiment: PlannedExperiment) -> None:
        """Nothing."""

    def forecast(self, experiment: PlannedExperiment, forecast: Forecast) -> None:
        """Nothing."""

    def block_begins(self, experiment: PlannedExperiment, number: int) -> None:
        """Nothing."""

    def arm_runs(self, arm: str, doing: str) -> None:
        """Nothing."""

    def block_ends(self, block: Block) -> None:
        """Nothing."""

    def experiment_ends(self, ending: Ending) -> None:
        """Nothing."""
