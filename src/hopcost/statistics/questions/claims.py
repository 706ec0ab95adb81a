"""Published claims against records: holds, does not hold, unknown, or not testable here.

A ratio's interval decides: wholly within what is claimed, the claim holds; wholly outside, it does not; else it is
unknown. "more" and "less" are read off as verdicts are, against the margin. The comparisons of one claim share its
error of 5 % (Bonferroni), within the share of it that a run's looks leave to each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from hopcost.generators.engine_protocol import Validity
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record.block import ArmBlock, Block
from hopcost.record.run import Record
from hopcost.statistics import looks, stop
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.comparisons import BUSY_MACHINE, GENERATOR_FULL, own_fault, too_few
from hopcost.statistics.figures import BlockFigure, cpu_of, cpu_per_request, throughput
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.claim_result import ClaimOutcome, ClaimResult, ClaimTestResult, Errors, decide_claim
from hopcost.statistics.summary import soak
from hopcost.statistics.validity.arm import is_generator_full
from hopcost.suites.claim import Claim, ClaimFigure, ClaimTest, Relation, published_errors, published_ratio, reference
from hopcost.suites.published import Value
from hopcost.suites.suite import Suite

COURSES = {ClaimFigure.DRIFT: "ratio", ClaimFigure.MEMORY_DRIFT: "memory_bytes"}


class _Run(msgspec.Struct, frozen=True):
    """An experiment in a record, with its valid blocks."""

    record: Record
    planned: PlannedExperiment
    blocks: list[Block]

    @property
    def arms(self) -> PairedBlocks:
        return PairedBlocks(self.planned, self.blocks)

    @property
    def error(self) -> float:
        """The error that the report's intervals of a figure share."""
        endings = {ending.experiment: ending.why for ending in self.record.run.endings}
        return looks.error_at_end(self.record.plan.looks, self.arms, endings.get(self.planned.name))


def suites(records: Sequence[Record], given: Sequence[Suite] = ()) -> list[Suite]:
    """The suites whose claims to judge: those given, else each suite as in the latest of its records with claims.

    A suite without claims is left out. A record from before the suite had claims names none.
    """
    suites = {suite.name: suite for suite in given}
    for record in sorted(records, key=lambda record: record.run.started_utc, reverse=True):
        if record.suite.claims:
            suites.setdefault(record.suite.name, record.suite)
    return [suite for _, suite in sorted(suites.items()) if suite.claims]


def judge_claims(suite: Suite, records: Sequence[Record]) -> list[ClaimResult]:
    """Every claim of the suite, against those of the records that are the suite's."""
    own = [record for record in records if record.plan.suite == suite.name]
    return [
        ClaimResult(suite=suite.name, claim=claim, results=list(_results(claim, suite, own))) for claim in suite.claims
    ]


def comparisons(claim: Claim) -> int:
    """How many intervals a claim needs: they share its error."""
    return sum(len(list(test.points)) for test in claim.tests if test.figure is not ClaimFigure.ERRORS)


def _results(claim: Claim, suite: Suite, records: Sequence[Record]) -> Iterator[ClaimTestResult]:
    for test in claim.tests:
        experiment = suite.experiment(test.experiment)
        to = reference(test, experiment) if test.figure.is_ratio else None
        for value, name in test.points:
            blank = ClaimTestResult(
                experiment=name,
                test=test,
                to=to,
                outcome=ClaimOutcome.NOT_TESTABLE,
                published=published_ratio(test, experiment, value),
                published_errors=_published_errors(test, suite, value),
            )
            run = _best(records, name, [test.arm] if to is None else [test.arm, to])
            if run is None:
                yield msgspec.structs.replace(blank, reason=_why_absent(records, name))
            else:
                yield _judged(blank, claim, run)


def _published_errors(test: ClaimTest, suite: Suite, value: Value | None) -> bool | None:
    if test.figure is not ClaimFigure.ERRORS:
        return None
    return published_errors(test, suite.experiment(test.experiment), value)


