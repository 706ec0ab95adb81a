"""What a gate found, for a terminal, for a pull request (Markdown), and as JSON."""

from __future__ import annotations

import shlex
from pathlib import Path

import msgspec

from hopcost.errors import UsageError
from hopcost.record import kept_files
from hopcost.record.kept_files import COMMANDS
from hopcost.report import Format, columns, markdown
from hopcost.report.formatting import count, interval, printable
from hopcost.report.notes import conditions
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions import differences
from hopcost.statistics.questions.differences import ABSENT
from hopcost.statistics.questions.gate import AFTER, BEFORE, EXPERIMENT, FigureDecision, GateOutcome, GateResult
from hopcost.statistics.summary.summary import ExperimentSummary

WORDS = {GateOutcome.WITHIN: "passed", GateOutcome.BEYOND: "failed", GateOutcome.UNDECIDED: "undecided"}
NAMES = {THROUGHPUT: "throughput", CPU: "CPU per request"}
HEADER = ["figure", "after ÷ before [95%]", "limit", "outcome"]


def render(answer: GateResult, format: Format) -> str:
    """In one format; Markdown can be appended to a pull request's summary."""
    rows = [
        [NAMES[each.figure], interval(each.ratio), _limit(each), _outcome(each)] for each in answer.decision.figures
    ]
    below = [printable(line) for line in _below(answer)]
    if format is Format.JSON:
        return _json(answer)
    if format is Format.MARKDOWN:
        parts = [f"## {markdown.escape(headline(answer))}", markdown.grid(HEADER, rows), markdown.bullets(below)]
        return "\n\n".join(parts) + "\n"
    said = [f"  {line}" for each in below for line in each.splitlines()]
    return "\n".join([printable(headline(answer)), "", *columns.lines(HEADER, rows), "", *said]) + "\n"


def append(answer: GateResult, path: Path) -> None:
    """Add the Markdown to a file, as GitHub's step summary wants it; UsageError where that cannot be written."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(render(answer, Format.MARKDOWN))
    except OSError as error:
        raise UsageError(f"GITHUB_STEP_SUMMARY: {path}: {error.strerror}") from error


def headline(answer: GateResult) -> str:
    """`hopcost gate passed: hello/one-core/go is not slower or dearer than before by more than 3 %`."""
    question = answer.question
    margin = f"{100 * question.margin:.3g} %"
    match answer.decision.outcome:
        case GateOutcome.WITHIN:
            said = f"{question.path} is not {_worse(answer, 'or')} than before by more than {margin}"
        case GateOutcome.BEYOND if answer.decision.why is not None:
            said = f"{question.path} does not work after the change"
        case GateOutcome.BEYOND:
            said = f"{question.path} is {_worse(answer, 'and')} than before by more than {margin}"
        case _:
            said = f"not known whether {question.path} is {_worse(answer, 'or')} than before by more than {margin}"
    return f"hopcost gate {WORDS[answer.decision.outcome]}: {said}"


def last_line(answer: GateResult) -> str:
    """For standard error, whatever the summary's format."""
    outcome = answer.decision.outcome
    again = f"hopcost report {shlex.quote(str(answer.record.path))}"
    return f"gate {WORDS[outcome]} (exit code {outcome.exit_code}); record: {answer.record.path}  (again: {again})"


def _worse(answer: GateResult, joined: str) -> str:
    """`slower`, `dearer` or both: of the figures that decide, where it failed those that did."""
    failed = answer.decision.outcome is GateOutcome.BEYOND
    words = {THROUGHPUT: "slower", CPU: "dearer"}
    found = [
        words[each.figure]
        for each in answer.decision.figures
        if each.decides and (not failed or each.outcome is GateOutcome.BEYOND)
    ]
    return f" {joined} ".join(found)


def _limit(each: FigureDecision) -> str:
    return f"≥ {each.limit:.3f}" if each.figure == THROUGHPUT else f"≤ {each.limit:.3f}"


def _outcome(each: FigureDecision) -> str:
    return each.outcome.value if each.decides else f"{each.outcome.value} (does not decide)"


def _below(answer: GateResult) -> list[str]:
    found, plan = answer.experiment, answer.record.plan
    said = [answer.decision.why] if answer.decision.why is not None else []
    if not said:
        said = [f"{NAMES[each.figure]}: {each.why}" for each in answer.decision.figures if each.why is not None]
    if answer.is_same:
        said.append("both sides are the same: an A/A gate; it tells what this machine makes of no difference")
    said += _changes(answer)
    floor = f"A/A floor: {BEFORE} against itself is {interval(found.aa_floor)} in throughput"
    ending = f"; stopped: {found.ending.detail}" if found.ending is not None else ""
    said += [
        "each interval holds with 95 % over all looks; its end towards the limit decides, so that neither a pass nor a"
        " failure is wrong in more than 5 % of gates",
        floor,
        f"{count(found.blocks, 'block')}{ending}",
        *_blocks(found),
        *conditions.validity(msgspec.structs.replace(found, suspect=[], void=[], failures=[])),
    ]
    environment = answer.record.environment
    said += [
        f"hopcost {answer.record.run.hopcost}, {answer.record.run.started_utc}, seed {plan.seed};"
        f" {environment.get('cpu') or 'unknown CPU'}, kernel {environment.get('kernel')}",
        f"record: {answer.record.path}",
    ]
    if answer.decision.outcome is GateOutcome.UNDECIDED and found.no_verdicts is None and answer.decision.why is None:
        said.append(f"a longer --budget than {plan.budget_s:.0f} s, or a wider --margin, may decide it")
    return said


def _changes(answer: GateResult) -> list[str]:
    """What differs between the two sides, as they were run, with the versions of binaries."""
    arms = answer.record.suite.arms
    hops = [{hop.program: hop for hop in arms[name].hops} for name in (BEFORE, AFTER)]
    said = [
        f"{each.key}: {_set(each.a)} → {_set(each.b)} (before → after)" for each in differences.diff(hops[0], hops[1])
    ]
    before, after = (kept_files.kept_files(answer.record.path, EXPERIMENT, name) for name in (BEFORE, AFTER))
    said += [
        f"{name}, as generated (- before, + after):\n" + "\n".join(changed)
        for name, changed in differences.differing_files(before, after).items()
        if name != COMMANDS  # its settings stand above
    ]
    binaries = answer.record.environment.get("binaries")
    if isinstance(binaries, dict):
        for path, receipt in binaries.items():
            said.append(f"{path}: {receipt.get('version')}, SHA-256 {str(receipt.get('sha256'))[:12]}…")
    return said


def _blocks(found: ExperimentSummary) -> list[str]:
    """Blocks that are not valid, one line for each kind: a gate's summary is short."""
    said = []
    for word, blocks in (("suspect", found.suspect), ("void", found.void)):
        if blocks:
            reasons = "; ".join(blocks[0].reasons)
            said.append(f"{count(len(blocks), f'{word} block')}, the first because {reasons} (hopcost report has all)")
    return said


def _set(value: str) -> str:
    return "its default" if value == ABSENT else value


def _json(answer: GateResult) -> str:
    plain = {
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
    return msgspec.json.format(msgspec.json.encode(plain), indent=2).decode() + "\n"
