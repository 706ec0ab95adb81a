"""The answer for people: is a change worth it, a row for each, traps, what this load does not show, and the diff."""

from __future__ import annotations

import shlex
from datetime import datetime

from hopcost.report import notation
from hopcost.report.document import Document, Fold, Heading, Lines, Section, Style, Table
from hopcost.report.formatting import count, duration
from hopcost.report.questions.closing import closing_lines, time_option
from hopcost.report.questions.conf.details import detail_elements, unseen_line
from hopcost.report.questions.conf.words import (
    WORDS_MOST,
    cut,
    diff_text,
    figure,
    interaction,
    no_verdicts,
    outcome,
    place,
)
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.conf.result import ConfResult, Worth

WIDTH = 80
MOST_ROWS, MOST_TRAPS, MOST_UNSEEN, MOST_NOTES = 5, 3, 2, 2  # of the short answer; --details has all


def document(answer: ConfResult, *, details: bool = False) -> Document:
    """What to take, a row for each change, what bites, what was not seen, and the diff."""
    diff = diff_text(answer)
    sections: list[Section] = [
        [Heading(_title(answer), level=1), Lines([sentence(answer)], Style.ANSWER)],
        [_table(answer), Lines(_cautions(answer), Style.CAUTIONS)],
        [Lines(_traps(answer), Style.POINTS), Lines(_notes(answer), Style.NOTES)],
        [Lines(closing_lines(str(answer.record.path), _next(answer)), Style.VERSE)],
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
            return f"Take the diff: each of its {len(answer.kept)} changes saves nginx some of its {as_is} per request."
        return f"Take the diff: it saves nginx {_less(saved)} of {as_is} of CPU per request."
    mended = answer.question.mends
    if answer.diff is not None and mended:
        return f"Take the diff: it mends {count(len(mended), 'trap')}. No change saves CPU."
    if all(finding.worth is Worth.SCREENED for finding in answer.findings):
        return "Nothing is confirmed: the run ended before its last phase."
    return f"Leave the file as it is: no change saves some of nginx's {as_is} of CPU per request."


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
    """`hopcost conf · nginx.conf · GET / · 32 connections · 5 min`."""
    question, run = answer.question, answer.record.run
    kind = " new" if question.requests_per_connection == 1 else ""
    words = ["hopcost conf", question.file, f"GET {question.target}", f"{question.connections}{kind} connections"]
    if run.ended_utc is not None:
        length = datetime.fromisoformat(run.ended_utc) - datetime.fromisoformat(run.started_utc)
        words.append(duration(round(length.total_seconds())))
    title = " · ".join(words)
    return title if len(title) <= WIDTH else " · ".join([words[0], cut(words[1].rpartition("/")[2], 30), *words[2:]])


def _table(answer: ConfResult) -> Table:
    """The changes that were confirmed, then those of one start, largest first."""
    rows = [
        [cut(finding.candidate.words, WORDS_MOST), place(finding), figure(finding), outcome(answer, finding)]
        for finding in answer.findings[:MOST_ROWS]
    ]
    if answer.together is not None:
        rows.append(["the whole diff", "", notation.added(answer.together), ""])
    more = len(answer.findings) - MOST_ROWS
    below = [f"{count(more, 'more change')}: --details"] if more > 0 else []
    if any(finding.confirmed is None and finding.screened is not None for finding in answer.findings):
        below.append("~ in one start, which chooses and does not decide")
    return Table(["change", "where", "CPU per request", "outcome"], rows, below=below, words=2)


def _cautions(answer: ConfResult) -> list[str]:
    cautions = [f"? {line}" for line in no_verdicts(answer)]
    adding = interaction(answer)
    if adding is not None:
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
    floor = next((experiment.aa_floor for experiment in answer.experiments if experiment.aa_floor is not None), None)
    noise = [f"Noise: the file beside itself {notation.share(floor, against=())}."] if floor is not None else []
    return [*cautions, *noise]


def _traps(answer: ConfResult) -> list[str]:
    traps = answer.question.traps
    lines = [f"{trap.place}: {trap.words}{' (mended)' if trap.is_mended else ''}" for trap in traps[:MOST_TRAPS]]
    return lines + _more(len(traps) - MOST_TRAPS, "trap")


def _notes(answer: ConfResult) -> list[str]:
    question = answer.question
    lines = [f"not seen: {unseen_line(unseen)}" for unseen in question.unseen[:MOST_UNSEEN]]
    lines += _more(len(question.unseen) - MOST_UNSEEN, "directive not seen")
    if question.limits:
        more = len(question.limits) - 1
        lines.append(f"off in all arms: {question.limits[0]}{f', and {more} more: --details' if more else ''}")
    lines += [f"the jail: {note}" for note in question.notes[:MOST_NOTES]] or ["the jail: your files, unchanged"]
    return lines + _more(len(question.notes) - MOST_NOTES, "note of the jail")


def _more(number: int, noun: str) -> list[str]:
    return [f"{number} more ({noun}): --details"] if number > 0 else []


def _next(answer: ConfResult) -> str:
    """The same with more time if something is not settled; else everything that is known."""
    if any(finding.worth is Worth.OPEN for finding in answer.findings):
        return f"hopcost conf {shlex.quote(answer.question.file)} --time {time_option(3 * answer.record.plan.time_s)} …"
    return f"hopcost report {shlex.quote(str(answer.record.path))} --details"
