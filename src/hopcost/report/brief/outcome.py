"""What came out for a stack beside the baseline, in throughput; a line below the table explains each mark."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from hopcost.report import notation
from hopcost.report.brief.words import baseline_of
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary
from hopcost.statistics.verdict import NO_VERDICT, NOT_SETTLED, SAME

UNSETTLED = "?"
TINY = "~ "  # before a direction: real, but within the margin


class Outcome(Enum):
    """The words of verdicts on throughput, and what the table shows in their place."""

    FASTER = ("faster", "faster")
    SLOWER = ("slower", "slower")
    SAME = (SAME, "~ same")
    NOT_SETTLED = (NOT_SETTLED, UNSETTLED)  # more time may settle it
    NO_VERDICT = (NO_VERDICT, UNSETTLED)  # a fault, which more time does not mend

    @property
    def word(self) -> str:
        """The verdict's word."""
        return self.value[0]

    @property
    def mark(self) -> str:
        """As the table shows it."""
        return self.value[1]

    @property
    def is_verdict(self) -> bool:
        """Whether it is an answer."""
        return self in (Outcome.FASTER, Outcome.SLOWER, Outcome.SAME)


BY_WORD = {outcome.word: outcome for outcome in Outcome}
DIRECTIONS = {Outcome.FASTER.mark, Outcome.SLOWER.mark}


def outcome_of(arm: ArmSummary) -> Outcome:
    """The outcome of a stack that is not the baseline."""
    comparison = arm.comparison(THROUGHPUT)
    if comparison is None or comparison.no_verdict is not None:
        return Outcome.NO_VERDICT
    return BY_WORD[comparison.verdict.word]


def is_tiny(arm: ArmSummary) -> bool:
    """Whether its difference is real, but within the margin."""
    comparison = arm.comparison(THROUGHPUT)
    return comparison is not None and comparison.no_verdict is None and comparison.verdict.negligible


def has_size(experiment: ExperimentSummary, arm: ArmSummary) -> bool:
    """Whether its ratio means anything: neither it nor the baseline still gets cheaper as it runs."""
    baseline = baseline_of(experiment)
    return arm.ratio is not None and not arm.cpu_falls and not (baseline is not None and baseline.cpu_falls)


def share_of(arm: ArmSummary, ratio: Interval | None) -> notation.Parts:
    """Its throughput in per cent of the baseline's, and the range.

    `≤25 %` if the generator was full for the baseline alone, `≥25 %` if it was full for the arm alone.
    """
    figure, its_range = notation.share_parts(ratio)
    if ratio is None:
        return figure, its_range
    mark = notation.bound_mark(is_bound=arm.throughput_is_a_bound, reference_is_bound=arm.baseline_is_a_bound)
    return mark + figure, its_range


def marks(experiment: ExperimentSummary, arms: Sequence[ArmSummary]) -> dict[str, str]:
    """By stack what the last column shows: none if nothing has a verdict, no word if all directions are the same."""
    if experiment.no_verdicts is not None:
        return dict.fromkeys((arm.name for arm in arms), "")
    words = {arm.name: (TINY if is_tiny(arm) else "") + outcome_of(arm).mark for arm in arms}
    directions = DIRECTIONS & set(words.values())
    return {name: "" if word in directions and len(directions) == 1 else word for name, word in words.items()}
