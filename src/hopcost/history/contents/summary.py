"""What a record came to, in short: it stays when the record's folder is gone."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from hopcost.record.contents.run import Record
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary


class KeptComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of an arm beside the baseline, as the record's report judges it; `load_per_s` None is saturation."""

    figure: str
    load_per_s: float | None
    ratio: Interval | None
    verdict: str
    no_verdict: str | None
    caveats: tuple[str, ...] = ()


class KeptArm(msgspec.Struct, frozen=True, kw_only=True):
    """An arm over its valid blocks; CPU is ns per correct answer, by hop and of the generator."""

    name: str
    title: str
    answers: int
    throughput_per_s: float | None
    throughput_is_a_bound: bool
    cpu_ns_per_request: dict[str, int | None]
    comparisons: tuple[KeptComparison, ...] = ()
    faults: tuple[str, ...] = ()


class KeptExperiment(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment: how many of its starts counted, why it ended, and its arms."""

    name: str
    question: str
    baseline: str
    starts: int
    void: int
    ended: str | None
    margin: float
    no_verdicts: str | None
    noise: Interval | None
    arms: tuple[KeptArm, ...] = ()


def summary_of(summaries: list[ExperimentSummary]) -> tuple[KeptExperiment, ...]:
    """Of each experiment in order."""
    return tuple(
        KeptExperiment(
            name=summary.plan.name,
            question=summary.plan.question,
            baseline=summary.plan.baseline,
            starts=summary.blocks,
            void=len(summary.void),
            ended=None if summary.ending is None else summary.ending.detail,
            margin=summary.margin,
            no_verdicts=summary.no_verdicts,
            noise=summary.aa_floor,
            arms=tuple(_arm(arm) for arm in summary.arms),
        )
        for summary in summaries
    )


def _arm(arm: ArmSummary) -> KeptArm:
    return KeptArm(
        name=arm.name,
        title=arm.title,
        answers=arm.answers,
        throughput_per_s=arm.throughput_per_s,
        throughput_is_a_bound=arm.throughput_is_a_bound,
        cpu_ns_per_request=arm.cpu_ns_per_request,
        comparisons=tuple(
            KeptComparison(
                figure=comparison.figure,
                load_per_s=comparison.load_per_s,
                ratio=comparison.ratio,
                verdict=comparison.verdict.word,
                no_verdict=comparison.no_verdict,
                caveats=tuple(comparison.caveats),
            )
            for comparison in arm.comparisons
        ),
        faults=tuple(arm.faults),
    )


def cautions_of(record: Record, summaries: list[ExperimentSummary]) -> tuple[str, ...]:
    """Why the record's figures are limited, in sentences; empty if nothing is known."""
    return tuple(dict.fromkeys([*_of_the_run(record), *(words for one in summaries for words in _of(one))]))


def _of_the_run(record: Record) -> Iterator[str]:
    if record.run.ended_utc is None:
        yield "the run did not end by itself"
    yield from (warning.removeprefix(f"{record.path}/") for warning in record.warnings)
    if record.plan.quick:
        yield "a quick run"


def _of(summary: ExperimentSummary) -> Iterator[str]:
    name = summary.plan.name
    if summary.void:
        yield f"{name}: {len(summary.void)} of {summary.blocks + len(summary.void)} starts do not count"
    if summary.no_verdicts is not None:
        yield f"{name}: {summary.no_verdicts}"
    for arm in dict.fromkeys(failure.arm for failure in summary.failures):
        yield f"{name}: {arm} failed"
    for own in summary.arms:
        if own.throughput_is_a_bound:
            yield f"{name}: {own.name}: the load generator was full, so its throughput is at least this"
        yield from (f"{name}: {own.name}: {fault}" for fault in own.faults)
