"""What the page asks of a history. The database answers it, or in tests a list."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Protocol

from hopcost.history.points import KeptRecord, Search, Series


class Kept(Protocol):
    """The part of `hopcost.history.history.History` that reads."""

    def records(self, search: Search, limit: int, before: int = 0) -> Sequence[KeptRecord]:
        """Newest first; `before` is how many newer ones are left out."""

    def count(self, search: Search) -> int:
        """How many records a search finds."""

    def record(self, digest: str) -> KeptRecord:
        """The one whose digest begins so; UsageError if there is none, or several."""

    def figures(self, suite: str, experiment: str, arm: str) -> Sequence[str]:
        """The figures that an arm has points of."""

    def series(
        self,
        suite: str,
        experiment: str,
        arm: str,
        figure: str,
        *,
        since: datetime.datetime | None = None,
        labels: Mapping[str, str] = ...,
        machine: str | None = None,
    ) -> Sequence[Series]:
        """Points that may stand beside each other."""

    def arms(self) -> Sequence[tuple[str, str, str]]:
        """Suite, experiment and arm of everything that has points."""
