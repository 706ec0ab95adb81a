"""What a gate makes of a measured change: within the margin, beyond it, or undecided. Pure.

The slow end of the interval decides that a change is within the margin, the other end that it is beyond. Each end is a
bound that holds with 97.5 % over all looks, so that both figures' bounds hold together with 95 % (Bonferroni): neither
a pass nor a failure is wrong in more than 5 % of gates. docs/gate.md has why.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import msgspec

from hopcost.compared import CPU, THROUGHPUT, Comparison
from hopcost.deciding import Deciding
from hopcost.statistics import Interval
from hopcost.summary import ExperimentSummary

BEFORE, AFTER = "before", "after"
ERRORS_AT_MOST = 0.001  # of after's answers, where before has less than a tenth of their share
FIGURES = {Deciding.BOTH: (THROUGHPUT, CPU), Deciding.THROUGHPUT: (THROUGHPUT,), Deciding.CPU: (CPU,)}


class Outcome(Enum):
    """Of a figure, and of the gate."""

    WITHIN = "within the margin"
    BEYOND = "beyond the margin"
    UNDECIDED = "undecided"

    @property
    def exit_code(self) -> int:
        """What the gate ends with."""
        return {Outcome.WITHIN: 0, Outcome.BEYOND: 1, Outcome.UNDECIDED: 4}[self]


class Decided(msgspec.Struct, frozen=True):
    """One figure: after ÷ before, the `limit` that it must not cross, and what came of it. `why` where undecided."""

    figure: str
    ratio: Interval | None
    limit: float
    decides: bool
    outcome: Outcome
    why: str | None = None


class Decision(msgspec.Struct, frozen=True):
    """The gate's outcome; `why` is its reason where no figure has one."""

    outcome: Outcome
    figures: list[Decided]
    why: str | None = None


def decide(found: ExperimentSummary, deciding: Deciding, margin: float) -> Decision:
    """The outcome for the arm `after` of a gate's experiment; `margin` is a fraction.

    It fails with any deciding figure beyond the margin, or where `after` failed or answers wrongly under load, and
    passes with all within.
    """
    arm = next((arm for arm in found.arms if arm.name == AFTER), None)
    comparisons = {each.figure: each for each in arm.comparisons if each.load_per_s is None} if arm else {}
    figures = [
        judge(comparisons.get(name), name, margin, decides=name in FIGURES[deciding]) for name in (THROUGHPUT, CPU)
    ]
    failed = {each.arm: each.message for each in found.failures}
    if AFTER in failed and not any(name.startswith(BEFORE) for name in failed):
        return Decision(Outcome.BEYOND, figures, f"{AFTER} failed: {failed[AFTER]}")
    if failed:
        return Decision(Outcome.UNDECIDED, figures, "; ".join(f"{name} failed: {why}" for name, why in failed.items()))
    broken = _broken(found)
    if broken is not None:
        return Decision(Outcome.BEYOND, figures, broken)
    if found.no_verdicts is not None:
        return Decision(Outcome.UNDECIDED, figures, found.no_verdicts)
    if arm is None:
        reasons = [f"{left.name} is left out: {left.reason}" for left in found.plan.left_out]
        return Decision(Outcome.UNDECIDED, figures, "; ".join(reasons) or "nothing was measured")
    return Decision(together([each.outcome for each in figures if each.decides]), figures)


def _broken(found: ExperimentSummary) -> str | None:
    """What went wrong under load after the change that did not before it; None where nothing did, but for accidents."""
    arms = {arm.name: arm for arm in found.arms}
    if not {BEFORE, AFTER} <= set(arms):
        return None
    before, after = (sum(arms[name].errors.values()) / max(1, arms[name].answers) for name in (BEFORE, AFTER))
    if after <= ERRORS_AT_MOST or before > after / 10:
        return None
    kinds = ", ".join(f"{number} {kind}" for kind, number in arms[AFTER].errors.items() if number)
    return f"{AFTER} had errors under load: {kinds} beside {arms[AFTER].answers:,} correct answers"


def together(outcomes: Sequence[Outcome]) -> Outcome:
    """Of several figures: beyond with any of them, within with all."""
    if Outcome.BEYOND in outcomes:
        return Outcome.BEYOND
    return Outcome.WITHIN if set(outcomes) == {Outcome.WITHIN} else Outcome.UNDECIDED


def judge(comparison: Comparison | None, figure: str, margin: float, *, decides: bool = True) -> Decided:
    """One figure against the margin, which the machine's own noise may widen for a failure and never for a pass."""
    limit = 1 / (1 + margin) if figure == THROUGHPUT else 1 + margin
    ratio = None if comparison is None else comparison.ratio
    outcome, why = _outcome(comparison, figure, margin)
    return Decided(figure=figure, ratio=ratio, limit=limit, decides=decides, outcome=outcome, why=why)


def _outcome(comparison: Comparison | None, figure: str, margin: float) -> tuple[Outcome, str | None]:
    """The outcome, and where it is undecided the reason."""
    if comparison is None or comparison.ratio is None:
        return Outcome.UNDECIDED, "it is not known here"
    low, high = comparison.ratio.low, comparison.ratio.high
    if comparison.no_verdict is not None:
        return Outcome.UNDECIDED, comparison.no_verdict
    noise = comparison.verdict.margin  # the gate's margin, or the A/A arm's interval where that reaches further
    if low is None or high is None or noise is None:
        return Outcome.UNDECIDED, "one block gives no interval"
    # How many times slower, or dearer, than before: from the least to the most that the interval allows.
    least, most = (1 / high, 1 / low) if figure == THROUGHPUT else (low, high)
    if least > 1 + noise:
        return Outcome.BEYOND, None
    if most > 1 + margin:
        words = "even its better end, but not beyond this machine's noise" if least > 1 + margin else "in part"
        return Outcome.UNDECIDED, f"the interval reaches beyond the margin, {words}"
    if noise > margin and most > 1 / (1 + noise):  # better than before beyond all noise is a pass on any machine
        return Outcome.UNDECIDED, f"{BEFORE} against itself reaches ±{noise:.1%}: less is not told apart here and now"
    return Outcome.WITHIN, None
