"""A record as the database keeps it: read, summarised, and its points computed."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from hopcost.errors import UsageError
from hopcost.history.contents.configuration import configuration_of
from hopcost.history.contents.digest import digest_of_run
from hopcost.history.contents.figures import name_of, unit_of
from hopcost.history.contents.machine import machine_of
from hopcost.history.contents.summary import KeptExperiment, cautions_of, summary_of
from hopcost.history.labels import check_labels, labels_of
from hopcost.history.points import KeptRecord, Point, Versions
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record import reader
from hopcost.record.contents.run import Record
from hopcost.statistics.arms import PairedBlocks, RecordBlocks
from hopcost.statistics.comparisons import Metric, metrics_of
from hopcost.statistics.intervals import LOG_MOST, exp
from hopcost.statistics.summary import open_loop
from hopcost.statistics.summary.summary import summarise

ONE_SIGMA_ERROR = 1 - math.erf(1 / math.sqrt(2))  # an interval of this error is ± one standard error
UNKNOWN = "unknown"


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """All that is kept of one record.

    `run` tells two states of one run from two runs; `blocks` says which state is the later one.
    """

    record: KeptRecord
    run: str
    blocks: int
    points: tuple[Point, ...]
    summary: tuple[KeptExperiment, ...]
    environment: dict[str, object]


def read_contents(path: Path, digest: str, labels: Mapping[str, str], machine: str | None = None) -> Contents:
    """Read the record at this path; `labels` win over those that its run noted.

    UsageError if it is damaged, of another format, or without a start; the reader says which.
    """
    record = reader.read_record(path)
    if not record.blocks and not record.repeats:
        raise UsageError(f"{path}: not one start was done in it", "there is nothing to keep")
    summaries = summarise(record)
    here = machine_of(record.environment, machine)
    kept = KeptRecord(
        digest=digest,
        path=str(path.resolve()),
        suite=record.plan.suite,
        question=_question(record),
        started=_started(record),
        kept=datetime.datetime.now(datetime.UTC),
        machine=here.key,
        host=here.host,
        labels=check_labels(labels_of(record.environment) | dict(labels)),
        versions=_versions(record),
        cautions=cautions_of(record, summaries),
    )
    return Contents(
        record=kept,
        run=digest_of_run(record.run, record.plan),
        blocks=len(record.blocks) + len(record.repeats),
        points=tuple(_points(record, kept)),
        summary=summary_of(summaries),
        environment=record.environment,
    )


def _question(record: Record) -> str:
    """The verb that made it."""
    if record.question is not None:
        return str(record.question.verb)
    word = record.run.command[1] if len(record.run.command) > 1 else ""
    return word if re.fullmatch("[a-z]+", word) else UNKNOWN


def _started(record: Record) -> datetime.datetime:
    text = record.run.started_utc
    try:
        started = datetime.datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            f"{record.path / 'run.json'}: started_utc: expected a time, got '{text}'", "the record was changed"
        ) from error
    return started.astimezone(datetime.UTC) if started.tzinfo else started.replace(tzinfo=datetime.UTC)


def _versions(record: Record) -> Versions:
    """Those of the programs that its stacks are made of; the environment may know more of them."""
    hops = [hop for experiment in record.plan.experiments for planned in experiment.arms for hop in planned.arm.hops]
    programs = {}
    for hop in hops:
        own = _entry(record, "binaries", hop.binary) if hop.binary else None
        version = own.get("version") if isinstance(own, dict) else _entry(record, "programs", hop.program)
        if isinstance(version, str) and version:
            programs[hop.program] = version
    return Versions(
        hopcost=record.run.hopcost,
        method=record.run.method,
        kernel=str(record.environment.get("kernel") or UNKNOWN),
        cpu=str(record.environment.get("cpu") or UNKNOWN),
        programs=programs,
    )


def _entry(record: Record, table: str, key: str) -> object:
    known = record.environment.get(table)
    return known.get(key) if isinstance(known, dict) else None


def _points(record: Record, kept: KeptRecord) -> Iterator[Point]:
    blocks = RecordBlocks(record.plan.experiments, record.blocks)
    for planned in record.plan.experiments:
        arms = blocks.of(planned)
        if not arms.of(planned.baseline):
            continue
        for arm in planned.arms:
            if arm.copy_of is None and arm.name != planned.baseline and arms.of(arm.name):
                configuration = configuration_of(record.plan, planned, arm.name)
                for metric in metrics_of(arms, arm.name):
                    yield from _point(kept, planned, arms, arm.name, metric, configuration)


def _point(
    kept: KeptRecord, planned: PlannedExperiment, arms: PairedBlocks, arm: str, metric: Metric, configuration: str
) -> Iterator[Point]:
    """None if a block lacks the figure: leaving it out would choose blocks by their outcome."""
    estimate = arms.estimate(arm, metric.figure)
    contrast = arms.contrast(arm, metric.figure, planned.baseline, of_difference=False)
    if estimate is None or contrast is None or not estimate.blocks:
        return
    spread_is_known = estimate.blocks >= METHOD.min_blocks
    whole = estimate.interval(METHOD.confidence_error)
    narrow = estimate.interval(ONE_SIGMA_ERROR)
    if not math.isfinite(whole.value) or abs(whole.value) >= LOG_MOST:
        return
    rate_per_s = None if metric.share is None else open_loop.rate_per_s(arms.of(arm), metric.share)
    name = name_of(metric, planned, rate_per_s)
    yield Point(
        record=kept,
        experiment=planned.name,
        arm=arm,
        baseline=planned.baseline,
        figure=name,
        configuration=configuration,
        ratio=exp(whole.value),
        low=exp(whole.low) if spread_is_known and whole.low is not None else None,
        high=exp(whole.high) if spread_is_known and whole.high is not None else None,
        standard_error=(
            (narrow.high - narrow.low) / 2
            if spread_is_known and narrow.low is not None and narrow.high is not None
            else None
        ),
        starts=estimate.blocks,
        value=_absolute(arms, arm, metric),
        baseline_value=_absolute(arms, planned.baseline, metric),
        unit=unit_of(name),
        blocks=tuple(contrast.logs),
    )


def _absolute(arms: PairedBlocks, name: str, metric: Metric) -> float | None:
    """The geometric mean over blocks; None if a block lacks it."""
    values = arms.values(name, metric.figure)
    return None if values is None else math.exp(math.fsum(map(math.log, values)) / len(values))
