"""What the article printed of an arm, beside our figures of it."""

from __future__ import annotations

from hopcost.plan.plan import PlannedExperiment
from hopcost.suites.articles.published import Published


def published_figures(planned: PlannedExperiment, arm: str) -> tuple[Published | None, float | None]:
    """The article's row of the arm, and its throughput ÷ that of the control group; None if it did not print them."""
    rows = {row.arm: row for row in planned.published}
    row, control = rows.get(arm), rows.get(planned.control or "")
    if row is None or control is None or row.throughput_per_s is None or control.throughput_per_s is None:
        return row, None
    return row, row.throughput_per_s / control.throughput_per_s
