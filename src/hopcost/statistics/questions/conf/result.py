"""What a record of an nginx.conf says: each change with its range, the whole diff, and whether they add up.

A change has a direction by the confirmation alone: fresh starts, against the file as it is. The ranges of all of them
hold together, and the error is shared over every change that might have been chosen.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from hopcost.record.contents.run import Record
from hopcost.statistics import figures
from hopcost.statistics.arms import PairedBlocks, RecordBlocks
from hopcost.statistics.comparisons import CPU
from hopcost.statistics.intervals import Interval
from hopcost.statistics.precision import looks
from hopcost.statistics.questions.conf.adding_up import apart, disagreement
from hopcost.statistics.questions.conf.question import AS_IS, BARE, MENDS, WHOLE, Candidate, ConfQuestion
from hopcost.statistics.questions.conf.screened import (
    confirmed_part,
    cpu_of_nginx,
    nginx_ns_as_is,
    screened_effects,
)
from hopcost.statistics.summary import summary
from hopcost.statistics.summary.summary import ExperimentSummary


class Worth(Enum):
    """What came out for a change, in CPU time of nginx per request."""

    SAVES = "saves"
    COSTS = "costs"
    OPEN = "not settled"
    SCREENED = "not confirmed"
    NO_VERDICT = "no verdict"
    LEFT_OUT = "left out"


class Finding(msgspec.Struct, frozen=True):
    """A change: what one start showed of it, and what fresh starts did; CPU ns of nginx per request, more: above 0.

    `why` says why there is no verdict, or why it is left out. `throughput` is that with it ÷ that without, of the
    confirmation.
    """

    candidate: Candidate
    screened: Interval | None
    confirmed: Interval | None
    throughput: Interval | None
    worth: Worth
    why: str | None = None

    @property
    def best(self) -> Interval | None:
        """The better of both figures: the confirmed one, if there is one."""
        return self.confirmed or self.screened


class ConfResult(msgspec.Struct, frozen=True):
    """The answer. `as_is_ns` is nginx's CPU time per request with the file as it is.

    `together` is the whole diff, `added_up` what its parts save one at a time, `disagreement` the one minus the other;
    they `interact` if its range excludes 0. `kept` are the changes of the diff that is worth it, `diff` its text.
    `bare` is what one start showed of all changes together. Unless it `is_settled`, nothing has a verdict, and the
    diff is of what was measured.
    """

    question: ConfQuestion
    record: Record
    experiments: list[ExperimentSummary]
    findings: list[Finding]
    as_is_ns: float | None
    mends: Interval | None
    together: Interval | None
    added_up: float | None
    kept: list[str]
    diff: str | None
    disagreement: Interval | None = None
    bare: Interval | None = None
    is_settled: bool = True
    why_nothing: str | None = None

    @property
    def interact(self) -> bool | None:
        """Whether changes of the diff do together what they do not alone; None if nobody knows."""
        gap = self.disagreement
        if gap is None or gap.low is None or gap.high is None:
            return None
        return not gap.low <= 0 <= gap.high

    @property
    def adds_up(self) -> bool:
        """Whether the sum of the parts lies within the range of the whole."""
        whole = self.together
        if whole is None or self.added_up is None or whole.low is None or whole.high is None:
            return False
        return whole.low <= self.added_up <= whole.high

    def of(self, name: str) -> Finding:
        """The finding on a change."""
        return next(finding for finding in self.findings if finding.candidate.name == name)


def read_conf(question: ConfQuestion, record: Record) -> ConfResult:
    """The answer that a record holds, also if the run was interrupted in any of its phases."""
    confirmation = confirmed_part(record)
    experiments = summary.summarise(confirmation)
    blocks = RecordBlocks(confirmation.plan.experiments, confirmation.blocks)
    reader = _Reader(question, confirmation, experiments, [blocks.of(e) for e in confirmation.plan.experiments])
    screened = screened_effects(question, record)
    findings = [reader.finding(candidate, screened.get(candidate.name)) for candidate in question.candidates]
    ordered = sorted(findings, key=_rank)
    parts = [reader.difference(name) for name in question.whole]
    mends = reader.difference(MENDS)
    together = reader.difference(WHOLE) if question.has_whole else None
    if question.mends:
        parts.append(mends)
    added_up = sum(part.value for part in parts if part is not None) if None not in parts and parts else None
    kept = [name for name in question.whole if any(_is_gain(f, name) for f in findings)]
    is_settled = not _lacks_verdicts(findings)
    if not is_settled:
        kept = [name for name in question.whole if any(_seems_gain(f, name) for f in findings)]
    diff = next((diff.text for diff in question.diffs if set(diff.changes) == set(kept)), None)
    return ConfResult(
        question=question,
        record=record,
        experiments=experiments,
        findings=ordered,
        as_is_ns=nginx_ns_as_is(question, record),
        mends=mends,
        together=together,
        added_up=added_up,
        kept=kept,
        disagreement=reader.disagreement(),
        diff=(diff or None) if kept or question.mends else None,
        is_settled=is_settled,
        bare=screened.get(BARE),
        why_nothing=_why_nothing(question, record),
    )


class _Reader:
    """Reads differences off the confirmation."""

    def __init__(
        self,
        question: ConfQuestion,
        record: Record,
        experiments: list[ExperimentSummary],
        blocks: list[PairedBlocks],
    ) -> None:
        self._question, self._experiments, self._blocks = question, experiments, blocks
        errors = [
            looks.error_at_end(experiment.ending.why if experiment.ending else None, record.plan.until)
            for experiment in experiments
        ]
        of_whole = 2 * question.has_whole  # its own, and that of what it has more than its parts
        intervals = len(question.candidates) + of_whole + bool(question.mends)
        self._error = min(errors, default=1.0) / max(1, intervals)

    def finding(self, candidate: Candidate, screened: Interval | None) -> Finding:
        refusal = self._question.refused.get(candidate.name)
        if refusal is not None:
            return Finding(candidate, screened, None, None, Worth.LEFT_OUT, refusal)
        confirmed = self.difference(candidate.name)
        if confirmed is None:
            failure = self._failure(candidate.name)
            worth = Worth.SCREENED if failure is None else Worth.NO_VERDICT
            return Finding(candidate, screened, None, None, worth, failure)
        why = self._why_no_verdict(candidate.name)
        if why is None and confirmed.low is None:
            why = "one start has no range: more time"
        throughput = self._throughput(candidate.name)
        return Finding(candidate, screened, confirmed, throughput, _judge(confirmed, why), why)

    def difference(self, name: str) -> Interval | None:
        """CPU ns of nginx per request of an arm minus that of the file as it is; None if it was not measured."""
        blocks = self._with(name)
        return None if blocks is None else blocks.difference(name, cpu_of_nginx, self._error)

    def disagreement(self) -> Interval | None:
        """What the whole diff does minus what its parts do; None if there is no whole, or a part was not measured."""
        question = self._question
        if not question.has_whole:
            return None
        parts = [*question.whole, *([MENDS] if question.mends else [])]
        together = next((blocks for blocks in self._blocks if {WHOLE, *parts} <= set(blocks.names)), None)
        if together is not None:
            return disagreement(together, WHOLE, parts, cpu_of_nginx, self._error)
        return apart(self.difference(WHOLE), [self.difference(part) for part in parts])

    def _throughput(self, name: str) -> Interval | None:
        blocks = self._with(name)
        return None if blocks is None else blocks.ratio(name, figures.throughput, self._error)

    def _with(self, name: str) -> PairedBlocks | None:
        return next((blocks for blocks in self._blocks if {name, AS_IS} <= set(blocks.names)), None)

    def _failure(self, name: str) -> str | None:
        failures = (failure for experiment in self._experiments for failure in experiment.failures)
        return next((failure.message for failure in failures if failure.arm == name), None)

    def _why_no_verdict(self, name: str) -> str | None:
        for experiment in self._experiments:
            arm = next((arm for arm in experiment.arms if arm.name == name), None)
            if arm is None:
                continue
            if experiment.no_verdicts is not None:
                return experiment.no_verdicts
            comparison = arm.comparison(CPU)
            return None if comparison is None else comparison.no_verdict
        return None


def _judge(confirmed: Interval, why: str | None) -> Worth:
    if why is not None or confirmed.low is None or confirmed.high is None:
        return Worth.NO_VERDICT
    if confirmed.high < 0:
        return Worth.SAVES
    return Worth.COSTS if confirmed.low > 0 else Worth.OPEN


def _is_gain(finding: Finding, name: str) -> bool:
    return finding.candidate.name == name and finding.worth is Worth.SAVES


def _seems_gain(finding: Finding, name: str) -> bool:
    """Whether a change would be a gain, were its figure exact."""
    confirmed = finding.confirmed
    return finding.candidate.name == name and confirmed is not None and confirmed.value < 0


def _lacks_verdicts(findings: list[Finding]) -> bool:
    """Whether changes were confirmed, and none of them has a verdict."""
    confirmed = [finding.worth for finding in findings if finding.confirmed is not None]
    return bool(confirmed) and set(confirmed) == {Worth.NO_VERDICT}


def _rank(finding: Finding) -> tuple[int, float]:
    """What was confirmed first; of those alike the largest figure first."""
    figure = finding.best
    return finding.confirmed is None, 0.0 if figure is None else -abs(figure.value)


def _why_nothing(question: ConfQuestion, record: Record) -> str | None:
    """Why nothing was measured, if nothing was."""
    if record.blocks:
        return None
    return "not one start of its first phase is done" if question.candidates else "this load shows no directive"
