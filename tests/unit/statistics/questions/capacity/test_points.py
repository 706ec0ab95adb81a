"""The points of a curve: nearly equal rates together, quantiles only if enough requests tell them."""

from __future__ import annotations

from pathlib import Path

import msgspec
from mocks.queues import ONE_MS, QUESTION, QueueRig, searched

from hopcost.statistics.questions.capacity.points import ALIKE, points_of
from hopcost.statistics.questions.capacity.result import probes_of_arm


def test_points_hold_all_requests_and_grow(tmp_path: Path) -> None:
    answer = searched(QueueRig({"base": ONE_MS}), tmp_path, 60.0, "base")
    record = answer.record
    loads = [load for start in probes_of_arm(record.blocks, record.plan.experiments[0], "base") for load in start]
    points = points_of(loads, QUESTION.objectives)
    rates = [point.rate_per_s for point in points]
    assert rates == sorted(rates)
    assert sum(point.requests for point in points) == sum(load.slices[0].due or 0 for load in loads)
    assert points[0].response_time_ns["p99.9"] is None, "too few requests for it"
    few = msgspec.structs.replace(loads[0], rate_per_s=loads[0].rate_per_s * (ALIKE - 0.01))
    assert len(points_of([loads[0], few], QUESTION.objectives)) == 1
