"""A gate's outcome as a document, for a terminal or a pull request, and as JSON."""

from __future__ import annotations

import math
import shlex
from datetime import datetime
from pathlib import Path

from hopcost.errors import UsageError
from hopcost.plan.method import METHOD
from hopcost.record.run import Run
from hopcost.report import Format, Result, notation, render
from hopcost.report.brief.reasons import with_advice
from hopcost.report.disturbed import disturbed_sentences
from hopcost.report.document import BarRow, Bars, Document, Fold, Heading, Lines, Section, Style
from hopcost.report.formatting import count, duration
from hopcost.report.questions.closing import closing_lines, precision_option, time_option
from hopcost.report.questions.gate_details import changed_settings, changes_in_files, detail_lines
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions.gate import FigureDecision, GateOutcome, GateResult
from hopcost.statistics.questions.gate_figures import DEFAULT_MARGIN, GateFigures

WORDS = {GateOutcome.WITHIN: "passed", GateOutcome.BEYOND: "failed", GateOutcome.NOT_SETTLED: "not settled"}
HEADLINES = {GateOutcome.WITHIN: "PASSED", GateOutcome.BEYOND: "FAILED", GateOutcome.NOT_SETTLED: "UNDECIDED"}
NAMES = {THROUGHPUT: "throughput", CPU: "CPU/request"}
EXITS = {
    GateOutcome.WITHIN: "the change is within the margin",
    GateOutcome.BEYOND: "the change is beyond the margin",
    GateOutcome.NOT_SETTLED: "neither passed nor failed",
}
INTERRUPTED_EXIT = "interrupted, nothing is decided"
WIDTH = 80
LEAST_TIME_S, LONGEST_S = 60.0, 24 * 3600.0  # of a time that is proposed
MOST_CHANGES = 2  # lines of what differs that stand above the table
MOST_CAUTIONS = 3


def gate_report(answer: GateResult, *, details: bool = False) -> Result:
    """The outcome as a result. Its Markdown can be appended to a pull request's summary."""
    return Result(lambda: document(answer, details=details), lambda: _data(answer))


def document(answer: GateResult, *, details: bool = False) -> Document:
    """The outcome, a row for each figure, what changes its reading, and what to do next."""
    rows = [_row(figure) for figure in answer.decision.figures]
    sections: list[Section] = [
        _head(answer),
        [Lines([f"{_headline(answer)}  {sentence(answer)}"], Style.ANSWER)],
        [Bars(["", "change", "", "limit", "outcome"], rows, _cautions(answer))],
        [Lines(_closing(answer), Style.VERSE)],
        [Fold("Details", [Lines(detail_lines(answer))], is_open=details)],
    ]
    return Document(sections)


