"""The outcome of a gate against a history, for a terminal or a pull request."""

from __future__ import annotations

from pathlib import Path

from hopcost.errors import UsageError
from hopcost.report import notation
from hopcost.report.brief.reasons import with_advice
from hopcost.report.document import BarRow, Bars, Document, Heading, Lines, Style
from hopcost.report.formats.markdown import markdown
from hopcost.report.formatting import count
from hopcost.report.questions.closing import closing_lines
from hopcost.report.questions.gate.sentence import bound_words
from hopcost.report.questions.gate.words import EXITS, HEADLINES, HOW_SURE, NAMES, WORDS, bounds, decimals
from hopcost.report.questions.history.newest.answer import HistoryGate
from hopcost.report.questions.history.newest.settling import records_needed
from hopcost.report.questions.history.words import day, direction, record_words
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.questions.gate.decision import FigureDecision, GateOutcome


def document(answer: HistoryGate) -> Document:
    """The outcome, a row for each figure, what it stands beside, and what to do next."""
    rows = [_row(answer, figure) for figure in answer.decision.figures]
    headline = HEADLINES[answer.decision.outcome]
    title = f"hopcost gate · {answer.name} · against history · margin {100 * answer.margin:.3g} %"
    closing = [
        *closing_lines(None, f"hopcost history {answer.name}", "the records before it"),
        f"exit {answer.exit_code}: {EXITS[answer.decision.outcome]}",
    ]
    return Document(
        [
            [Heading(title, level=1), Lines([f"newest record {record_words(answer.record)}"])],
            [Lines([f"{headline}  {sentence(answer)}"], Style.ANSWER)],
            [Bars(["", "change", HOW_SURE, "limit", "outcome"], rows, _cautions(answer))],
            [Lines([*_beside(answer), *_apart(answer)])],
            [Lines(closing, Style.VERSE)],
        ]
    )


def append(answer: HistoryGate, path: Path) -> None:
    """Add the Markdown to a file, as GitHub's step summary needs it. UsageError if the file cannot be written."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(markdown(document(answer)))
    except OSError as error:
        raise UsageError(
            f"GITHUB_STEP_SUMMARY: {path}: {error.strerror}", "name a file there, or leave the variable unset"
        ) from error


def sentence(answer: HistoryGate) -> str:
    """`Throughput: at most 1.2 % slower than before.`, or why nothing is decided."""
    decision = answer.decision
    if decision.outcome is GateOutcome.NOT_SETTLED:
        return _open(answer)
    deciding = [figure for figure in decision.figures if figure.decides and figure.outcome is decision.outcome]
    words = " and ".join(map(bound_words, deciding))
    return f"{words[0].upper()}{words[1:]}."


def last_line(answer: HistoryGate) -> str:
    """For standard error, if the answer itself goes elsewhere."""
    return f"gate {WORDS[answer.decision.outcome]} (exit code {answer.exit_code}); record: {answer.record.path}"


def _open(answer: HistoryGate) -> str:
    """What keeps it open: too few records, or one that the spread between records leaves too wide."""
    figures = answer.decision.figures
    undecided = [figure for figure in figures if figure.decides and figure.outcome is GateOutcome.NOT_SETTLED]
    reasons = [answer.no_verdict[figure.figure] for figure in undecided if figure.figure in answer.no_verdict]
    if reasons:
        return f"No verdict: {with_advice(reasons[0])}."
    needed = [records_needed(answer, figure) for figure in undecided]
    known = [records for records in needed if records is not None]
    if len(known) < len(needed):
        return "One record cannot settle it, and more of its kind could not: the change is too close to the limit."
    return f"One record cannot settle it: records scatter too much. About {max(known)} of its kind would."


def _row(answer: HistoryGate, figure: FigureDecision) -> BarRow:
    change, its_range = notation.change_parts(figure.ratio, bounds(figure))
    limit = f"{notation.signed(100 * (figure.limit - 1), max(1, decimals(figure)))} %"
    word = "no verdict" if figure.figure in answer.no_verdict else WORDS[figure.outcome]
    outcome = word if figure.decides else f"{word}, does not decide"
    return BarRow(NAMES[figure.figure], after=[change, its_range, limit, outcome])


def _cautions(answer: HistoryGate) -> list[str]:
    """Of the newest record, and that the stretch itself began with a change for the worse."""
    lines = [f"! The newest record: {caution}" for caution in answer.record.cautions]
    for figure, beside in answer.beside.items():
        changes = beside.newest.before.changes
        if changes and (changes[-1].size < 0) is (figure == THROUGHPUT):
            since = day(beside.points[changes[-1].index].record)
            word = direction(figure, changes[-1].size)
            lines.append(f"! What it stands beside {word} since {since}: the gate compares with that.")
    return lines


def _beside(answer: HistoryGate) -> list[str]:
    """The stretch of each figure, and the spread that its range holds."""
    return [
        f"{NAMES[figure]}: beside {count(beside.newest.stretch.records, 'record')}, {day(beside.first)} to"
        f" {day(beside.last)}, which scatter by {100 * beside.newest.before.spread:.1f} %"
        for figure, beside in answer.beside.items()
    ]


def _apart(answer: HistoryGate) -> list[str]:
    if not answer.apart:
        return []
    return [f"Not mixed in: {count(answer.apart, 'record')} of another machine, method or configuration"]
