"""What the page asks of a history. The database answers it, or in tests a list."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Protocol

from hopcost.history.contents.summary import KeptExperiment
from hopcost.history.points import KeptRecord, Point, Search, Series


class Kept(Protocol):
    """The part of `hopcost.history.history.History` that the page uses: it only reads."""

    def records(self, search: Search, limit: int, offset: int) -> Sequence[KeptRecord]:
        """A page of those that a search finds, the newest first."""

    def count(self, search: Search) -> int:
        """How many a search finds."""

    def record(self, digest: str) -> KeptRecord:
        """The one whose digest begins so; UsageError if none does, or several do."""

    def points(self, digest: str) -> Sequence[Point]:
        """Those of one record, by its whole digest."""

    def summary(self, digest: str) -> Sequence[KeptExperiment]:
        """What a record came to, in short; empty if it is not kept."""

    def figures(self, suite: str, experiment: str, arm: str) -> Sequence[str]:
        """Names of the figures that an arm has points of."""

    def series(
        self,
        suite: str,
        experiment: str,
        arm: str,
        figure: str,
        *,
        since: datetime.datetime | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Sequence[Series]:
        """A figure over time, apart by machine, method and configuration; that with the newest point comes first."""

    def arms(self) -> Sequence[tuple[str, str, str]]:
        """(suite, experiment, arm) of everything that has points."""