def append(answer: GateResult, path: Path) -> None:
    """Add the Markdown to a file, as GitHub's step summary needs it. UsageError if the file cannot be written."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(render(gate_report(answer), Format.MARKDOWN))
    except OSError as error:
        raise UsageError(f"GITHUB_STEP_SUMMARY: {path}: {error.strerror}") from error


def last_line(answer: GateResult) -> str:
    """For standard error, if the answer itself goes elsewhere."""
    word = "interrupted" if answer.is_interrupted else WORDS[answer.decision.outcome]
    again = f"hopcost report {shlex.quote(str(answer.record.path))}"
    return f"gate {word} (exit code {answer.exit_code}); record: {answer.record.path}  (again: {again})"


def _headline(answer: GateResult) -> str:
    return "INTERRUPTED" if answer.is_interrupted else HEADLINES[answer.decision.outcome]


def _head(answer: GateResult) -> Section:
    """`hopcost gate · nginx-http-tcp · nginx.access_log: off → on · margin 3 % · 70 s`, and two lines of changes."""
    settings, files = changed_settings(answer), changes_in_files(answer)
    title, changes = _title(answer, settings), files
    if len(title) > WIDTH:
        title, changes = _title(answer, []), [*settings, *files]
    more = len(changes) - MOST_CHANGES
    changes = [*changes[:MOST_CHANGES], *([f"and {more} more: --details"] if more > 0 else [])]
    return [Heading(title), Lines(changes)]


def _title(answer: GateResult, settings: list[str]) -> str:
    name = answer.question.path.rpartition("/")[2]
    margin = f"margin {100 * answer.question.margin:.3g} %"
    return " · ".join(["hopcost gate", name, *settings, margin, *_elapsed(answer.record.run)])


def _elapsed(run: Run) -> list[str]:
    """`70 s`; nothing of a run that did not end."""
    if run.ended_utc is None:
        return []
    length = datetime.fromisoformat(run.ended_utc) - datetime.fromisoformat(run.started_utc)
    return [duration(round(length.total_seconds()))]


def sentence(answer: GateResult) -> str:
    """`At most 1.2 % slower (limit 2.9 %).`, or why nothing is decided."""
    decision = answer.decision
    if answer.is_interrupted:
        return f"Nothing is decided; the figures are of {count(answer.experiment.blocks, 'start')}."
    if decision.why is not None:
        if decision.outcome is GateOutcome.BEYOND:
            return f"It does not work after the change: {decision.why}."
        return f"No verdict: {with_advice(decision.why)}."
    if decision.outcome is GateOutcome.NOT_SETTLED:
        return _open_sentence(answer)
    bounds = [_bound(figure) for figure in decision.figures if figure.decides and figure.outcome is decision.outcome]
    words = " and ".join(bounds)
    return f"{words[0].upper()}{words[1:]}."


def _bound(figure: FigureDecision) -> str:
    """`at most 1.2 % slower (limit 2.9 %)`: the end of its range that decides."""
    assert figure.ratio is not None and figure.ratio.low is not None and figure.ratio.high is not None, "it decides"
    is_within, is_throughput = figure.outcome is GateOutcome.WITHIN, figure.figure == THROUGHPUT
    end = figure.ratio.low if is_within is is_throughput else figure.ratio.high
    loss = 1 - end if is_throughput else end - 1
    what = "slower" if is_throughput else "more CPU per request"
    if is_within and loss <= 0:
        return f"not {what}" if is_throughput else f"no {what}"
    limit = abs(figure.limit - 1)
    decimals = _decimals(figure)
    return (
        f"{'at most' if is_within else 'at least'} {100 * loss:.{decimals}f} % {what}"
        f" (limit {100 * limit:.{max(1, decimals)}f} %)"
    )


def _open_sentence(answer: GateResult) -> str:
    decision = answer.decision
    measured = " ".join(_elapsed(answer.record.run)) or "The time"
    seconds = _seconds_needed(answer)
    if decision.to_settle is None:
        reasons = dict.fromkeys(
            f"{NAMES[figure.figure]}: {with_advice(figure.why)}"
            for figure in decision.figures
            if figure.decides and figure.why is not None and figure.to_settle is None
        )
        return f"No verdict on {'; '.join(reasons)}."
    if seconds > LONGEST_S:
        return f"{measured} could not settle it. The change is too close to the limit for any time to."
    return f"{measured} could not settle it; about {duration(seconds)} would."


def _seconds_needed(answer: GateResult) -> float:
    """What a new gate takes to settle it; infinite if time alone does not."""
    settling = answer.decision.to_settle
    return math.inf if settling is None else settling.seconds_from_nothing(answer.experiment.blocks)


def _row(figure: FigureDecision) -> BarRow:
    change, its_range = notation.change_parts(figure.ratio, _bounds(figure))
    limit = f"{notation.signed(100 * (figure.limit - 1), max(1, _decimals(figure)))} %"
    return BarRow(NAMES[figure.figure], after=[change, its_range, limit, _outcome(figure)])


def _bounds(figure: FigureDecision) -> list[float]:
    """Rounding must hide neither on which side of its limit a range ends, nor on which side of no change."""
    return [1.0, figure.limit]


def _decimals(figure: FigureDecision) -> int:
    """Of the change as its row shows it."""
    digits, _, _ = notation.change_parts(figure.ratio, _bounds(figure))[0].partition(" ")
    return len(digits.partition(".")[2])


def _outcome(figure: FigureDecision) -> str:
    word = WORDS[figure.outcome]
    if figure.outcome is GateOutcome.NOT_SETTLED and figure.to_settle is None:
        word = "no verdict"
    return word if figure.decides else f"{word}, does not decide"


def _cautions(answer: GateResult) -> list[str]:
    """What changes the reading, at most three; the noise itself stands behind them."""
    experiment = answer.experiment
    disturbed = disturbed_sentences(experiment.suspect, experiment.blocks, "--details")
    cautions = [
        *(f"! {caution}" for caution in _own_faults(answer)),
        *([f"! {' '.join(disturbed)}"] if disturbed else []),
    ]
    if answer.is_same:
        cautions.append("! Both sides are identical, so this shows the machine's noise.")
    floor = experiment.aa_floor
    if floor is None:
        return cautions[:MOST_CAUTIONS]
    noise = f"Before against itself: {notation.change(floor)}."
    low, high = 1 / (1 + answer.question.margin), 1 + answer.question.margin
    if floor.low is None or floor.high is None or floor.low < low or floor.high > high:
        return [*cautions, f"! {noise} The noise is wider than the limit."][:MOST_CAUTIONS]
    return [*cautions[:MOST_CAUTIONS], noise]


def _own_faults(answer: GateResult) -> list[str]:
    """Errors and warm-ups of both sides, each once."""
    lines = []
    for arm in answer.experiment.arms:
        if errors := sum(arm.errors.values()):
            lines.append(f"{arm.name} had {errors:,} errors: only correct answers count.")
        if arm.steady is False:
            lines.append(f"{arm.name} reached no steady state in its warm-up.")
    return lines


def _closing(answer: GateResult) -> list[str]:
    meaning = INTERRUPTED_EXIT if answer.is_interrupted else EXITS[answer.decision.outcome]
    lines = closing_lines(str(answer.record.path), _next(answer))
    return [*lines, f"exit {answer.exit_code}: {meaning}"]


def _next(answer: GateResult) -> str:
    """The same gate with what would settle it, or once more if it was stopped; else the record's report."""
    experiment, plan, margin = answer.experiment, answer.record.plan, answer.question.margin
    if answer.is_interrupted:
        return _command(answer, margin, [])
    settling, seconds = answer.decision.to_settle, _seconds_needed(answer)
    if answer.decision.outcome is not GateOutcome.NOT_SETTLED or experiment.failures:
        return f"hopcost report {shlex.quote(str(answer.record.path))} --details"
    if plan.on_busy_machine:
        return _command(answer, margin, [])
    if experiment.blocks < METHOD.min_blocks:
        return _command(answer, margin, ["--time", time_option(max(LEAST_TIME_S, 4 * plan.time_s))])
    if settling is None:
        return "hopcost doctor"
    if seconds > LONGEST_S:
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


def _data(answer: GateResult) -> dict[str, object]:
    return {
        "outcome": WORDS[answer.decision.outcome],
        "exit_code": answer.exit_code,
        "why": answer.decision.why,
        "arm": answer.question.path,
        "before": answer.question.before,
        "after": answer.question.after,
        "margin": answer.question.margin,
        "deciding": answer.question.deciding.value,
        "figures": answer.decision.figures,
        "to_settle": answer.decision.to_settle,
        "aa_floor": answer.experiment.aa_floor,
        "blocks": answer.experiment.blocks,
        "record": str(answer.record.path),
    }
