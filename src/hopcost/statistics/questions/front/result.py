"""What a record of fronts says: a row for each stack, the advice in order, and the stack to take."""

from __future__ import annotations

import msgspec

from hopcost.record.contents.run import Record
from hopcost.statistics import figures
from hopcost.statistics.comparisons import CPU
from hopcost.statistics.intervals import Interval
from hopcost.statistics.precision import looks
from hopcost.statistics.questions.front.advice import Advice, Worth, as_measured, best_front, in_order, judge
from hopcost.statistics.questions.front.fronts import Front, beside
from hopcost.statistics.questions.front.pairs import Pairs
from hopcost.statistics.questions.front.question import FrontQuestion
from hopcost.statistics.summary import summary
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary


class FrontRow(msgspec.Struct, frozen=True):
    """A stack beside the reference: its own throughput, that ÷ the reference's, and what CPU it adds to a request (ns).

    `cpu_ns` is all that a request of it takes, by hop. `is_bound` is true if the generator was full and the stack was
    not.
    """

    arm: str
    throughput_per_s: float | None
    ratio: Interval | None
    added: Interval | None
    cpu_ns: dict[str, int | None]
    body_bytes: int
    is_bound: bool = False


class FrontFailure(msgspec.Struct, frozen=True):
    """A front that failed as it ran, and how."""

    arm: str
    message: str
    hint: str | None = None


class FrontResult(msgspec.Struct, frozen=True):
    """The answer; `app_ns` is the reference's CPU per request.

    `best` is the stack to take, or to show if nothing has a verdict; None if nginx itself was not measured.
    """

    question: FrontQuestion
    record: Record
    experiments: list[ExperimentSummary]
    rows: list[FrontRow]
    advice: list[Advice]
    failures: list[FrontFailure]
    best: Front | None
    app_ns: float | None

    def of(self, front: Front) -> Advice | None:
        """The advice on one front."""
        return next((entry for entry in self.advice if entry.front is front), None)

    def row(self, arm: str) -> FrontRow | None:
        """One stack."""
        return next((row for row in self.rows if row.arm == arm), None)

    def per_s(self, row: FrontRow) -> float | None:
        """A stack's requests per second beside the reference: the reference's, times the stack's share of them.

        Fronts are measured in several experiments, one after the other. What one did in a slower minute would
        contradict its share, which is of that same minute. Without a share it is what was measured.
        """
        reference = self.row(self.question.reference)
        if row.ratio is None or reference is None or reference.throughput_per_s is None:
            return row.throughput_per_s
        return reference.throughput_per_s * row.ratio.value


def read_front(question: FrontQuestion, record: Record) -> FrontResult:
    """The answer that a record of fronts holds, also if it was interrupted."""
    experiments = summary.summarise(record)
    pairs = Pairs(record, question.reference, question.rate_per_s)
    arms = _arms(experiments)
    measured = [front for front in question.compared if front.value in arms]
    error = _error(experiments, record) / max(1, len(measured))
    rows = [
        _row(arms[name], pairs, question, error) for name in (question.reference, *map(str, measured)) if name in arms
    ]
    app_ns = _app_ns(arms.get(question.reference), question)
    advice = [_advise(front, question, experiments, pairs, app_ns, record.plan.margin, error) for front in measured]
    failures = {
        failure.arm: FrontFailure(failure.arm, failure.message, failure.hint)
        for experiment in experiments
        for failure in experiment.failures
    }
    ordered = in_order(advice)
    best = None
    if Front.NGINX.value in arms and app_ns is not None:
        best = best_front(as_measured(ordered, app_ns, record.plan.margin))
    return FrontResult(question, record, experiments, rows, ordered, list(failures.values()), best, app_ns)


def _arms(experiments: list[ExperimentSummary]) -> dict[str, ArmSummary]:
    """Each arm of the record once; the app alone as it was in the first experiment that measured it."""
    arms: dict[str, ArmSummary] = {}
    for experiment in experiments:
        for arm in experiment.arms:
            if arm.answers:
                arms.setdefault(arm.name, arm)
    return arms


def _error(experiments: list[ExperimentSummary], record: Record) -> float:
    """What the intervals of all fronts share: the smallest, if experiments ended in unlike ways."""
    errors = [
        looks.error_at_end(experiment.ending.why if experiment.ending else None, record.plan.until)
        for experiment in experiments
    ]
    return min(errors, default=1.0)


def _app_ns(reference: ArmSummary | None, question: FrontQuestion) -> float | None:
    return None if reference is None else figures.cpu_of_hops(_cpu_ns(reference, question))


def _cpu_ns(arm: ArmSummary, question: FrontQuestion) -> dict[str, int | None]:
    """CPU ns per request by hop and of the generator, at the load that is asked for."""
    if question.rate_per_s is None:
        return arm.cpu_ns_per_request
    loads = (load for load in arm.open_loop if load.rate_per_s == question.rate_per_s)
    return next((load.cpu_ns_per_request for load in loads), {})


def _row(arm: ArmSummary, pairs: Pairs, question: FrontQuestion, error: float) -> FrontRow:
    is_reference = arm.name == question.reference
    return FrontRow(
        arm=arm.name,
        throughput_per_s=arm.throughput_per_s,
        ratio=None if is_reference else pairs.throughput(arm.name, question.reference, error),
        added=None if is_reference else pairs.cpu(arm.name, question.reference, error),
        cpu_ns=_cpu_ns(arm, question),
        body_bytes=arm.body_bytes,
        is_bound=arm.throughput_is_a_bound,
    )


def _advise(
    front: Front,
    question: FrontQuestion,
    experiments: list[ExperimentSummary],
    pairs: Pairs,
    app_ns: float | None,
    margin: float,
    error: float,
) -> Advice:
    other = beside(front, question.fronts)
    cpu, throughput = pairs.cpu(front.value, other, error), pairs.throughput(front.value, other, error)
    why = next(filter(None, (_why_no_verdict(experiments, name) for name in (front.value, other))), None)
    if why is None and (cpu is None or app_ns is None):
        why = f"{other} was not measured" if cpu is None else "the app's CPU time is not known here"
    if why is None and (cpu is not None and cpu.low is None):
        why = "one start has no range: more time"
    worth = Worth.NO_VERDICT if why is not None or app_ns is None else judge(cpu, app_ns, margin)
    return Advice(front, other, cpu, throughput, worth, why)


def _why_no_verdict(experiments: list[ExperimentSummary], arm: str) -> str | None:
    """Why nothing is judged that an arm is a part of."""
    for experiment in experiments:
        own = next((summary for summary in experiment.arms if summary.name == arm), None)
        if own is None:
            continue
        if experiment.no_verdicts is not None:
            return experiment.no_verdicts
        comparison = own.comparison(CPU)
        return None if comparison is None else comparison.no_verdict
    return None
