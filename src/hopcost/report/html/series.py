"""The rows that charts are drawn from: plain dicts out of a record and its summary, in the units that axes show."""

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
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary import open_loop
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.suites.arm import COPY_SUFFIX
from hopcost.suites.published import label

Row = dict[str, Any]

CURVE = (0.01, 0.05, *(n / 100 for n in range(10, 90, 5)), *(n / 100 for n in range(90, 99)), 0.99, 0.995, 0.998, 0.999)
P99 = 0.99


def ratios(each: ExperimentSummary, figure: str) -> list[Row]:
    """A row for each arm beside the baseline, with an interval or without; for throughput the A/A arm is the last."""
    rows = []
    for arm in each.arms:
        compared = arm.comparison(figure)
        if arm.name == each.plan.baseline or compared is None or compared.ratio is None:
            continue
        rows.append(_ratio(arm.name, compared.ratio, str(compared.verdict)))
    if figure == THROUGHPUT and each.aa_floor is not None and rows:
        rows.append(_ratio(each.plan.copied_arm + COPY_SUFFIX, each.aa_floor, "A/A"))
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


def margin(each: ExperimentSummary, figure: str) -> float | None:
    """What verdicts on that figure at saturation were read against, a fraction; None where nothing was compared."""
    found = (arm.comparison(figure) for arm in each.arms)
    return next((one.verdict.margin for one in found if one is not None and one.verdict.margin is not None), None)


def cpu(each: ExperimentSummary, share: float | None) -> list[Row]:
    """CPU µs per request of every hop of every arm, at that share of capacity (None: at saturation)."""
    rows = []
    for arm in each.arms:
        used = arm.cpu_at(share)
        known = {hop: ns for hop, ns in used.items() if hop != "generator" and ns is not None}
        start = 0.0
        for hop, ns in known.items():
            us = ns / 1000
            rows.append({"arm": arm.name, "hop": hop, "us": us, "start": start, "end": start + us})
            start += us
    return rows


def curves(each: ExperimentSummary, blocks: Sequence[Block], share: float) -> list[Row]:
    """Response time in µs by quantile, of every arm and of the A/A arm.

    Only where 100 samples lie beyond; from p99 on only where the baseline's two runs agree there.
    """
    arms = PairedBlocks(each.plan, blocks)
    rows = []
    for planned in each.plan.arms:
        loads = [load for part in arms.of(planned.name) if (load := open_loop.at(part, share)) is not None]
        for q, ns in _quantiles(loads, until=1.0 if each.p99_agrees.get(share) else P99):
            rows.append({"arm": planned.name, "q": q, "beyond": 1 / (1 - q), "us": ns / 1000})
    return rows


def _quantiles(loads: Sequence[OpenLoad], until: float) -> list[tuple[float, int]]:
    answered, waiting = open_loop.response_times(loads)
    samples = answered.total + waiting.total
    wanted = [q for q in CURVE if q < until and samples * (1 - q) >= METHOD.min_samples_beyond]
    found = histogram.quantiles(answered, waiting, wanted)
    return [(q, value[0]) for q, value in zip(wanted, found, strict=True) if value is not None and value[1]]


def slices(blocks: Sequence[Block], at_most: int) -> tuple[list[Row], list[Row]]:
    """Throughput of slices over time by arm, and the blocks' own spans; seconds since the first slice.

    Neighbouring rounds of a block are put together until about `at_most` points are left.
    """
    parts = [(block, part) for block in blocks for part in block.arms if part.slices]
    if not parts:
        return [], []
    began = min(part.slices[0].start_ns for _, part in parts)
    together = math.ceil(sum(len(part.slices) for _, part in parts) / at_most)
    rows = [row for block, part in parts for row in _slices(block, part, began, together)]
    spans = []
    for block in blocks:
        moments = [s.start_ns for part in block.arms for s in part.slices]
        ends = [s.start_ns + s.elapsed_ns for part in block.arms for s in part.slices]
        if moments:
            spans.append(
                {
                    "from": (min(moments) - began) / 1e9,
                    "to": (max(ends) - began) / 1e9,
                    "validity": block.validity,
                    "label": block.validity if block.validity != Validity.VALID else "",
                    "why": "; ".join(block.reasons),
                    "block": block.number + 1,
                }
            )
    return rows, spans


def _slices(block: Block, part: ArmBlock, began: int, together: int) -> list[Row]:
    rows = []
    for first in range(0, len(part.slices), together):
        group = part.slices[first : first + together]
        elapsed_ns = sum(one.elapsed_ns for one in group)
        if elapsed_ns:
            rows.append(
                {
                    "arm": part.name,
                    "t": round((group[0].start_ns - began) / 1e9, 2),
                    "per_s": round(sum(one.answers for one in group) * 1e9 / elapsed_ns),
                    "block": block.number + 1,
                }
            )
    return rows


def sweep(points: Sequence[ExperimentSummary]) -> list[Row]:
    """Throughput, ratio and share of errors of every arm at every value of a sweep, in the suite's order."""
    rows = []
    for order, each in enumerate(points):
        assert each.plan.point is not None, "asked of the points of a sweep"
        for arm in each.arms:
            failed = sum(arm.errors.values())
            row: Row = {
                "value": label(each.plan.point.value),
                "order": order,
                "arm": arm.name,
                "per_s": arm.throughput_per_s,
                "errors": failed / (failed + arm.answers) if failed + arm.answers else None,
            }
            if arm.published is not None:
                row["published_per_s"] = arm.published.throughput_per_s
            if arm.ratio is not None and arm.name != each.plan.baseline:
                row |= _ratio(arm.name, arm.ratio, formatting.verdict(arm, THROUGHPUT))
            rows.append(row)
    return rows


def published(each: ExperimentSummary) -> list[Row]:
    """Measured ratios beside an article's, of arms that have both; the control group's 1 is left out."""
    return [
        _ratio(arm.name, arm.ratio, "measured") | {"published": arm.published_ratio}
        for arm in each.arms
        if arm.ratio is not None and arm.published_ratio is not None and arm.name != each.plan.baseline
    ]
