"""What stands behind a gate's outcome: the change as it ran, the statistics, the machine."""

from __future__ import annotations

from hopcost.plan.method import METHOD
from hopcost.record import kept_files
from hopcost.record.kept_files import COMMANDS
from hopcost.report.formatting import CONFIDENCE_IN_TEXT, count, interval, probability
from hopcost.report.notes.conditions import validity_lines
from hopcost.statistics.questions import differences
from hopcost.statistics.questions.differences import ABSENT
from hopcost.statistics.questions.gate import AFTER, BEFORE, FigureDecision, GateResult

ENDS = f"{1 - 2 * METHOD.confidence_error:.0%}"  # of an interval each of whose ends holds with 95 %
WRONG = f"{100 * METHOD.confidence_error:g} %"
SWITCHES = {"true": "on", "false": "off", ABSENT: "default"}
HOW = (
    f"Each end of a range holds with {CONFIDENCE_IN_TEXT}; a pass needs the end towards the limit inside it. P: how"
    f" probable it is that the outcome is wrong. A change beyond the margin passes in at most {WRONG} of gates, and one"
    f" within it fails in at most {WRONG}. The margin of throughput is a factor: 3 % is 1 ÷ 1.03, or −2.9 %."
)


def changed_settings(answer: GateResult) -> list[str]:
    """`nginx.access_log: default → on`."""
    arms = answer.record.suite.arms
    before, after = ({hop.program: hop for hop in arms[name].hops} for name in (BEFORE, AFTER))
    return [
        f"{change.key.replace('.settings.', '.', 1)}: {_setting(change.a)} → {_setting(change.b)}"
        for change in differences.diff(before, after)
    ]


def changes_in_files(answer: GateResult) -> list[str]:
    """`nginx.conf: + access_log on;`: the lines of generated files that are in one side alone."""
    before, after = (
        kept_files.kept_files(answer.record.path, answer.experiment.plan.name, name) for name in (BEFORE, AFTER)
    )
    return [
        f"{name}: {line}"
        for name, lines in differences.differing_files(before, after).items()
        if name != COMMANDS  # settings say how commands differ
        for line in lines
    ]


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
        f"Before against itself: {interval(experiment.aa_floor)} in throughput",
        f"{count(experiment.blocks, 'start')}{ending}",
        *validity_lines(experiment),
        f"hopcost {answer.record.run.hopcost}, {answer.record.run.started_utc}, seed {plan.seed};"
        f" {environment.get('cpu') or 'unknown CPU'}, kernel {environment.get('kernel')}",
    ]


def _figure(figure: FigureDecision) -> str:
    """`throughput: after ÷ before 0.972 [0.951, 0.993] [90%], limit 0.971: within the margin (P = 0.020)`."""
    line = f"{figure.figure}: after ÷ before, {ENDS}: {interval(figure.ratio)}, limit {figure.limit:.3f}:"
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


def _setting(value: str) -> str:
    return SWITCHES.get(value, value)
