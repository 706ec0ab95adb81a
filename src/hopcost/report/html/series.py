"""The rows of charts: plain dicts from a record and its summary, in the units of the axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hopcost.generators.engine_protocol import Validity
from hopcost.plan.method import METHOD
from hopcost.record import histogram
from hopcost.record.block import ArmBlock, Block, OpenLoad
from hopcost.report import formatting
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.figures import load_at
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary import open_loop
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.statistics.validity.reasons import group_reasons
from hopcost.suites.arm import COPY_SUFFIX

Row = dict[str, Any]

CURVE = (0.01, 0.05, *(n / 100 for n in range(10, 90, 5)), *(n / 100 for n in range(90, 99)), 0.99, 0.995, 0.998, 0.999)


def ratios(experiment: ExperimentSummary, figure: str) -> list[Row]:
    """A row for each arm beside the baseline, with or without an interval. For throughput the A/A arm comes last."""
    rows = []
    for arm in experiment.arms:
        comparison = arm.comparison(figure)
        if arm.name == experiment.plan.baseline or comparison is None or comparison.ratio is None:
            continue
        rows.append(_ratio(arm.name, comparison.ratio, formatting.verdict(arm, figure)))
    if figure == THROUGHPUT and experiment.aa_floor is not None and rows:
        rows.append(_ratio(experiment.plan.copied_arm + COPY_SUFFIX, experiment.aa_floor, "A/A"))
    return rows


def _ratio(arm: str, ratio: Interval, verdict: str) -> Row:
    return {
        "arm": arm,
        "ratio": ratio.value,
        "low": ratio.value if ratio.low is None else ratio.low,
        "high": ratio.value if ratio.high is None else ratio.high,
        "verdict": verdict,
        "shape": verdict.partition(",")[0],
        "label": f"{ratio.value:.3f} {verdict}",
    }


def cpu(experiment: ExperimentSummary, share: float | None) -> list[Row]:
    """CPU µs per request of every hop of every arm, at that share of capacity (None: at saturation)."""
    rows = []
    for arm in experiment.arms:
        start = 0.0
        for hop, ns in arm.cpu_at(share).items():
            if hop != "generator" and ns is not None:
                end = start + ns / 1000
                rows.append({"arm": arm.name, "hop": hop, "us": ns / 1000, "start": start, "end": end})
                start = end
    return rows


def curves(experiment: ExperimentSummary, blocks: Sequence[Block], share: float) -> list[Row]:
    """Response time in µs by quantile, of every arm and of the A/A arm.

    A quantile needs 100 samples beyond it.
    """
    arms = PairedBlocks(experiment.plan, blocks)
    rows = []
    for planned in experiment.plan.arms:
        loads = [load for part in arms.of(planned.name) if (load := load_at(part, share)) is not None]
        for q, ns in _quantiles(loads):
            rows.append({"arm": planned.name, "q": q, "beyond": 1 / (1 - q), "us": ns / 1000})
    return rows


def _quantiles(loads: Sequence[OpenLoad]) -> list[tuple[float, int]]:
    answered, waiting = open_loop.response_times(loads)
    samples = answered.total + waiting.total
    quantiles = [q for q in CURVE if samples * (1 - q) >= METHOD.min_samples_beyond]
    values = histogram.quantiles(answered, waiting, quantiles)
    return [(q, value[0]) for q, value in zip(quantiles, values, strict=True) if value is not None and value[1]]


def slices(blocks: Sequence[Block], at_most: int) -> tuple[list[Row], list[Row]]:
    """Throughput of each arm's slices over time, and the span of each block, in seconds since the first slice.

    Neighbouring rounds of a block are merged until about `at_most` points are left.
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
                    "validity": block.validity,
                    "label": block.validity if block.validity != Validity.VALID else "",
                    "why": "; ".join(
                        kind.words() for kind in group_reasons((block.number, text) for text in block.reasons)
                    ),
                    "block": block.number + 1,
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
                    "arm": part.name,
                    "t": round((group[0].start_ns - begin_ns) / 1e9, 2),
                    "per_s": round(sum(slice.answers for slice in group) * 1e9 / elapsed_ns),
                    "block": block.number + 1,
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
                "arm": arm.name,
                "per_s": arm.throughput_per_s,
                "errors": failed / (failed + arm.answers) if failed + arm.answers else None,
            }
            if arm.published is not None:
                row["published_per_s"] = arm.published.throughput_per_s
            if arm.ratio is not None and arm.name != experiment.plan.baseline:
                row |= _ratio(arm.name, arm.ratio, formatting.verdict(arm, THROUGHPUT))
            rows.append(row)
    return rows


def published(experiment: ExperimentSummary) -> list[Row]:
    """Measured and published ratios of the arms that have both, without the baseline."""
    return [
        _ratio(arm.name, arm.ratio, "measured") | {"published": arm.published_ratio}
        for arm in experiment.arms
        if arm.ratio is not None and arm.published_ratio is not None and arm.name != experiment.plan.baseline
    ]
