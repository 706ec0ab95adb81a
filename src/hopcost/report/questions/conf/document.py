"""The answer for people: is a change worth it, a row for each, traps, what this load does not show, and the diff."""

from __future__ import annotations

import shlex
from datetime import datetime

from hopcost.nginx.upstreams import TLS_LEFT_OUT
from hopcost.record.secrets import MASK
from hopcost.report import notation
from hopcost.report.document import Document, Fold, Heading, Lines, Section, Style, Table
from hopcost.report.formatting import count, duration
from hopcost.report.questions.closing import closing_lines, time_option, with_time
from hopcost.report.questions.conf.details import detail_elements
from hopcost.report.questions.conf.words import (
    MENDED,
    NOT_TRIED,
    WORDS_MOST,
    cut,
    diff_text,
    figure,
    has_price,
    interaction,
    left_out,
    mending,
    no_verdicts,
    noise_line,
    outcome,
    place,
)
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.conf.result import ConfResult, Worth

WIDTH = 80
INDENT, LONGEST_WORD = 4, 12  # of lines that are broken
MOST_LINES = 15  # before the diff, unless something failed
LEAST_ROWS, MOST_ROWS, MOST_TRAPS, TRAP_LINES = 2, 6, 2, 3  # of the short answer; --details has all


def document(answer: ConfResult, *, details: bool = False) -> Document:
    """What to take, a row for each change, what bites, what was not seen, and the diff."""
    diff = diff_text(answer)
    first, cautions, traps, notes = sentence(answer), _cautions(answer), _traps(answer), _notes(answer)
    closing = closing_lines(str(answer.record.path), _next(answer))
    around = sum(map(_screen_lines, [first, *cautions, *traps, *notes, *closing])) + 1  # the title
    sections: list[Section] = [
        [Heading(_title(answer), level=1), Lines([first], Style.ANSWER)],
        [_table(answer, MOST_LINES - around), Lines(cautions, Style.CAUTIONS)],
        [Lines(traps, Style.POINTS), Lines(notes, Style.NOTES)],
        [Lines(closing, Style.VERSE)],
        [Lines([diff.rstrip("\n")], Style.CODE)] if diff is not None else [],
        [Fold("Details", detail_elements(answer), is_open=details)],
    ]
    return Document([section for section in sections if section])


def sentence(answer: ConfResult) -> str:
    """`Take the diff: nginx needs 27 µs (26–28) less CPU per request, of 49 µs.`"""
    if answer.why_nothing is not None:
        return f"No result: {answer.why_nothing}."
    as_is = notation.time(answer.as_is_ns)
    if not answer.is_settled:
        return f"No verdict: as measured, nginx needs {as_is} of CPU per request as the file is."
    if answer.kept:
        saved = _saved(answer)
        if saved is None:
            each = "its change" if len(answer.kept) == 1 else f"each of its {len(answer.kept)} changes"
            return f"Take the diff: {each} saves nginx some of its {as_is} per request."
        return f"Take the diff: it saves nginx {_less(saved)} of {as_is} of CPU per request."
    mended = answer.question.mends
    if answer.diff is not None and mended:
        return f"Take the diff: it mends {count(len(mended), 'trap')}. No change saves CPU{_without_price(answer)}."
    outcomes = {finding.worth for finding in answer.findings}
    if Worth.SCREENED in outcomes and outcomes <= NOT_TRIED:
        return "Nothing is confirmed: its last phase is not done."
    return (
        f"Leave the file as it is: no change saves some of nginx's {as_is} of CPU per request{_without_price(answer)}."
    )


def _without_price(answer: ConfResult) -> str:
    """Some directives save CPU and give up what they are for: gzip, a log."""
    return " without a price" if any(has_price(finding) for finding in answer.findings) else ""


def _saved(answer: ConfResult) -> Interval | None:
    """What the diff saves, if it was measured as it is and is below 0."""
    changes = answer.kept
    saved = answer.of(changes[0]).confirmed if len(changes) == 1 and not answer.question.mends else None
    if changes == answer.question.whole and answer.question.has_whole:
        saved = answer.together
    return saved if saved is not None and saved.high is not None and saved.high < 0 else None


def _less(saved: Interval) -> str:
    assert saved.low is not None and saved.high is not None, "whoever asks has looked"
    return notation.added(Interval(-saved.value, -saved.high, -saved.low)).removeprefix("+")


