"""The rows of charts: plain dicts from a record and its summary, in the units of the axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hopcost.plan.method import METHOD
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record import histogram
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.offered_load import OpenLoad
from hopcost.report import formatting
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.figures import load_at
from hopcost.statistics.summary import open_loop
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.statistics.validity.reasons import group_reasons

Row = dict[str, Any]

CURVE = (0.01, 0.05, *(n / 100 for n in range(10, 90, 5)), *(n / 100 for n in range(90, 99)), 0.99, 0.995, 0.998, 0.999)
LABELS = {Validity.SUSPECT: "disturbed", Validity.VOID: "void"}


def at(experiment: ExperimentSummary) -> str:
    """The experiment's place in its sweep: `connections 64`. Empty without a sweep."""
    return f"{formatting.swept_key(experiment)} {formatting.swept_value(experiment)}".strip()


def curves(experiment: ExperimentSummary, blocks: Sequence[Block], share: float) -> list[Row]:
    """Response time in µs by quantile, of every arm and of the A/A arm.

    A quantile needs 100 samples beyond it.
    """
    arms = PairedBlocks(experiment.plan, blocks)
    rows = []
    for planned in experiment.plan.arms:
        loads = [load for part in arms.of(planned.name) if (load := load_at(part, share)) is not None]
        for q, ns in _quantiles(loads):
            rows.append({"stack": planned.name, "q": q, "beyond": 1 / (1 - q), "us": ns / 1000})
    return rows


def _quantiles(loads: Sequence[OpenLoad]) -> list[tuple[float, int]]:
    answered, waiting = open_loop.response_times(loads)
    samples = answered.total + waiting.total
    quantiles = [q for q in CURVE if samples * (1 - q) >= METHOD.min_samples_beyond]
    values = histogram.quantiles(answered, waiting, quantiles)
    return [(q, value[0]) for q, value in zip(quantiles, values, strict=True) if value is not None and value[1]]


def slices(blocks: Sequence[Block], at_most: int) -> tuple[list[Row], list[Row]]:
    """Throughput of each arm's slices over time, and the span of each start, in seconds since the first slice.

    Neighbouring rounds of a start are merged until about `at_most` points are left.
    """
    parts = [(block, part) for block in blocks for part in block.arms if part.slices]
    if not parts:
        return [], []
    begin_ns = min(part.slices[0].start_ns for _, part in parts)
    rounds_per_point = math.ceil(sum(len(part.slices) for _, part in parts) / at_most)
    rows = [row for block, part in parts for row in _slices(block, part, begin_ns, rounds_per_point)]
    spans = []
    for block in blocks:
        slices = [slice for part in block.arms for slice in part.slices]
        if slices:
            spans.append(
                {
                    "from": (min(slice.start_ns for slice in slices) - begin_ns) / 1e9,
                    "to": (max(slice.start_ns + slice.elapsed_ns for slice in slices) - begin_ns) / 1e9,
                    "label": LABELS.get(block.validity, ""),
                    "why": "; ".join(
                        kind.words() for kind in group_reasons((block.number, text) for text in block.reasons)
                    ),
                    "start": block.number + 1,
                }
            )
    return rows, spans


def _slices(block: Block, part: ArmBlock, begin_ns: int, rounds_per_point: int) -> list[Row]:
    rows = []
    for first in range(0, len(part.slices), rounds_per_point):
        group = part.slices[first : first + rounds_per_point]
        elapsed_ns = sum(slice.elapsed_ns for slice in group)
        if elapsed_ns:
            rows.append(
                {
                    "stack": part.name,
                    "t": round((group[0].start_ns - begin_ns) / 1e9, 2),
                    "per_s": round(sum(slice.answers for slice in group) * 1e9 / elapsed_ns),
                    "start": block.number + 1,
                }
            )
    return rows


def sweep(points: Sequence[ExperimentSummary]) -> list[Row]:
    """Throughput, ratio and share of errors of each arm at each value of a sweep, in the suite's order."""
    rows = []
    for order, experiment in enumerate(points):
        for arm in experiment.arms:
            failed = sum(arm.errors.values())
            row: Row = {
                "value": formatting.swept_value(experiment),
                "order": order,
                "stack": arm.name,
                "per_s": arm.throughput_per_s,
                "errors": failed / (failed + arm.answers) if failed + arm.answers else None,
            }
            if arm.published is not None:
                row["published_per_s"] = arm.published.throughput_per_s
            if arm.ratio is not None and arm.name != experiment.plan.baseline:
                row["ratio"] = arm.ratio.value
            rows.append(row)
    return rows


def published(experiment: ExperimentSummary) -> list[Row]:
    """Measured and published ratios of the arms that have both, without the baseline."""
    return [
        {
            "stack": arm.name,
            "ratio": arm.ratio.value,
            "low": arm.ratio.value if arm.ratio.low is None else arm.ratio.low,
            "high": arm.ratio.value if arm.ratio.high is None else arm.ratio.high,
            "published": arm.published_ratio,
        }
        for arm in experiment.arms
        if arm.ratio is not None and arm.published_ratio is not None and arm.name != experiment.plan.baseline
    ]
