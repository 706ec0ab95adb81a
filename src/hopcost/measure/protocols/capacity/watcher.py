"""Who hears how far a search for capacities is, beside what every run's watcher hears."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from hopcost.measure.watcher import RunWatcher, Watcher
from hopcost.plan.plan import Plan
from hopcost.statistics.questions.capacity.fit import KnownSoFar


class CapacityWatcher(Watcher, Protocol):
    """Hears of every probe."""

    def offers(self, rates: Mapping[str, float]) -> None:
        """A probe begins: requests per second by arm."""

    def knows(self, arms: Mapping[str, KnownSoFar]) -> None:
        """It has ended: what is known of each arm by now."""


class CapacityRunWatcher(RunWatcher, Protocol):
    """Names the watcher of the probes."""

    def run_begins(self, plan: Plan, record: Path) -> AbstractContextManager[CapacityWatcher]:
        """The watcher of the starts; its context ends with the last one, or with the error."""
