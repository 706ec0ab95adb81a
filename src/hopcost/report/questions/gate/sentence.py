"""A gate's answer in a sentence: by how much at the least or at the most, or why nothing is decided."""

from __future__ import annotations

import math

from hopcost.report.brief.reasons import with_advice
from hopcost.report.formatting import LONGEST_PROPOSED_S, count, duration
from hopcost.report.questions.gate.words import NAMES, decimals, elapsed
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.questions.gate.decision import FigureDecision, GateOutcome
from hopcost.statistics.questions.gate.gate import GateResult


def sentence(answer: GateResult) -> str:
    """`At most 1.2 % slower (limit 2.9 %).`, or why nothing is decided."""
    decision = answer.decision
    if answer.is_interrupted:
        return f"Nothing is decided; the figures are of {count(answer.experiment.blocks, 'server start')}."
    if decision.why is not None:
        if decision.outcome is GateOutcome.BEYOND:
            return f"It does not work after the change: {decision.why}."
        return f"No verdict: {with_advice(decision.why)}."
    if decision.outcome is GateOutcome.NOT_SETTLED:
        return _open_sentence(answer)
    deciding = [figure for figure in decision.figures if figure.decides and figure.outcome is decision.outcome]
    words = " and ".join(map(bound_words, deciding))
    return f"{words[0].upper()}{words[1:]}."


def seconds_needed(answer: GateResult) -> float:
    """What a new gate takes to settle it; infinite if time alone does not."""
    settling = answer.decision.to_settle
    return math.inf if settling is None else settling.seconds_from_nothing(answer.experiment.blocks)


def bound_words(figure: FigureDecision) -> str:
    """`at most 1.2 % slower (limit 2.9 %)`: the end of its range that decides."""
    assert figure.ratio is not None and figure.ratio.low is not None and figure.ratio.high is not None, "it decides"
    is_within, is_throughput = figure.outcome is GateOutcome.WITHIN, figure.figure == THROUGHPUT
    end = figure.ratio.low if is_within is is_throughput else figure.ratio.high
    loss = 1 - end if is_throughput else end - 1
    what = "slower" if is_throughput else "more CPU per request"
    if is_within and loss <= 0:
        return f"not {what}" if is_throughput else f"no {what}"
    limit, digits = abs(figure.limit - 1), decimals(figure)
    return (
        f"{'at most' if is_within else 'at least'} {100 * loss:.{digits}f} % {what}"
        f" (limit {100 * limit:.{max(1, digits)}f} %)"
    )


def _open_sentence(answer: GateResult) -> str:
    """How long would settle it. What disturbed starts promise is worth little."""
    decision, experiment = answer.decision, answer.experiment
    measured = " ".join(elapsed(answer.record.run)) or "The time"
    if decision.to_settle is None:
        reasons = dict.fromkeys(
            f"{NAMES[figure.figure]}: {with_advice(figure.why)}"
            for figure in decision.figures
            if figure.decides and figure.why is not None and figure.to_settle is None
        )
        return f"No verdict on {'; '.join(reasons)}."
    seconds = seconds_needed(answer)
    disturbed, starts = len(experiment.suspect), experiment.blocks
    if disturbed:
        where = f"all {starts}" if disturbed == starts else f"{disturbed} of {starts}"
        could_not = f"{measured} could not settle it, and {where} server starts were disturbed."
        return could_not if seconds > LONGEST_PROPOSED_S else f"{could_not} Perhaps {duration(seconds)} would."
    if seconds > LONGEST_PROPOSED_S:
        return f"{measured} could not settle it. The change is too close to the limit for any time to."
    return f"{measured} could not settle it; about {duration(seconds)} would."
