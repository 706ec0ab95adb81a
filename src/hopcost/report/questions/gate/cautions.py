"""What changes the reading of a gate's table, and how far the side before differed from itself."""

from __future__ import annotations

from hopcost.errors import printable
from hopcost.report import notation
from hopcost.report.disturbed import disturbed_sentences
from hopcost.report.formatting import count
from hopcost.report.questions.gate.words import NAMES
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.questions.gate.decision import FigureDecision, GateOutcome
from hopcost.statistics.questions.gate.gate import GateResult

MOST = 3


def cautions(answer: GateResult) -> list[str]:
    """At most three, the noise behind them: `! …` changes the reading, `? …` explains an outcome."""
    changing = [f"! {caution}" for caution in changes_reading(answer)]
    explaining = [f"? {words}" for figure in answer.decision.figures for words in _why_open(figure)]
    noise = noise_sentence(answer)
    if noise is None:
        return [*changing, *explaining][:MOST]
    if noise_is_too_wide(answer):
        return [*changing, f"! {noise}", *explaining][:MOST]
    return [*[*changing, *explaining][:MOST], noise]


def changes_reading(answer: GateResult) -> list[str]:
    """Sentences without which the figures would be misread; the noise is none of them."""
    experiment = answer.experiment
    disturbed = disturbed_sentences(experiment.suspect, experiment.blocks, "--details")
    lines = [*_own_faults(answer), *disturbed[:1]]  # the last lines have the remedy
    if answer.question.is_same:
        lines.append("Both sides are identical, so this shows the machine's noise.")
    return [printable(line) for line in lines]


def noise_sentence(answer: GateResult) -> str | None:
    """How far the side before was from itself; None if it is not known."""
    floor = answer.experiment.aa_floor
    if floor is None:
        return None
    wider = " That is wider than the limit." if noise_is_too_wide(answer) else ""
    return f"Noise: before measured twice differed by {notation.change(floor)}.{wider}"


def noise_is_too_wide(answer: GateResult) -> bool:
    """Whether the side before could differ from itself by more than the margin."""
    floor = answer.experiment.aa_floor
    if floor is None:
        return False
    low, high = 1 / (1 + answer.question.margin), 1 + answer.question.margin
    return floor.low is None or floor.high is None or floor.low < low or floor.high > high


def _why_open(figure: FigureDecision) -> list[str]:
    """Why a figure is open whose whole range is on the worse side of no change."""
    ratio = figure.ratio
    if figure.outcome is not GateOutcome.NOT_SETTLED or figure.to_settle is None:
        return []
    if ratio is None or ratio.low is None or ratio.high is None:
        return []
    is_throughput = figure.figure == THROUGHPUT
    near, far = (1 / ratio.high, 1 / ratio.low) if is_throughput else (ratio.low, ratio.high)
    limit = 1 / figure.limit if is_throughput else figure.limit
    worse = "slower" if is_throughput else "more CPU"
    if near > limit:
        return [f"{NAMES[figure.figure]}: {worse}, but the two figures share the doubt, and that leaves too much."]
    if near > 1 and far > limit:
        percent = notation.signed(100 * abs(figure.limit - 1), 1).removeprefix("+")
        return [f"{NAMES[figure.figure]}: {worse} for certain, but perhaps by less than {percent} %."]
    return []


def _own_faults(answer: GateResult) -> list[str]:
    """What to do about failures, errors and warm-ups of both sides, each once."""
    hints = {failure.arm: failure.hint for failure in answer.experiment.failures if failure.hint}
    lines = [f"{arm} failed; hint: {hint}." for arm, hint in hints.items()]
    for arm in answer.experiment.arms:
        if errors := sum(arm.errors.values()):
            lines.append(f"{arm.name} had {count(errors, 'error')}: only correct answers count.")
        if arm.steady is False:
            lines.append(f"{arm.name} was not steady yet when its warm-up ended.")
    return lines