def _best(records: Sequence[Record], name: str, arms: Sequence[str]) -> _Run | None:
    """The experiment in the record with most valid blocks of it; of several such records the latest."""
    runs = [
        _Run(record, planned, [block for block in record.blocks_of(planned.name) if block.validity != Validity.VOID])
        for record in records
        if (planned := _group(record, name, arms)) is not None
    ]
    return max(runs, key=lambda run: (len(run.blocks), run.record.run.started_utc), default=None)


def _group(record: Record, name: str, arms: Sequence[str]) -> PlannedExperiment | None:
    """The record's experiment of that name in the suite; of its groups of arms the one with most of these arms."""
    groups = [planned for planned in record.plan.experiments if planned.suite_name == name]
    return max(groups, key=lambda planned: sum(arm.name in arms for arm in planned.arms), default=None)


def _why_absent(records: Sequence[Record], name: str) -> str:
    for record in records:
        for experiment in record.plan.left_out:
            if experiment.name == name:
                return f"left out: {experiment.reason}"
    return "in none of the records"


def _judged(blank: ClaimTestResult, claim: Claim, run: _Run) -> ClaimTestResult:
    """A figure is measured and shown even if its conditions are not met; then it decides nothing."""
    test = blank.test
    names = [test.arm] if blank.to is None else [test.arm, blank.to]
    seen = msgspec.structs.replace(
        blank,
        record=run.record.path.name,
        started_utc=run.record.run.started_utc,
        blocks=_blocks(run, names),
        measured=_measured(test, blank.to, run, 1 / max(1, comparisons(claim))),
        errors=_errors(run.arms.of(test.arm)) if test.figure is ClaimFigure.ERRORS and run.arms.of(test.arm) else None,
    )
    unmet = _unmet(claim, run, names)
    if unmet is not None:
        return msgspec.structs.replace(seen, outcome=ClaimOutcome.NOT_TESTABLE, reason=unmet)
    outcome, reason, negligible = (
        _of_errors(seen) if test.figure is ClaimFigure.ERRORS else _of_interval(seen, run, names)
    )
    return msgspec.structs.replace(seen, outcome=outcome, reason=reason, negligible=negligible)


def _unmet(claim: Claim, run: _Run, names: Sequence[str]) -> str | None:
    """Which of the claim's conditions this run does not meet; None if it meets all."""
    planned, needs = run.planned, claim.needs
    groups = [group for group in run.record.plan.experiments if group.suite_name == planned.suite_name]
    left_out = {arm.name: arm.reason for group in groups for arm in group.left_out}
    failed = {  # void blocks too: an arm that did not start is named in such a one alone
        failure.arm: failure.message
        for block in run.record.blocks
        if block.experiment == planned.name
        for failure in block.failures
    }
    there = {arm.name for arm in planned.arms}
    for name in names:
        if name in left_out:
            return f"{name} is left out: {left_out[name]}"
        if name not in there and any(name == arm.name for group in groups for arm in group.arms):
            return f"{' and '.join(names)} ran in different groups of arms, so they share no block"
        if name not in there:
            return f"the record's experiment has no arm {name}"
    cores = len({*planned.cores.stack, *planned.cores.generator})
    if cores < needs.cores:
        return f"ran on {cores} cores, {needs.cores} needed: {needs.because}"
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


def _reading(test: ClaimTest) -> BlockFigure:
    """The figure of an arm's part of a block that the test compares."""
    if test.figure is ClaimFigure.THROUGHPUT:
        return throughput
    return cpu_per_request if test.hop is None else cpu_of(test.hop)


