"""What to do after a gate: the same with what would settle it, or once more if it was stopped; else the details."""

from __future__ import annotations

import math
import shlex

from hopcost.plan.method import METHOD
from hopcost.report.disturbed import remedy
from hopcost.report.formatting import LONGEST_PROPOSED_S
from hopcost.report.questions.closing import closing_lines, precision_option, time_option
from hopcost.report.questions.gate.sentence import seconds_needed
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.questions.gate.decision import GateOutcome
from hopcost.statistics.questions.gate.figures import DEFAULT_MARGIN, GateFigures
from hopcost.statistics.questions.gate.gate import GateResult

WIDTH = 80
LEAST_TIME_S = 60.0  # of a time that is proposed


def first_step(answer: GateResult) -> str | None:
    """`close python3 (pid 812)`: what helps an open gate more than time if half of its starts were disturbed."""
    suspect, starts = answer.experiment.suspect, answer.experiment.blocks
    is_open = answer.decision.outcome is GateOutcome.NOT_SETTLED and not answer.is_interrupted
    return remedy(suspect) if is_open and suspect and 2 * len(suspect) >= starts else None


def next_command(answer: GateResult) -> str:
    """The one command that helps most now."""
    experiment, plan, margin = answer.experiment, answer.record.plan, answer.question.margin
    if answer.is_interrupted:
        return _command(answer, margin, [])
    settling, seconds = answer.decision.to_settle, seconds_needed(answer)
    if answer.decision.outcome is not GateOutcome.NOT_SETTLED or experiment.failures:
        return f"hopcost report {shlex.quote(str(answer.record.path))} --details"
    if plan.on_busy_machine:
        return _command(answer, margin, [])
    if experiment.blocks < METHOD.min_blocks:
        return _command(answer, margin, ["--time", time_option(max(LEAST_TIME_S, 4 * plan.time_s))])
    if settling is None:
        return "hopcost doctor"
    if seconds > LONGEST_PROPOSED_S:
        return _command(answer, _margin_that_passes(answer), [])
    narrower = ["--precision", precision_option(settling.target)] if settling.target < plan.precision else []
    return _command(answer, margin, ["--time", time_option(seconds), *narrower])


def _margin_that_passes(answer: GateResult) -> float:
    """The least one, in steps of half a per cent, that has all ranges of this gate inside."""
    least = answer.question.margin
    for figure in answer.decision.figures:
        if figure.decides and figure.ratio is not None and figure.ratio.low and figure.ratio.high:
            least = max(least, (1 / figure.ratio.low if figure.figure == THROUGHPUT else figure.ratio.high) - 1)
    return math.ceil(200 * least) / 200


def _command(answer: GateResult, margin: float, more: list[str]) -> str:
    """The gate's command line with another margin, or with further options; `…` in place of what is too long."""
    question = answer.question
    words = ["hopcost", "gate", question.path]
    words += [word for setting in question.before for word in ("--before", setting)]
    words += [word for setting in question.after for word in ("--after", setting)]
    if question.deciding is not GateFigures.BOTH:
        words += ["--figure", question.deciding.value]
    ending = [*(["--margin", f"{100 * margin:.3g}%"] if margin != DEFAULT_MARGIN else []), *more]
    whole = shlex.join([*words, *ending])
    return whole if len(closing_lines(None, whole)[0]) + 2 <= WIDTH else f"hopcost gate … {shlex.join(ending)}".rstrip()
