"""Published claims against records: holds, does not hold, not settled, or not testable here.

Each comparison becomes evidence out of one run of one record; decision.py decides over all comparisons of a
claim. Nothing is divided among different claims, nor among the looks of a run: it stopped on width, or at its end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec

from hopcost.plan.method import METHOD
from hopcost.record.contents.block import ArmBlock
from hopcost.record.contents.run import Record
from hopcost.statistics.arms import RecordBlocks
from hopcost.statistics.comparisons import BUSY_MACHINE, own_fault, too_few
from hopcost.statistics.figures import BlockFigure, cpu_of, cpu_per_request, throughput
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.claims.decision import Bound, ClaimOutcome, Decision, Evidence, decide
from hopcost.statistics.questions.claims.result import ClaimResult, ClaimTestResult, Errors
from hopcost.statistics.questions.claims.run import ClaimRun, JudgedRecord, find_run, unmet_condition, why_absent
from hopcost.statistics.questions.evidence import Question, measure_ratio, time_to_settle, weigh_ratio
from hopcost.statistics.summary import soak
from hopcost.statistics.summary.soak import Course
from hopcost.statistics.validity.bias import why_run_is_convicted
from hopcost.statistics.validity.grounds import GENERATOR_FULL
from hopcost.suites.articles.claim import (
    Claim,
    ClaimFigure,
    ClaimTest,
    Relation,
    published_errors,
    published_ratio,
    reference,
)
from hopcost.suites.articles.published import Value
from hopcost.suites.suite import Suite

COURSES = {ClaimFigure.DRIFT: "ratio", ClaimFigure.MEMORY_DRIFT: "memory_bytes"}


class _Comparison(msgspec.Struct, frozen=True):
    """A comparison before its claim is decided; `evidence` is None if it may not be judged, for the result's reason."""

    result: ClaimTestResult
    run: ClaimRun
    evidence: Evidence | None


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
    own = [
        JudgedRecord(record, RecordBlocks(record.plan.experiments, record.blocks))
        for record in records
        if record.plan.suite == suite.name
    ]
    return [ClaimResult(suite.name, claim, _judge_claim(claim, suite, own)) for claim in suite.claims]


def _judge_claim(claim: Claim, suite: Suite, records: Sequence[JudgedRecord]) -> list[ClaimTestResult]:
    """The result of each comparison, in the claim's order."""
    gathered = list(_gather(claim, suite, records))
    comparisons = [entry for entry in gathered if isinstance(entry, _Comparison)]
    decisions = iter(decide([comparison.evidence for comparison in comparisons]))
    return [
        _decided(entry, next(decisions), len(comparisons)) if isinstance(entry, _Comparison) else entry
        for entry in gathered
    ]


def _gather(claim: Claim, suite: Suite, records: Sequence[JudgedRecord]) -> Iterator[ClaimTestResult | _Comparison]:
    """Each comparison: decided if it needs no statistics, else with its evidence."""
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
            run = find_run(records, name, _names(blank))
            if run is None:
                yield msgspec.structs.replace(blank, reason=why_absent(records, name))
            else:
                yield _look_at(blank, claim, run)


def _names(result: ClaimTestResult) -> list[str]:
    """The arms that a comparison needs."""
    return [result.test.arm] if result.to is None else [result.test.arm, result.to]


def _published_errors(test: ClaimTest, suite: Suite, value: Value | None) -> bool | None:
    if test.figure is not ClaimFigure.ERRORS:
        return None
    return published_errors(test, suite.experiment(test.experiment), value)


def _look_at(blank: ClaimTestResult, claim: Claim, run: ClaimRun) -> ClaimTestResult | _Comparison:
    """A figure is measured and shown even if its conditions are not met; then it decides nothing."""
    test, names = blank.test, _names(blank)
    seen = msgspec.structs.replace(
        blank,
        record=run.record.path.name,
        started_utc=run.record.run.started_utc,
        blocks=sum({arm.name for arm in block.arms}.issuperset(names) for block in run.blocks),
        errors=_errors(run.arms.of(test.arm)) if test.figure is ClaimFigure.ERRORS and run.arms.of(test.arm) else None,
    )
    measured, evidence = _evidence(seen, run)
    seen = msgspec.structs.replace(seen, measured=measured)
    unmet = unmet_condition(claim.needs, run, names)
    if unmet is not None:
        return msgspec.structs.replace(seen, reason=unmet)
    if test.figure is ClaimFigure.ERRORS:
        outcome, reason = _of_errors(seen)
        return msgspec.structs.replace(seen, outcome=outcome, reason=reason)
    why = _why_not_judged(seen, run)
    if why is not None:
        return _Comparison(msgspec.structs.replace(seen, reason=why), run, None)
    return _Comparison(seen, run, evidence)


def _evidence(seen: ClaimTestResult, run: ClaimRun) -> tuple[Interval | None, Evidence | None]:
    """The figure with its own 95 % interval, and what it says of the claim; None if there is no such thing."""
    test = seen.test
    if seen.to is not None:
        question = _question(seen, seen.to, run)
        return measure_ratio(run.arms, question, METHOD.confidence_error), weigh_ratio(run.arms, question)
    course = _course(test, run) if test.figure in COURSES else None
    if course is None or course.drift is None:
        return None, None
    measured = Interval(course.drift.over_run, course.drift.low, course.drift.high)
    return measured, Evidence(test.relation, test.bounds, course.probability_below, run.record.plan.margin)


