"""The summary as CSV, tidy: a row for each figure of each arm at each load, for a spreadsheet or a data frame.

Absent is empty. Times are in ns, as the record has them; a share is a fraction.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.errors import printable
from hopcost.record.run import Record
from hopcost.report import Cell, Result
from hopcost.report.formatting import CONFIDENCE_IN_TEXT
from hopcost.statistics.comparisons import CPU, THROUGHPUT, Comparison
from hopcost.statistics.figures import cpu_of_hops
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary
from hopcost.suites.arm import COPY_SUFFIX
from hopcost.suites.published import label

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would compute what begins so


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of one arm. `ratio` is to the baseline, with its interval `low`, `high`; all in the units of `unit`.

    `load_per_s` is empty at saturation, `at_least` true where `value` is only a lower bound. A hop's cost is a
    difference: its interval is `value_low`, `value_high`. `blocks` are those of the experiment that count.
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
        float | None, Meta(description="the ends of its interval, where it has one of its own (a difference, a factor)")
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
            description="`faster`, `slower`, `cheaper`, `dearer`, `same` or `unknown`; empty where the figure is not"
            " compared"
        ),
    ] = None
    negligible: Annotated[
        bool | None, Meta(description="whether the difference is real but wholly inside the margin")
    ] = None
    margin: Annotated[float | None, Meta(description="the margin that the verdict was read against, a fraction")] = None
    no_verdict: Annotated[str | None, Meta(description="why the verdict is unknown whatever the interval")] = None
    blocks: Annotated[int, Meta(description="blocks of the experiment that count")]


def write(result: Result) -> str:
    """The result's rows, as RFC 4180 has it but for line ends; nothing in it is a formula or steers a terminal."""
    assert result.rows is not None, "offered for results with rows only"
    header, *rows = result.rows()
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([cell(value) for value in row] for row in rows)
    return file.getvalue()


def record_rows(record: Record, experiments: list[ExperimentSummary]) -> Iterator[Sequence[Cell]]:
    """All rows of a record under their names."""
    yield Row.__struct_fields__
    for experiment in experiments:
        yield from (msgspec.structs.astuple(row) for row in rows(record.plan.suite, experiment))


def cell(value: Cell) -> str:
    """As it stands in the file; a text that a spreadsheet would take for a formula gets an apostrophe before it.

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


def rows(suite: str, each: ExperimentSummary) -> Iterator[Row]:
    """Of one experiment: the A/A arm's ratio, then each arm's figures, hop costs, repeats and courses."""
    first = Row(
        suite=suite,
        experiment=each.plan.name,
        point=None if each.plan.point is None else label(each.plan.point.value),
        arm=each.plan.baseline,
        baseline=each.plan.baseline,
        figure="",
        unit="",
        blocks=each.blocks,
    )
    if each.aa_floor is not None:
        again = _row(first, each.plan.copied_arm + COPY_SUFFIX, THROUGHPUT, None, "1/s")
        yield msgspec.structs.replace(again, baseline=each.plan.copied_arm, **_ratio(each.aa_floor))
    for arm in each.arms:
        yield from _of_arm(first, arm)
    for cost in each.hop_costs:
        for name, found in (("cpu", cost.cpu_ns), ("response_p50", cost.p50_ns), ("response_p99", cost.p99_ns)):
            if found is not None:
                row = _row(first, cost.arm, f"hop_cost:{cost.hop}:{name}", found.value, "ns", cost.load_per_s)
                yield msgspec.structs.replace(row, baseline=cost.without, value_low=found.low, value_high=found.high)
    for repeat in each.repeats:
        row = _row(first, repeat.name, "repeats_throughput", repeat.mean_per_s, "1/s")
        yield msgspec.structs.replace(row, ratio=repeat.ratio)
        yield from _errors(first, repeat.name, repeat.errors)
    for course in each.soak:
        drift = course.drift
        row = _row(first, course.arm, f"soak:{course.figure}", None if drift is None else drift.over_run, "factor")
        if drift is not None:
            row = msgspec.structs.replace(row, value_low=drift.low, value_high=drift.high)
        yield row


def _of_arm(first: Row, arm: ArmSummary) -> Iterator[Row]:
    name, compared = arm.name, {(each.figure, each.load_per_s): each for each in arm.comparisons}
    throughput = _row(first, name, THROUGHPUT, arm.throughput_per_s, "1/s")
    throughput = msgspec.structs.replace(throughput, at_least=arm.throughput_is_a_bound)
    found = [throughput, *_cpu(first, name, arm.cpu_ns_per_request, None)]
    for quantile, time in arm.service_time_ns.items():
        row = _row(first, name, f"service_{quantile}", None if time is None else time.ns, "ns")
        found.append(msgspec.structs.replace(row, at_least=time is not None and time.at_least))
    for load in arm.open_loop:
        found += _cpu(first, name, load.cpu_ns_per_request, load.rate_per_s)
        found += [
            _row(first, name, f"response_{quantile}", ns, "ns", load.rate_per_s)
            for quantile, ns in load.response_time_ns.items()
        ]
        found.append(_row(first, name, "answered", load.answered, "share", load.rate_per_s))
    for row in found:
        comparison = compared.get((row.figure, row.load_per_s))
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


def _cpu(first: Row, arm: str, used: dict[str, int | None], load_per_s: float | None) -> list[Row]:
    """CPU per request of all hops together, then of each and of the generator."""
    return [
        _row(first, arm, CPU, cpu_of_hops(used), "ns", load_per_s),
        *(_row(first, arm, f"{CPU}:{hop}", ns, "ns", load_per_s) for hop, ns in used.items()),
    ]


def _errors(first: Row, arm: str, errors: dict[str, int]) -> list[Row]:
    return [_row(first, arm, f"errors:{kind}", count, "count") for kind, count in errors.items()]


def _row(first: Row, arm: str, figure: str, value: float | None, unit: str, load_per_s: float | None = None) -> Row:
    return msgspec.structs.replace(first, arm=arm, figure=figure, value=value, unit=unit, load_per_s=load_per_s)


def _comparison(each: Comparison) -> dict[str, object]:
    verdict = each.verdict
    return {
        **({} if each.ratio is None else _ratio(each.ratio)),
        "verdict": verdict.word,
        "negligible": verdict.negligible,
        "margin": verdict.margin,
        "no_verdict": each.no_verdict,
    }


def _ratio(interval: Interval) -> dict[str, object]:
    return {"ratio": interval.value, "low": interval.low, "high": interval.high}
