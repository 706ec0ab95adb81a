"""The summary as tidy CSV for a spreadsheet or a data frame: a row for each figure of each arm at each load.

An absent value is an empty cell. Times are in ns, shares are fractions.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.errors import printable
from hopcost.record.contents.run import Record
from hopcost.report import Cell, Result
from hopcost.report.formatting import CONFIDENCE_IN_TEXT, swept_value
from hopcost.statistics.comparisons import CPU, THROUGHPUT, Comparison
from hopcost.statistics.figures import cpu_of_hops
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary
from hopcost.suites.arms.arm import COPY_SUFFIX

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet computes a text that begins so


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of one arm in the unit `unit`. `ratio` is to the baseline, with its interval `low`, `high`.

    `load_per_s` is empty at saturation. `at_least` is true if `value` is only a lower bound. A hop's cost is a
    difference with the interval `value_low`, `value_high`. `blocks` counts the experiment's valid and suspect blocks;
    of a hop's cost those that have its load.
    """

    suite: Annotated[str, Meta(description="its name")]
    experiment: Annotated[str, Meta(description="its name; a point of a sweep is `NAME@VALUE`")]
    point: Annotated[str | None, Meta(description="the value of the sweep")] = None
    arm: Annotated[str, Meta(description="the arm")]
    baseline: Annotated[str, Meta(description="the arm that `ratio` is to; of a hop's cost the stack without that hop")]
    figure: Annotated[str, Meta(description="what was measured")]
    load_per_s: Annotated[float | None, Meta(description="the offered load; empty at saturation")] = None
    value: Annotated[float | None, Meta(description="the figure, in `unit`")] = None
    value_low: Annotated[
        float | None, Meta(description="the ends of its interval, if it has one of its own (a difference, a factor)")
    ] = None
    value_high: Annotated[float | None, Meta(description="the other end")] = None
    unit: Annotated[str, Meta(description="`1/s`, `ns`, `bytes`, `count`, `share` (of 1), `%` or `factor`")]
    at_least: Annotated[bool, Meta(description="whether `value` is only a lower bound")] = False
    ratio: Annotated[float | None, Meta(description="of the figure, to the baseline's")] = None
    low: Annotated[
        float | None,
        Meta(description=f"the ends of the ratio's interval, which hold for all arms together at {CONFIDENCE_IN_TEXT}"),
    ] = None
    high: Annotated[float | None, Meta(description="the other end")] = None
    verdict: Annotated[
        str | None,
        Meta(
            description="`faster`, `slower`, `cheaper`, `dearer`, `same`, `not settled` or `no verdict`; empty if"
            " the figure is not compared"
        ),
    ] = None
    size: Annotated[
        str | None, Meta(description="of a direction: `beyond the margin`, `negligible` (wholly inside it) or `open`")
    ] = None
    margin: Annotated[float | None, Meta(description="the margin that the verdict was read against, a fraction")] = None
    no_verdict: Annotated[str | None, Meta(description="why there is none, whatever the interval")] = None
    caveats: Annotated[str | None, Meta(description="what stands beside the verdict")] = None
    restart_spread: Annotated[float | None, Meta(description="the share by which starts of the arm differ")] = None
    settles_at: Annotated[
        float | None, Meta(description="of what is not settled: the half-width that would settle it, a fraction")
    ] = None
    settles_after_starts: Annotated[int | None, Meta(description="how many more starts that takes")] = None
    settles_after_s: Annotated[float | None, Meta(description="and how many seconds")] = None
    blocks: Annotated[
        int, Meta(description="blocks of the experiment that count; of a hop's cost those that have its load")
    ]


def write(result: Result) -> str:
    """The result's rows as in RFC 4180, but with Unix line ends. No cell is a formula or controls a terminal."""
    assert result.rows is not None, "a verb offers CSV only with rows"
    header, *rows = result.rows()
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([cell(value) for value in row] for row in rows)
    return file.getvalue()


def record_rows(record: Record, experiments: list[ExperimentSummary]) -> Iterator[Sequence[Cell]]:
    """The header, then all rows of a record."""
    yield Row.__struct_fields__
    for experiment in experiments:
        yield from (msgspec.structs.astuple(row) for row in rows(record.plan.suite, experiment))