def _question(seen: ClaimTestResult, to: str, run: ClaimRun) -> Question:
    test = seen.test
    return Question(test.arm, to, _reading(test), test.relation, test.bounds, run.record.plan.margin)


def _course(test: ClaimTest, run: ClaimRun) -> Course | None:
    """The soak's course of the figure; None if it has none."""
    asked = (test.arm, COURSES[test.figure])
    courses = soak.summarise_soak(run.planned, run.blocks)
    return next((course for course in courses if (course.arm, course.figure) == asked), None)


def _reading(test: ClaimTest) -> BlockFigure:
    """The figure of an arm's part of a block that the test compares."""
    if test.figure is ClaimFigure.THROUGHPUT:
        return throughput
    return cpu_per_request if test.hop is None else cpu_of(test.hop)


def _errors(parts: Sequence[ArmBlock]) -> Errors:
    counts = [sum(part.errors.values()) for part in parts]
    unopened = sum(1 for part in parts if part.totals is not None and part.totals.all_opened is False)
    return Errors(
        count=sum(counts), blocks=sum(1 for count in counts if count), least=min(counts), unopened_blocks=unopened
    )


def _of_errors(seen: ClaimTestResult) -> tuple[ClaimOutcome, str]:
    """A count needs no spread, so one block is enough: an arm that erred in any of them did err.

    If there are fewer errors than asked for, connections that never opened decide nothing: they could have none.
    """
    test, errors = seen.test, seen.errors
    if errors is None:
        return ClaimOutcome.NOT_SETTLED, "no valid block"
    has_them = errors.count > 0 if test.size is None else errors.least >= test.size
    if not has_them and errors.unopened_blocks:
        blocks = f"{errors.unopened_blocks} of {seen.blocks} blocks"
        return ClaimOutcome.NOT_SETTLED, f"connections that never opened in {blocks}"
    is_right = has_them is (test.relation is not Relation.NONE)
    return (ClaimOutcome.HOLDS if is_right else ClaimOutcome.DOES_NOT_HOLD), ""


def _why_not_judged(seen: ClaimTestResult, run: ClaimRun) -> str | None:
    """Why a measured figure decides nothing, whatever it is; None if it may."""
    test, names = seen.test, _names(seen)
    if (few := too_few(seen.blocks)) is not None:
        return few
    if seen.measured is None:
        lacking = run.arms.lacking(test.arm, _reading(test), seen.to) if seen.to is not None else []
        return f"no figure in block {', '.join(map(str, lacking))}" if lacking else "too few segments for a drift"
    if run.record.plan.on_busy_machine:
        return BUSY_MACHINE
    if test.figure is not ClaimFigure.MEMORY_DRIFT:
        for name in [*names, *_copies(names, run)]:
            figure = _reading(test).name if test.figure.is_ratio else throughput.name
            if (fault := own_fault(run.arms, run.planned, name, figure)) is not None:
                return f"{name}: {fault}"
    return why_run_is_convicted(run.arms.record) if test.figure.is_ratio else None


def _copies(names: Sequence[str], run: ClaimRun) -> list[str]:
    """The second runs of these arms: an arm's figure is the mean of both."""
    return [arm.name for arm in run.planned.arms if arm.copy_of in names]


def _decided(comparison: _Comparison, decision: Decision, comparisons: int) -> ClaimTestResult:
    """The result, of so many comparisons that share the error of a failure."""
    result, planned = comparison.result, comparison.run.planned
    if decision.outcome is ClaimOutcome.NOT_SETTLED:
        reason = result.reason or _why_open(result, comparison.evidence)
        settling = None
        if result.to is not None and comparison.evidence is not None:
            question = _question(result, result.to, comparison.run)
            settling = time_to_settle(comparison.run.arms, question, comparisons)
        return msgspec.structs.replace(result, outcome=decision.outcome, reason=reason, to_settle=settling)
    if decision.outcome is ClaimOutcome.HOLDS and planned.soak_s is not None:
        asked_s = planned.soak_asked_s or 0
        if planned.soak_s < asked_s:
            reason = f"over {planned.soak_s:.0f} s, the article's over {asked_s} s"
            return msgspec.structs.replace(result, outcome=ClaimOutcome.NOT_SETTLED, reason=reason)
    return msgspec.structs.replace(
        result, outcome=decision.outcome, p_value=decision.p_value, negligible=decision.is_negligible
    )


def _why_open(result: ClaimTestResult, evidence: Evidence | None) -> str:
    """Why evidence that may be judged settles nothing."""
    if evidence is not None and evidence.bound is not Bound.NONE:
        names = {Bound.LOWER: _names(result)[:1], Bound.UPPER: _names(result)[1:], Bound.BOTH: _names(result)}
        return f"{' and '.join(names[evidence.bound])}: {GENERATOR_FULL}"
    low, high = result.test.bounds
    measured = result.measured
    is_apart = (
        measured is not None
        and measured.low is not None
        and measured.high is not None
        and (measured.high < low or measured.low > high)
    )
    if is_apart:
        return "its range lies outside, but not clearly enough beside the claim's other comparisons"
    if low > 0 and not math.isinf(high):
        return f"its range reaches beyond {low:.3g} to {high:.3g}"
    return f"its range lies on both sides of {high if low == 0 else low:g}"
