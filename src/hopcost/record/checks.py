"""Whether a record says what can be: numbers in range, names that its plan knows, histograms that decode.

What does not decode at all is an accident (a disk that was full, a run that was killed), and reader.py reads up to it.
What decodes and cannot be was changed by hand or put together from several records: nothing is reported out of that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from hopcost.errors import UsageError, nearest
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.record import histogram
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.repeat import Repeat
from hopcost.suites.checks.claims import check_claims
from hopcost.suites.suite import Suite

HINT = "a record is read as it was written: take it from where it was made, or run again"
MOST = 2**63 - 1  # the engine counts in 64 bits
BELOW_ZERO = {"clock_step_ns", "aged_ns", "offset_ns"}  # the only ones that may be
ANYTHING = {"settings", "sysctls", "value", "values", "quick", "at", "published", "as_published"}  # as a suite has it
HISTOGRAMS = ("service_time", "unanswered", "response_time", "response_unanswered", "send_lag", "unsent")


def check_record(path: Path, suite: Suite, plan: Plan, blocks: Sequence[Block], repeats: Sequence[Repeat]) -> None:
    """UsageError with the file, the line of a block, and the key, for the first thing that cannot be."""
    check_claims(suite.claims, suite.experiments, suite.arms, path / "suite.json")
    for what in _of_plan(plan, suite):
        raise UsageError(f"{path / 'plan.json'}: {what}", HINT)
    planned = {experiment.name: experiment for experiment in plan.experiments}
    seen: set[tuple[str, int]] = set()
    for number, block in enumerate(blocks, start=1):
        for what in _of_block(block, planned, seen):
            raise UsageError(f"{path / 'blocks.jsonl'}: line {number}: {what}", HINT)
    for number, repeat in enumerate(repeats, start=1):
        for what in _of_repeat(repeat, planned):
            raise UsageError(f"{path / 'repeats.jsonl'}: line {number}: {what}", HINT)


def _of_plan(plan: Plan, suite: Suite) -> Iterator[str]:
    """Each fault of the plan in words."""
    if plan.suite != suite.name:
        yield f"suite: expected that of suite.json, '{suite.name}', got '{plan.suite}'"
    yield from _out_of_range(plan)
    names = [experiment.name for experiment in plan.experiments]
    for number, experiment in enumerate(plan.experiments):
        path = f"experiments[{number}]"
        if names.count(experiment.name) > 1:
            yield f"{path}.name: '{experiment.name}' stands there twice"
        try:
            suite.experiment(experiment.suite_name)
        except UsageError as error:
            yield f"{path}.name: {error.message}"
        arms = [arm.name for arm in experiment.arms]
        if len(set(arms)) != len(arms):
            yield f"{path}.arms: the same arm twice"
        if experiment.baseline not in arms:
            yield f"{path}.baseline: '{experiment.baseline}' is not one of its arms"
        for arm in experiment.arms:
            if arm.copy_of not in (None, experiment.baseline):
                yield f"{path}.arms: '{arm.name}' is a copy of '{arm.copy_of}', not of the baseline"
        if not experiment.cores.stack or not experiment.cores.generator:
            yield f"{path}.cores: expected at least one each"
        if experiment.slice_ns < 1:
            yield f"{path}.slice_ns: expected 1 or more, got {experiment.slice_ns}"


def _of_block(block: Block, planned: dict[str, PlannedExperiment], seen: set[tuple[str, int]]) -> Iterator[str]:
    """Each fault of a block in words; `seen` are the blocks before it."""
    if block.experiment not in planned:
        yield f"experiment: '{block.experiment}' is not in plan.json; {nearest(block.experiment, planned)}"
        return
    if (block.experiment, block.number) in seen:
        yield f"number: block {block.number} of {block.experiment} stands there twice"
    seen.add((block.experiment, block.number))
    yield from _out_of_range(block)
    experiment = planned[block.experiment]
    copies = {arm.name: arm.copy_of for arm in experiment.arms}
    names = [part.name for part in block.arms]
    for name in [*names, *(failure.arm for failure in block.failures)]:
        if name not in copies:
            yield f"arms: '{name}' is not in plan.json; {nearest(name, copies)}"
            return
    if len(set(names)) != len(names):
        yield "arms: the same arm twice"
    shares = {load.share for part in block.arms for load in part.open_loop}
    for void in block.void_loads:
        if void.share not in shares:
            yield f"void_loads: no arm was offered {void.rate_per_s:g}/s"
    for number, part in enumerate(block.arms):
        yield from (f"arms[{number}] ({part.name}): {what}" for what in _of_part(part, copies[part.name]))


def _of_part(part: ArmBlock, copy_of: str | None) -> Iterator[str]:
    """Each fault of an arm's part of a block."""
    if part.copy_of != copy_of:
        yield f"copy_of: expected {copy_of}, got {part.copy_of}"
    if not part.hops:
        yield "hops: expected at least one"
    loads = [
        ("", part.slices, part.totals),
        *((f"{load.rate_per_s:g}/s: ", load.slices, load.totals) for load in part.open_loop),
    ]
    for where, slices, totals in loads:
        generators = {tuple(own.machine for own in piece.generators) for piece in slices}
        if len(generators) > 1:
            yield f"{where}slices: expected the same generators in all"
        for number, piece in enumerate(slices):
            if piece.answers and not piece.elapsed_ns:  # of another generator a short run may print as 0.000 s
                yield f"{where}slices[{number}]: {piece.answers} answers in no time"
            for name in ("response_time", "response_unanswered"):
                text = getattr(piece, name)
                if text is not None and not histogram.is_whole(text):
                    yield f"{where}slices[{number}].{name}: no histogram"
        for name in HISTOGRAMS if totals is not None else ():
            text = getattr(totals, name)
            if text is not None and not histogram.is_whole(text):
                yield f"{where}totals.{name}: no histogram"
    for load in part.open_loop:
        if not load.share or not load.rate_per_s:
            yield f"open_loop: expected a load, got {load.rate_per_s:g}/s"


def _of_repeat(repeat: Repeat, planned: dict[str, PlannedExperiment]) -> Iterator[str]:
    """Each fault of a repeat in words."""
    if repeat.experiment not in planned:
        yield f"experiment: '{repeat.experiment}' is not in plan.json; {nearest(repeat.experiment, planned)}"
        return
    names = [arm.name for arm in planned[repeat.experiment].arms]
    if repeat.arm not in names:
        yield f"arm: '{repeat.arm}' is not in plan.json; {nearest(repeat.arm, names)}"
    yield from _out_of_range(repeat)


def _out_of_range(content: object, key: str = "", path: str = "") -> Iterator[str]:
    """Numbers below zero that may not be, and above what is counted in, each with its path."""
    if content is None or isinstance(content, str | bool):
        return
    if isinstance(content, int | float):
        if content > MOST or (content < 0 and key not in BELOW_ZERO) or content < -MOST:
            yield f"{path}: expected a number from 0 to {MOST}, got {content}"
    elif isinstance(content, msgspec.Struct):
        for name in content.__struct_fields__:
            if name not in ANYTHING:
                yield from _out_of_range(getattr(content, name), name, f"{path}.{name}" if path else name)
    elif isinstance(content, dict):
        for name, value in content.items():
            yield from _out_of_range(value, key, f"{path}.{name}")
    elif isinstance(content, list | tuple):
        for number, value in enumerate(content):
            yield from _out_of_range(value, key, f"{path}[{number}]")
