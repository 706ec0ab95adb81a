"""Published figures against each other: in a closed loop connections = throughput × mean time (Little's law).

Where the two sides are far apart, the printed mean is no mean over all answers, or the throughput is another run's.
"""

from __future__ import annotations

import msgspec

from hopcost.suites.articles.published import Value
from hopcost.suites.experiments.sweep import points
from hopcost.suites.suite import Suite

TOLERANCE = 0.1  # tools leave out connecting, waiting between requests, and requests that timed out


class Row(msgspec.Struct, frozen=True):
    """An arm's published mean beside the one that its published throughput leaves room for."""

    experiment: str
    arm: str
    at: Value | None
    connections: int
    throughput_per_s: float
    published_ms: float

    @property
    def expected_ms(self) -> float:
        """Connections ÷ throughput."""
        return self.connections / self.throughput_per_s * 1000

    @property
    def agrees(self) -> bool:
        """Whether the two are within 10 % of each other."""
        return 1 / (1 + TOLERANCE) <= self.published_ms / self.expected_ms <= 1 + TOLERANCE


def rows(suite: Suite) -> list[Row]:
    """Every published row that has a throughput and a mean, in the suite's order."""
    listed = []
    for experiment in suite.experiments:
        for value, point in points(experiment):
            protocol = point.as_published
            asked = protocol.connections if protocol is not None else None
            for row in point.published:
                if row.throughput_per_s is not None and row.latency_mean_ms is not None:
                    listed.append(
                        Row(
                            experiment=experiment.name,
                            arm=row.arm,
                            at=value,
                            connections=asked or point.workload.connections,
                            throughput_per_s=row.throughput_per_s,
                            published_ms=row.latency_mean_ms,
                        )
                    )
    return listed
