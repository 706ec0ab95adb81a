"""What stands behind a gate's outcome: the change as it ran, the statistics, the machine."""

from __future__ import annotations

from hopcost.plan.method import METHOD
from hopcost.report import notation
from hopcost.report.formatting import CONFIDENCE_IN_TEXT, count, probability
from hopcost.report.notes.conditions import validity_lines
from hopcost.report.questions.gate.changed import changed_settings, changes_in_files
from hopcost.statistics.questions.gate.decision import FigureDecision
from hopcost.statistics.questions.gate.gate import GateResult

WRONG = f"{100 * METHOD.confidence_error:g} %"
HOW = (
    f"Each end of a range is {CONFIDENCE_IN_TEXT} sure; a pass needs the end towards the limit inside it. P: how often"
    " chance alone gives that outcome if the change lies right at its limit. A change beyond the margin passes in at"
    f" most {WRONG} of gates, and one within it fails in at most {WRONG}. The margin of throughput is a factor: 3 % is"
    " 1 ÷ 1.03, or −2.9 %."
)


def detail_lines(answer: GateResult) -> list[str]:
    """All that the answer leaves out."""
    experiment, plan, environment = answer.experiment, answer.record.plan, answer.record.environment
    ending = f"; stopped: {experiment.ending.detail}" if experiment.ending is not None else ""
    return [
        *map(_figure, answer.decision.figures),
        HOW,
        *(f"{change} (before → after)" for change in changed_settings(answer)),
        *changes_in_files(answer),
        *_binaries(environment.get("binaries")),
        f"before, measured twice: {notation.ratio(experiment.aa_floor)} in throughput",
        f"{count(experiment.blocks, 'server start')}{ending}",
        *validity_lines(experiment),
        f"hopcost {answer.record.run.hopcost}, {answer.record.run.started_utc}, seed {plan.seed};"
        f" {environment.get('cpu') or 'unknown CPU'}, kernel {environment.get('kernel')}",
    ]


def _figure(figure: FigureDecision) -> str:
    """`throughput: after ÷ before 0.972 (0.951–0.993), limit 0.971: within the margin (P = 0.020)`."""
    line = f"{figure.figure}: after ÷ before {notation.ratio(figure.ratio)}, limit {figure.limit:.3f}:"
    line += f" {figure.outcome.value}"
    line += "" if figure.p_value is None else f" ({probability(figure.p_value)})"
    line += "" if figure.decides else ", does not decide"
    return line + ("" if figure.why is None else f": {figure.why}")


def _binaries(binaries: object) -> list[str]:
    if not isinstance(binaries, dict):
        return []
    return [
        f"{path}: {receipt.get('version')}, SHA-256 {str(receipt.get('sha256'))[:12]}…"
        for path, receipt in binaries.items()
    ]
