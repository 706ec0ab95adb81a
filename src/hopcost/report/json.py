"""The summary as JSON: integers in ns, ratios as {value, low, high}; absent is null. reported.py has its structures."""

from __future__ import annotations

import msgspec

from hopcost.record.block import Block
from hopcost.record.run import Record
from hopcost.report.json_schema import (
    Agreement,
    Report,
    ReportedArm,
    ReportedBlock,
    ReportedComparison,
    ReportedExperiment,
)
from hopcost.statistics.comparisons import Comparison
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary


def render(record: Record, experiments: list[ExperimentSummary]) -> str:
    """docs/record-format.md describes the keys, docs/report.schema.json their types."""
    return msgspec.json.format(msgspec.json.encode(report(record, experiments)), indent=2).decode() + "\n"


def report(record: Record, experiments: list[ExperimentSummary]) -> Report:
    """The same before it is text."""
    return Report(
        format=record.run.format,
        hopcost=record.run.hopcost,
        suite=record.plan.suite,
        quick=record.plan.quick,
        seed=record.plan.seed,
        started_utc=record.run.started_utc,
        ended_utc=record.run.ended_utc,
        command=record.run.command,
        warnings=record.warnings,
        environment=record.environment,
        left_out=record.plan.left_out,
        experiments=[_experiment(each) for each in experiments],
    )


def _experiment(each: ExperimentSummary) -> ReportedExperiment:
    return ReportedExperiment(
        name=each.plan.name,
        question=each.plan.question,
        baseline=each.plan.baseline,
        twice=each.plan.copied_arm,
        aa_floor=each.aa_floor,
        margin=each.margin,
        instrument_is_biased=each.instrument_is_biased,
        no_verdicts=each.no_verdicts,
        p99_agrees=[Agreement(share=share, agrees=agrees) for share, agrees in each.p99_agrees.items()],
        blocks=each.blocks,
        void_blocks=[_block(block) for block in each.void],
        suspect_blocks=[_block(block) for block in each.suspect],
        ending=each.ending,
        cores=each.plan.cores,
        workload=each.plan.workload,
        notes=each.plan.notes,
        surroundings=each.surroundings,
        left_out=each.plan.left_out,
        failures=each.failures,
        harness_load=each.harness_load,
        point=each.plan.point,
        turns=each.plan.turns,
        connections_asked=each.plan.connections_asked,
        soak=each.soak,
        repeats=each.repeats,
        hop_costs=each.hop_costs,
        arms=[_arm(arm) for arm in each.arms],
    )


def _arm(arm: ArmSummary) -> ReportedArm:
    return ReportedArm(
        name=arm.name,
        title=arm.title,
        answers=arm.answers,
        throughput_per_s=arm.throughput_per_s,
        throughput_is_a_bound=arm.throughput_is_a_bound,
        ratio=arm.ratio,
        cpu_ns_per_request=arm.cpu_ns_per_request,
        cpu_ratio=arm.cpu_ratio,
        service_time_ns={key: None if value is None else value.ns for key, value in arm.service_time_ns.items()},
        service_time_at_least=[
            key for key, value in arm.service_time_ns.items() if value is not None and value.at_least
        ],
        comparisons=[_comparison(each) for each in arm.comparisons],
        open_loop=arm.open_loop,
        faults=arm.faults,
        errors=arm.errors,
        reconnects=arm.reconnects,
        cpu_outside=arm.cpu_outside,
        steady=arm.steady,
        header_bytes=arm.header_bytes,
        body_bytes=arm.body_bytes,
        published=arm.published,
        published_ratio=arm.published_ratio,
        cpu_percent=arm.cpu_percent,
        time_wait=arm.time_wait,
        memory=arm.memory,
        notes=arm.notes,
        peer=arm.peer,
        peer_figures=arm.peer_figures,
    )


def _comparison(each: Comparison) -> ReportedComparison:
    return ReportedComparison(
        figure=each.figure,
        load_per_s=each.load_per_s,
        ratio=each.ratio,
        verdict=each.verdict.word,
        negligible=each.verdict.negligible,
        margin=each.verdict.margin,
        no_verdict=each.no_verdict,
    )


def _block(block: Block) -> ReportedBlock:
    return ReportedBlock(number=block.number, reasons=block.reasons)
