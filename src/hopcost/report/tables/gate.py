"""A gate's outcome as a document, for a terminal or a pull request, and as JSON."""

from __future__ import annotations

import shlex
from pathlib import Path

import msgspec

from hopcost.errors import UsageError
from hopcost.plan.method import METHOD
from hopcost.record import kept_files
from hopcost.record.kept_files import COMMANDS
from hopcost.report import Format, Result, render
from hopcost.report.document import Document, Heading, Lines, Table
from hopcost.report.formatting import CONFIDENCE_IN_TEXT, count, interval, probability
from hopcost.report.notes.conditions import validity_lines
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions import differences
from hopcost.statistics.questions.differences import ABSENT
from hopcost.statistics.questions.gate import AFTER, BEFORE, FigureDecision, GateOutcome, GateResult
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.statistics.validity.reasons import shorten_reasons

WORDS = {GateOutcome.WITHIN: "passed", GateOutcome.BEYOND: "failed", GateOutcome.NOT_SETTLED: "not settled"}
NAMES = {THROUGHPUT: "throughput", CPU: "CPU per request"}
ENDS = f"{1 - 2 * METHOD.confidence_error:.0%}"  # of an interval each of whose ends holds with 95 %
WRONG = f"{100 * METHOD.confidence_error:g} %"
HEADER = ["figure", f"after ÷ before [{ENDS}]", "limit", "outcome"]


def gate_report(answer: GateResult) -> Result:
    """The outcome as a result. Its Markdown can be appended to a pull request's summary."""
    return Result(lambda: document(answer), lambda: _data(answer))


def document(answer: GateResult) -> Document:
    """One table: a row for each figure."""
    rows = [
        [NAMES[figure.figure], interval(figure.ratio), _limit(figure), _outcome(figure)]
        for figure in answer.decision.figures
    ]
    return Document([[Heading(headline(answer))], [Table(HEADER, rows)], [Lines(_below(answer))]])