def _title(answer: ConfResult) -> str:
    """`hopcost conf · nginx.conf · GET / · 32 connections · 5 min`: with the method that it had."""
    question, run = answer.question, answer.record.run
    asked = f"{question.method} {question.target}"
    if not question.command:
        asked += f" ({question.seen.body_bytes:,} bytes)"  # hopcost's own page
    kind = "new " if question.requests_per_connection == 1 else ""
    words = ["hopcost conf", question.file, asked, count(question.connections, f"{kind}connection")]
    if question.streams is not None:
        words.append("HTTP/2" if question.streams == 1 else f"HTTP/2 × {question.streams}")
    if run.ended_utc is not None:
        length = datetime.fromisoformat(run.ended_utc) - datetime.fromisoformat(run.started_utc)
        words.append(duration(round(length.total_seconds())))
    title = " · ".join(words)
    return title if len(title) <= WIDTH else " · ".join([words[0], cut(words[1].rpartition("/")[2], 30), *words[2:]])


def _screen_lines(text: str) -> int:
    """How many lines of a screen it takes."""
    return max(1, -(-len(text) // (WIDTH - INDENT)))


def _table(answer: ConfResult, lines: int) -> Table:
    """The changes that were confirmed, then those of one start, largest first, in about so many lines."""
    lines -= 2 + (answer.together is not None)  # its head, and the whole diff
    shown = max(LEAST_ROWS, min(MOST_ROWS, lines))
    if shown < len(answer.findings):
        shown = max(LEAST_ROWS, shown - 1)  # one line says that there are more
    rows = [
        [cut(finding.candidate.words, WORDS_MOST), place(finding), figure(finding), outcome(answer, finding)]
        for finding in answer.findings[:shown]
    ]
    if answer.together is not None:
        rows.append(["the whole diff", "", notation.added(answer.together), ""])
    more = len(answer.findings) - shown
    below = [f"{count(more, 'more change')}: --details"] if more > 0 else []
    return Table(["change", "where", "CPU per request", "outcome"], rows, below=below, words=2)


def _cautions(answer: ConfResult) -> list[str]:
    cautions = [f"? {line}" for line in [*left_out(answer), *no_verdicts(answer)]]
    adding = interaction(answer)
    if adding is not None and (answer.interact or not answer.adds_up):
        cautions.append(f"! {adding}" if answer.interact else adding)
    cautions += [
        f"! {experiment.plan.name} ended early: {experiment.ending.detail}"
        for experiment in answer.experiments
        if experiment.ending is not None and experiment.ending.why.value == "failed"
    ]
    cautions += [
        f"! {ending.experiment}: {ending.detail}"
        for ending in answer.record.run.endings
        if ending.why.value == "failed" and ending.experiment in {s.experiment for s in answer.question.screenings}
    ]
    noise = noise_line(answer)
    return [*cautions, noise] if noise is not None and not cautions else cautions


def _traps(answer: ConfResult) -> list[str]:
    """Each with all its places, as much of it as a few lines hold."""
    places: dict[str, list[str]] = {}
    for trap in answer.question.traps:
        is_mended = mending(answer, trap) == MENDED
        places.setdefault(f"{'(mended) ' if is_mended else ''}{trap.words}", []).append(trap.place)
    texts = [f"{', '.join(found)}: {words}" for words, found in places.items()]
    shown = texts if len(texts) <= MOST_TRAPS else texts[: MOST_TRAPS - 1]
    left = TRAP_LINES - (len(shown) < len(texts))
    lines: list[str] = []
    for number, text in enumerate(shown, start=1):
        own = min(_screen_lines(text), left - (len(shown) - number))
        lines.append(cut(text, own * (WIDTH - INDENT) - (own - 1) * LONGEST_WORD))
        left -= own
    more = len(texts) - len(shown)
    return [*lines, f"{count(more, 'more trap')}: --details"] if more > 0 else lines


def _notes(answer: ConfResult) -> list[str]:
    """What differs from the user's files, and what this load does not show: one line, --details has all."""
    question = answer.question
    words = []
    if any(TLS_LEFT_OUT in note for note in question.notes):
        words.append("TLS to an upstream left out")
    if question.limits:
        words.append(f"{count(len(question.limits), 'limit')} off")
    words.append(f"{count(len(question.notes), 'difference')} here" if question.notes else "files unchanged")
    if question.unseen:
        words.append(f"{count(len(question.unseen), 'change')} not seen")
    is_more = bool(question.limits or question.notes or question.unseen)
    text = ", ".join(words)
    return [text[:1].upper() + text[1:] + (": --details" if is_more else ".")]


def _next(answer: ConfResult) -> str:
    """The same with more time if something is not settled; else everything that is known."""
    if any(finding.worth is Worth.OPEN for finding in answer.findings):
        seconds = 3 * answer.record.plan.time_s
        again = with_time(answer.record.run.command, seconds)
        return again if MASK not in again else f"hopcost conf --time {time_option(seconds)} …"
    return f"hopcost report {shlex.quote(str(answer.record.path))} --details"
