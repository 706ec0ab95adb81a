"""Which run of which record a comparison of a claim is judged on, and whether it meets the claim's conditions."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Record
from hopcost.statistics.arms import PairedBlocks, RecordBlocks
from hopcost.suites.articles.claim import Needs

IN_NO_RECORD = "in none of the records"


class JudgedRecord(msgspec.Struct, frozen=True):
    """A record with its blocks, which estimate all its experiments together."""

    record: Record
    blocks: RecordBlocks


class ClaimRun(msgspec.Struct, frozen=True):
    """An experiment in a record, with its valid blocks."""

    record: Record
    planned: PlannedExperiment
    blocks: list[Block]
    arms: PairedBlocks


def find_run(records: Sequence[JudgedRecord], name: str, arms: Sequence[str]) -> ClaimRun | None:
    """The experiment in the record with most valid blocks of it; of several such records the latest."""
    runs = [
        _run_of(judged, planned) for judged in records if (planned := _group(judged.record, name, arms)) is not None
    ]
    return max(runs, key=lambda run: (len(run.blocks), run.record.run.started_utc), default=None)


def why_absent(records: Sequence[JudgedRecord], name: str) -> str:
    """Why no record has the experiment."""
    for judged in records:
        for experiment in judged.record.plan.left_out:
            if experiment.name == name:
                return f"left out: {experiment.reason}"
    return IN_NO_RECORD


def unmet_condition(needs: Needs, run: ClaimRun, names: Sequence[str]) -> str | None:
    """Which of the claim's conditions this run of these arms does not meet; None if it meets all."""
    planned = run.planned
    if (reason := _why_arms_are_missing(run, names)) is not None:
        return reason
    cores = len(planned.cores.of_stacks_machine)
    if cores < needs.cores:
        return f"ran on {cores} cores, {needs.cores} needed: {needs.because}"
    failed = {  # void blocks too: an arm that did not start is named in such a one alone
        failure.arm: failure.message
        for block in run.record.blocks
        if block.experiment == planned.name
        for failure in block.failures
    }
    for name in names:
        if name in failed:
            return f"{name} failed: {failed[name].splitlines()[0] if failed[name] else 'without a word'}"
    if planned.connections_asked is not None:
        return f"run with {planned.workload.connections} connections, {planned.connections_asked} asked for"
    if needs.link_mbit_per_s is not None:
        links = {
            None if part.surroundings is None else part.surroundings.link_mbit_per_s
            for name in names
            for part in run.arms.of(name)
        }
        if links - {needs.link_mbit_per_s}:
            return f"no link of {needs.link_mbit_per_s} Mbit/s: {needs.because}"
    return None


def _run_of(judged: JudgedRecord, planned: PlannedExperiment) -> ClaimRun:
    blocks = [block for block in judged.record.blocks_of(planned.name) if block.validity != Validity.VOID]
    return ClaimRun(judged.record, planned, blocks, judged.blocks.of(planned))


def _group(record: Record, name: str, arms: Sequence[str]) -> PlannedExperiment | None:
    """The record's experiment of that name in the suite; of its groups of arms the one with most of these arms."""
    groups = [planned for planned in record.plan.experiments if planned.suite_name == name]
    return max(groups, key=lambda planned: sum(arm.name in arms for arm in planned.arms), default=None)


def _why_arms_are_missing(run: ClaimRun, names: Sequence[str]) -> str | None:
    groups = [group for group in run.record.plan.experiments if group.suite_name == run.planned.suite_name]
    left_out = {arm.name: arm.reason for group in groups for arm in group.left_out}
    there = {arm.name for arm in run.planned.arms}
    for name in names:
        if name in left_out:
            return f"{name} is left out: {left_out[name]}"
        if name not in there and any(name == arm.name for group in groups for arm in group.arms):
            return f"{' and '.join(names)} ran in different groups of arms, so they share no block"
        if name not in there:
            return f"the record's experiment has no stack {name}"
    return None