def append(answer: GateResult, path: Path) -> None:
    """Add the Markdown to a file, as GitHub's step summary needs it. UsageError if the file cannot be written."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(render(gate_report(answer), Format.MARKDOWN))
    except OSError as error:
        raise UsageError(f"GITHUB_STEP_SUMMARY: {path}: {error.strerror}") from error


def headline(answer: GateResult) -> str:
    """`hopcost gate passed: hello/one-core/go is not slower or dearer than before by more than 3 %`."""
    question = answer.question
    margin = f"{100 * question.margin:.3g} %"
    match answer.decision.outcome:
        case GateOutcome.WITHIN:
            words = f"{question.path} is not {_worse(answer, 'or')} than before by more than {margin}"
        case GateOutcome.BEYOND if answer.decision.why is not None:
            words = f"{question.path} does not work after the change"
        case GateOutcome.BEYOND:
            words = f"{question.path} is {_worse(answer, 'and')} than before by more than {margin}"
        case _:
            words = f"not known whether {question.path} is {_worse(answer, 'or')} than before by more than {margin}"
    return f"hopcost gate {WORDS[answer.decision.outcome]}: {words}"


def last_line(answer: GateResult) -> str:
    """The last line on standard error; every format has it."""
    outcome = answer.decision.outcome
    again = f"hopcost report {shlex.quote(str(answer.record.path))}"
    return f"gate {WORDS[outcome]} (exit code {outcome.exit_code}); record: {answer.record.path}  (again: {again})"


def _worse(answer: GateResult, conjunction: str) -> str:
    """`slower`, `dearer` or both: the figures that decide. If the gate failed: the figures that failed."""
    failed = answer.decision.outcome is GateOutcome.BEYOND
    words = {THROUGHPUT: "slower", CPU: "dearer"}
    figures = [
        figure.figure
        for figure in answer.decision.figures
        if figure.decides and (not failed or figure.outcome is GateOutcome.BEYOND)
    ]
    return f" {conjunction} ".join(words[figure] for figure in figures)


def _limit(figure: FigureDecision) -> str:
    return f"≥ {figure.limit:.3f}" if figure.figure == THROUGHPUT else f"≤ {figure.limit:.3f}"


def _outcome(figure: FigureDecision) -> str:
    notes = [] if figure.p_value is None else [probability(figure.p_value)]
    notes += [] if figure.decides else ["does not decide"]
    return f"{figure.outcome.value} ({', '.join(notes)})" if notes else figure.outcome.value


def _below(answer: GateResult) -> list[str]:
    experiment, plan, decision = answer.experiment, answer.record.plan, answer.decision
    lines = [decision.why] if decision.why is not None else []
    if not lines:
        lines = [f"{NAMES[figure.figure]}: {figure.why}" for figure in decision.figures if figure.why is not None]
    if answer.is_same:
        lines.append("both sides are the same: an A/A gate; it tells what this machine makes of no difference")
    lines += _changes(answer)
    ending = f"; stopped: {experiment.ending.detail}" if experiment.ending is not None else ""
    lines += [
        f"each end of a range holds with {CONFIDENCE_IN_TEXT}; a pass needs the end towards the limit inside it. P: how"
        f" probable it is that the outcome is wrong. A change beyond the margin passes in at most {WRONG} of gates, and"
        f" one within it fails in at most {WRONG}",
        f"A/A floor: {BEFORE} against itself is {interval(experiment.aa_floor)} in throughput",
        f"{count(experiment.blocks, 'block')}{ending}",
        *_blocks(experiment),
        *validity_lines(msgspec.structs.replace(experiment, suspect=[], void=[], failures=[])),
    ]
    environment = answer.record.environment
    lines += [
        f"hopcost {answer.record.run.hopcost}, {answer.record.run.started_utc}, seed {plan.seed};"
        f" {environment.get('cpu') or 'unknown CPU'}, kernel {environment.get('kernel')}",
        f"record: {answer.record.path}",
    ]
    if decision.outcome is GateOutcome.NOT_SETTLED and decision.why is None and _is_open(answer):
        lines.append(f"a longer --time than {plan.time_s:.0f} s, or a wider --margin, may settle it")
    return lines


def _is_open(answer: GateResult) -> bool:
    """Whether more blocks may settle it: what has no verdict has none after an hour either."""
    (after,) = [arm for arm in answer.experiment.arms if arm.name == AFTER]
    comparisons = [after.comparison(figure.figure) for figure in answer.decision.figures if figure.decides]
    return all(comparison is not None and comparison.no_verdict is None for comparison in comparisons)


def _changes(answer: GateResult) -> list[str]:
    """What differs between the two sides as they ran, and the versions of their binaries."""
    arms = answer.record.suite.arms
    hops = [{hop.program: hop for hop in arms[name].hops} for name in (BEFORE, AFTER)]
    lines = [
        f"{change.key}: {_setting(change.a)} → {_setting(change.b)} (before → after)"
        for change in differences.diff(hops[0], hops[1])
    ]
    before, after = (
        kept_files.kept_files(answer.record.path, answer.experiment.plan.name, name) for name in (BEFORE, AFTER)
    )
    lines += [
        f"{name}, as generated (- before, + after):\n" + "\n".join(changed)
        for name, changed in differences.differing_files(before, after).items()
        if name != COMMANDS  # the lines above say how settings differ
    ]
    binaries = answer.record.environment.get("binaries")
    if isinstance(binaries, dict):
        for path, receipt in binaries.items():
            lines.append(f"{path}: {receipt.get('version')}, SHA-256 {str(receipt.get('sha256'))[:12]}…")
    return lines


def _blocks(experiment: ExperimentSummary) -> list[str]:
    """A line for suspect and one for void blocks: a gate's summary is short."""
    lines = []
    for word, blocks in (("suspect", experiment.suspect), ("void", experiment.void)):
        if blocks:
            reasons = shorten_reasons(blocks[0].reasons)
            lines.append(f"{count(len(blocks), f'{word} block')}, the first because {reasons} (hopcost report has all)")
    return lines


def _setting(value: str) -> str:
    return "its default" if value == ABSENT else value


def _data(answer: GateResult) -> dict[str, object]:
    return {
        "outcome": WORDS[answer.decision.outcome],
        "exit_code": answer.decision.outcome.exit_code,
        "why": answer.decision.why,
        "arm": answer.question.path,
        "before": answer.question.before,
        "after": answer.question.after,
        "margin": answer.question.margin,
        "deciding": answer.question.deciding.value,
        "figures": answer.decision.figures,
        "aa_floor": answer.experiment.aa_floor,
        "blocks": answer.experiment.blocks,
        "record": str(answer.record.path),
    }
