"""What the default report shows of an experiment."""

from __future__ import annotations

from enum import Enum


class ShownTable(Enum):
    """Throughput and what a hop adds; or what a hop costs beside what it buys."""

    THROUGHPUT = "throughput"
    WORTH = "worth"
