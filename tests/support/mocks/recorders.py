"""Watchers that only remember what they heard of a run, in order."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Ending
from hopcost.statistics.precision.precision import Forecast


class Recorder:
    """A watcher that only remembers."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def experiment_begins(self, experiment: PlannedExperiment) -> None:
        self.seen.append(f"experiment {experiment.name}")

    def forecast(self, experiment: PlannedExperiment, forecast: Forecast) -> None:
        self.seen.append(f"forecast {forecast.blocks} blocks")

    def block_begins(self, experiment: PlannedExperiment, number: int) -> None:
        self.seen.append(f"block {number} of {experiment.name}")

    def arm_runs(self, arm: str, doing: str) -> None:
        if not self.seen or self.seen[-1] != f"{doing} {arm}":
            self.seen.append(f"{doing} {arm}")

    def block_ends(self, done: Block) -> None:
        self.seen.append(f"end {done.number} {done.validity}")

    def experiment_ends(self, ending: Ending) -> None:
        self.seen.append(f"experiment {ending.experiment} ends")


class RunRecorder:
    """Hears of a run, and remembers what its blocks' watchers hear."""

    def __init__(self) -> None:
        self.watcher = Recorder()

    def program_builds(self, name: str) -> AbstractContextManager[None]:
        return nullcontext()

    def build_failed(self, reason: str) -> None:
        self.watcher.seen.append(reason)

    def leftover_removed(self, leftover: object) -> None:
        self.watcher.seen.append(f"removed {leftover}")

    def network_is_shared(self, network: object) -> None:
        self.watcher.seen.append("shared network")

    def waits_for_quiet(self, who: str, left_s: float) -> None:
        self.watcher.seen.append(f"waits for {who}")

    def is_not_quiet(self, who: str) -> None:
        self.watcher.seen.append(f"not quiet: {who}")

    def run_begins(self, plan: Plan, record: Path) -> AbstractContextManager[Recorder]:
        return nullcontext(self.watcher)
