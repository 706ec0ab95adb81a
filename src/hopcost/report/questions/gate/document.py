"""A gate's outcome as a document, for a terminal or a pull request."""

from __future__ import annotations

import shlex
from pathlib import Path

from hopcost.errors import UsageError
from hopcost.report import notation
from hopcost.report.document import BarRow, Bars, Document, Fold, Heading, Lines, Section, Style
from hopcost.report.formats.markdown import markdown
from hopcost.report.questions.closing import closing_lines
from hopcost.report.questions.gate.cautions import cautions
from hopcost.report.questions.gate.changed import changed_settings, changes_in_files
from hopcost.report.questions.gate.details import detail_lines
from hopcost.report.questions.gate.next_command import WIDTH, first_step, next_command
from hopcost.report.questions.gate.sentence import sentence
from hopcost.report.questions.gate.words import (
    HEADLINES,
    HOW_SURE,
    NAMES,
    WORDS,
    bounds,
    decimals,
    elapsed,
    exit_words,
)
from hopcost.statistics.questions.gate.decision import FigureDecision, GateOutcome
from hopcost.statistics.questions.gate.gate import GateResult

MOST_CHANGES = 4  # lines of what differs that stand above the table


def document(answer: GateResult, *, details: bool = False, on_a_runner: bool = False) -> Document:
    """The outcome, a row for each figure, what changes its reading, and what to do next.

    `on_a_runner`: it is read elsewhere, where neither the record's folder nor this machine is.
    """
    closing = Lines(_on_a_runner(answer)) if on_a_runner else Lines(_closing(answer), Style.VERSE)
    rows = [_row(figure) for figure in answer.decision.figures]
    sections: list[Section] = [
        _head(answer),
        [Lines([f"{_headline(answer)}  {sentence(answer)}"], Style.ANSWER)],
        [Bars(["", "change", HOW_SURE, "limit", "outcome"], rows, cautions(answer))],
        [closing],
        [Fold("Details", [Lines(detail_lines(answer))], is_open=details)],
    ]
    return Document(sections)


def append(answer: GateResult, path: Path) -> None:
    """Add the Markdown to a file, as GitHub's step summary needs it. UsageError if the file cannot be written."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(markdown(document(answer, on_a_runner=True)))
    except OSError as error:
        raise UsageError(
            f"GITHUB_STEP_SUMMARY: {path}: {error.strerror}", "name a file there, or leave the variable unset"
        ) from error


def last_line(answer: GateResult) -> str:
    """For standard error, if the answer itself goes elsewhere."""
    word = "interrupted" if answer.is_interrupted else WORDS[answer.decision.outcome]
    again = f"hopcost report {shlex.quote(str(answer.record.path))}"
    return f"gate {word} (exit code {answer.exit_code}); record: {answer.record.path}  (again: {again})"


def _headline(answer: GateResult) -> str:
    return "INTERRUPTED" if answer.is_interrupted else HEADLINES[answer.decision.outcome]


def _head(answer: GateResult) -> Section:
    """`hopcost gate · nginx-http-tcp · nginx.access_log: off → on · margin 3 % · 70 s`, and lines of changes."""
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
    return " · ".join(["hopcost gate", name, *settings, margin, *elapsed(answer.record.run)])


def _row(figure: FigureDecision) -> BarRow:
    change, its_range = notation.change_parts(figure.ratio, bounds(figure))
    limit = f"{notation.signed(100 * (figure.limit - 1), max(1, decimals(figure)))} %"
    return BarRow(NAMES[figure.figure], after=[change, its_range, limit, _outcome(figure)])


def _outcome(figure: FigureDecision) -> str:
    word = WORDS[figure.outcome]
    if figure.outcome is GateOutcome.NOT_SETTLED and figure.to_settle is None:
        word = "no verdict"
    return word if figure.decides else f"{word}, does not decide"


def _closing(answer: GateResult) -> list[str]:
    record, *rest = closing_lines(str(answer.record.path), next_command(answer))
    first = first_step(answer)
    return [record, *([f"first   {first}"] if first else []), *rest, f"exit {answer.exit_code}: {exit_words(answer)}"]


def _on_a_runner(answer: GateResult) -> list[str]:
    """The same in sentences."""
    first, command = first_step(answer), next_command(answer)
    steps = [f"First {first}." if first else "", "" if "hopcost report" in command else f"Next: {command}"]
    return [
        f"Exit code {answer.exit_code}: {exit_words(answer)}.",
        *filter(None, steps),
        f"The record is the folder {answer.record.path} of the runner: keep it as an artifact.",
    ]