def cell(value: Cell) -> str:
    """The cell's text. If a spreadsheet would take it for a formula, an apostrophe comes first.

    >>> cell(None), cell(0.5), cell(True), cell("go"), cell("=1+1"), cell(-0.5)
    ('', '0.5', 'true', 'go', "'=1+1", '-0.5')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return str(value)
    text = printable(value)
    return f"'{text}" if value.startswith(FORMULA) else text


def rows(suite: str, experiment: ExperimentSummary) -> Iterator[Row]:
    """The rows of one experiment: the A/A arm's ratio, then each arm's figures, hop costs, repeats, courses."""
    first = Row(
        suite=suite,
        experiment=experiment.plan.name,
        point=swept_value(experiment) or None,
        arm=experiment.plan.baseline,
        baseline=experiment.plan.baseline,
        figure="",
        unit="",
        blocks=experiment.blocks,
    )
    if experiment.aa_floor is not None:
        copy = _row(first, experiment.plan.copied_arm + COPY_SUFFIX, THROUGHPUT, None, "1/s")
        yield msgspec.structs.replace(copy, baseline=experiment.plan.copied_arm, **_ratio(experiment.aa_floor))
    for arm in experiment.arms:
        yield from _arm_rows(first, arm)
    for cost in experiment.hop_costs:
        for name, ns in (("cpu", cost.cpu_ns), ("response_p50", cost.p50_ns), ("response_p99", cost.p99_ns)):
            if ns is not None:
                row = _row(first, cost.arm, f"hop_cost:{cost.hop}:{name}", ns.value, "ns", cost.load_per_s)
                ends = {"value_low": ns.low, "value_high": ns.high}
                yield msgspec.structs.replace(row, baseline=cost.without, blocks=cost.starts, **ends)
    for repeat in experiment.repeats:
        row = _row(first, repeat.name, "repeats_throughput", repeat.mean_per_s, "1/s")
        yield msgspec.structs.replace(row, ratio=repeat.ratio)
        yield from _errors(first, repeat.name, repeat.errors)
    for course in experiment.soak:
        drift = course.drift
        row = _row(first, course.arm, f"soak:{course.figure}", None if drift is None else drift.over_run, "factor")
        if drift is not None:
            row = msgspec.structs.replace(row, value_low=drift.low, value_high=drift.high)
        yield row


def _arm_rows(first: Row, arm: ArmSummary) -> Iterator[Row]:
    name = arm.name
    comparisons = {(comparison.figure, comparison.load_per_s): comparison for comparison in arm.comparisons}
    throughput = _row(first, name, THROUGHPUT, arm.throughput_per_s, "1/s")
    throughput = msgspec.structs.replace(throughput, at_least=arm.throughput_is_a_bound)
    rows = [throughput, *_cpu(first, name, arm.cpu_ns_per_request, None)]
    for quantile, time in arm.service_time_ns.items():
        row = _row(first, name, f"service_{quantile}", None if time is None else time.ns, "ns")
        rows.append(msgspec.structs.replace(row, at_least=time is not None and time.at_least))
    for load in arm.open_loop:
        rows += _cpu(first, name, load.cpu_ns_per_request, load.rate_per_s)
        rows += [
            _row(first, name, f"response_{quantile}", ns, "ns", load.rate_per_s)
            for quantile, ns in load.response_time_ns.items()
        ]
        rows.append(_row(first, name, "answered", load.answered, "share", load.rate_per_s))
    for row in rows:
        comparison = comparisons.get((row.figure, row.load_per_s))
        if comparison is not None:
            yield msgspec.structs.replace(row, **_comparison(comparison))
        elif name == first.baseline and row.figure in (THROUGHPUT, CPU) and row.load_per_s is None:
            yield msgspec.structs.replace(row, ratio=1.0)
        else:
            yield row
    yield _row(first, name, "cpu_percent", arm.cpu_percent, "%")
    yield _row(first, name, "answers", arm.answers, "count")
    yield from _errors(first, name, arm.errors)
    for hop, memory in arm.memory.items():
        yield _row(first, name, f"memory_peak:{hop}", memory.peak_bytes, "bytes")
        yield _row(first, name, f"memory_proportional:{hop}", memory.proportional_bytes, "bytes")
    for link in arm.time_wait:
        yield _row(first, name, f"time_wait_server:{link.hop}", link.server, "count")
        yield _row(first, name, f"time_wait_client:{link.hop}", link.client, "count")
    if arm.published is not None:
        row = _row(first, name, "published_throughput", arm.published.throughput_per_s, "1/s")
        yield msgspec.structs.replace(row, ratio=arm.published_ratio)


def _cpu(first: Row, arm: str, cpu_ns: dict[str, int | None], load_per_s: float | None) -> list[Row]:
    """CPU per request of all hops together, then of each hop and of the generator."""
    return [
        _row(first, arm, CPU, cpu_of_hops(cpu_ns), "ns", load_per_s),
        *(_row(first, arm, f"{CPU}:{hop}", ns, "ns", load_per_s) for hop, ns in cpu_ns.items()),
    ]


def _errors(first: Row, arm: str, errors: dict[str, int]) -> list[Row]:
    return [_row(first, arm, f"errors:{kind}", count, "count") for kind, count in errors.items()]


def _row(first: Row, arm: str, figure: str, value: float | None, unit: str, load_per_s: float | None = None) -> Row:
    return msgspec.structs.replace(first, arm=arm, figure=figure, value=value, unit=unit, load_per_s=load_per_s)


def _comparison(comparison: Comparison) -> dict[str, object]:
    verdict, to_settle = comparison.verdict, comparison.to_settle
    return {
        **({} if comparison.ratio is None else _ratio(comparison.ratio)),
        "verdict": verdict.word,
        "size": None if verdict.size is None else verdict.size.value,
        "margin": verdict.margin,
        "no_verdict": comparison.no_verdict,
        "caveats": "; ".join(comparison.caveats) or None,
        "restart_spread": comparison.restart_spread,
        "settles_at": None if to_settle is None else to_settle.target,
        "settles_after_starts": None if to_settle is None else to_settle.starts,
        "settles_after_s": None if to_settle is None else to_settle.seconds,
    }


def _ratio(interval: Interval) -> dict[str, object]:
    return {"ratio": interval.value, "low": interval.low, "high": interval.high}