def _measured(test: ClaimTest, to: str | None, run: _Run, share: float) -> Interval | None:
    """The figure's interval, with this share of the error that the run has for it."""
    if test.figure is ClaimFigure.ERRORS:
        return None
    if to is not None:
        return run.arms.ratio(test.arm, _reading(test), run.error * share, to)
    error = METHOD.confidence_error * share  # a soak is not looked at on its way
    for course in soak.summarise_soak(run.planned, run.blocks, error):
        if (course.arm, course.figure) == (test.arm, COURSES[test.figure]) and course.drift is not None:
            return Interval(value=course.drift.over_run, low=course.drift.low, high=course.drift.high)
    return None


def _blocks(run: _Run, names: Sequence[str]) -> int:
    """The number of blocks that hold all of these arms."""
    return sum({arm.name for arm in block.arms}.issuperset(names) for block in run.blocks)


def _errors(parts: Sequence[ArmBlock]) -> Errors:
    counts = [sum(part.errors.values()) for part in parts]
    unopened = sum(1 for part in parts if part.totals is not None and part.totals.all_opened is False)
    return Errors(count=sum(counts), blocks=sum(1 for count in counts if count), unopened_blocks=unopened)


def _of_errors(seen: ClaimTestResult) -> tuple[ClaimOutcome, str, bool]:
    """A count needs no spread, so one block is enough.

    Errors in some of the blocks decide nothing, nor do connections that never opened and so had no errors.
    """
    if seen.errors is None:
        return ClaimOutcome.UNKNOWN, "no valid block", False
    if 0 < seen.errors.blocks < seen.blocks:
        return ClaimOutcome.UNKNOWN, f"errors in {seen.errors.blocks} of {seen.blocks} blocks", False
    if seen.errors.count == 0 and seen.errors.unopened_blocks:
        return (
            ClaimOutcome.UNKNOWN,
            f"connections that never opened in {seen.errors.unopened_blocks} of {seen.blocks} blocks",
            False,
        )
    claimed = seen.test.relation is Relation.SOME
    return (ClaimOutcome.HOLDS if (seen.errors.count > 0) is claimed else ClaimOutcome.DOES_NOT_HOLD), "", False


def _of_interval(seen: ClaimTestResult, run: _Run, names: Sequence[str]) -> tuple[ClaimOutcome, str, bool]:
    interval, test = seen.measured, seen.test
    if seen.blocks < 2:
        return ClaimOutcome.UNKNOWN, f"valid blocks: {seen.blocks}, no interval", False
    if test.figure.is_ratio and (few := too_few(seen.blocks)):
        return ClaimOutcome.UNKNOWN, few, False
    if interval is None or interval.low is None or interval.high is None:
        return ClaimOutcome.UNKNOWN, "a block lacks the figure", False
    if test.figure is not ClaimFigure.MEMORY_DRIFT:
        for name in names:
            fault = own_fault(run.arms, run.planned, name)
            if fault is not None:
                return ClaimOutcome.UNKNOWN, f"{name}: {fault}", False
            is_bound = any(is_generator_full(part, run.planned) for part in run.arms.of(name))
            if test.figure is ClaimFigure.THROUGHPUT and is_bound:
                return ClaimOutcome.UNKNOWN, f"{name}: {GENERATOR_FULL}", False
    if run.record.plan.on_busy_machine:
        return ClaimOutcome.UNKNOWN, BUSY_MACHINE, False
    if test.figure.is_ratio and (biased := stop.biased_experiments(run.record.plan, run.record.blocks)):
        return ClaimOutcome.UNKNOWN, f"the baseline differs from itself in {', '.join(biased)}: no verdicts", False
    outcome, negligible = decide_claim(test, interval, run.record.plan.margin)
    planned = run.planned
    if outcome is ClaimOutcome.HOLDS and planned.soak_s is not None and planned.soak_s < (planned.soak_asked_s or 0):
        return ClaimOutcome.UNKNOWN, f"over {planned.soak_s:.0f} s, the article's over {planned.soak_asked_s} s", False
    return outcome, "the interval decides neither way" if outcome is ClaimOutcome.UNKNOWN else "", negligible
