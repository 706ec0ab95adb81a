"""The answer as people read it: in fifteen lines what to take and why, then the configuration."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath

from hopcost.record.contents.run import StopReason
from hopcost.report import notation
from hopcost.report.brief.reasons import plainer, with_advice
from hopcost.report.brief.table import bar_of, most_of
from hopcost.report.disturbed import disturbed_sentences
from hopcost.report.document import BarRow, Bars, Document, Fold, Heading, Lines, Section, Style
from hopcost.report.formatting import count, duration
from hopcost.report.questions.closing import closing_lines, time_option
from hopcost.report.questions.front.config import configuration
from hopcost.report.questions.front.details import detail_lines
from hopcost.report.questions.front.words import advice_line, shared_reason, stack_words
from hopcost.statistics.intervals import ONE, Interval
from hopcost.statistics.questions.front.advice import Worth
from hopcost.statistics.questions.front.fronts import ALONE, EQUIVALENT, Front
from hopcost.statistics.questions.front.result import FrontResult, FrontRow
from hopcost.suites.experiments.expect import Compared

WIDTH = 80
LONGEST_COMMAND = 32  # of the app's command in the title
MOST_CAUTIONS = 4
COMPARED = {  # of an answer that changes
    Compared.MASKED: "Not compared, since it changes from answer to answer: {what}.",
    Compared.LENGTH: "The body changes from answer to answer: only status and length are compared.",
    Compared.STATUS: "The body changes from answer to answer: only the status is compared.",
}


def document(answer: FrontResult, *, details: bool = False) -> Document:
    """What to take, a row for each stack, advice in the order of what it is worth, and the configuration."""
    config = configuration(answer)
    sections: list[Section] = [
        [Heading(_title(answer), level=1), Lines([sentence(answer)], Style.ANSWER)],
        [_table(answer)],
        [Lines(_advice(answer), Style.POINTS), Lines(_not_measured(answer), Style.NOTES)],
        [Lines(closing_lines(str(answer.record.path), _next(answer)), Style.VERSE)],
        [Lines([config.text], Style.CODE)] if config is not None else [],
        [Fold("Details", [Lines(detail_lines(answer))], is_open=details)],
    ]
    return Document([section for section in sections if section])


def sentence(answer: FrontResult) -> str:
    """`Take nginx with upstream keepalive: it adds 31 µs (28–34) of CPU to a request of 116 µs.`"""
    reference = answer.question.reference
    if answer.row(reference) is None or not answer.advice:
        return f"No result: {_why_nothing(answer)}."
    best = answer.best
    if best is None:
        return "nginx could not be measured, so there is nothing to compare the others with."
    row = answer.row(best.value)
    assert row is not None, "the best front was measured"
    if shared_reason(answer) is not None:
        return _as_measured(answer)
    has_keepalive = Front.KEEPALIVE in answer.question.fronts
    take = "Take" if answer.record.run.ended_utc is not None else "As far as the run got, take"
    stack = stack_words(best, has_keepalive=has_keepalive)
    if reference == best.value:
        return f"{take} {stack}{_why_plain(answer)}."
    why = _why_plain(answer) if best is Front.NGINX else ""
    return f"{take} {stack}{why}: it {_adds(row, answer)}."


def _why_plain(answer: FrontResult) -> str:
    """Why nothing beyond plain nginx, if anything was measured that might take its place."""
    others = {entry.worth for entry in answer.advice if entry.front in EQUIVALENT[1:]}
    if Worth.OPEN in others:
        return ", as long as nothing more is settled"
    return ", nothing more is worth its line" if others else ""


def _as_measured(answer: FrontResult) -> str:
    """Without a verdict: what the first front did."""
    first = next(row for row in answer.rows if row.arm != answer.question.reference)
    return f"As measured {first.arm} {_adds(first, answer)}; no verdict."


def _adds(row: FrontRow, answer: FrontResult) -> str:
    """`adds 31 µs (28–34) of CPU to a request of 116 µs and leaves 73 % (70–76) of the throughput`, or `saves`."""
    ratio, added = row.ratio, row.added
    left = ""
    if ratio is not None:
        verb = "gives" if ratio.value > 1 else "leaves"
        left = f" and {verb} {_bound_mark(row, answer)}{notation.share(ratio)} of the throughput"
    request = f"a request of {notation.time(answer.app_ns)}"
    if added is not None and added.high is not None and added.low is not None and added.high < 0:
        saved = Interval(value=-added.value, low=-added.high, high=-added.low)
        return f"saves {notation.added(saved).removeprefix('+')} of CPU in {request}{left}"
    if added is not None and added.value < 0:  # it may cost or save
        return f"changes {request} by {notation.added(added)} of CPU{left}"
    return f"adds {notation.added(added).removeprefix('+')} of CPU to {request}{left}"


def _why_nothing(answer: FrontResult) -> str:
    reasons = [failure.message for failure in answer.failures]
    reasons += [experiment.ending.detail for experiment in answer.experiments if experiment.ending is not None]
    return plainer(reasons[0]).rstrip(".") if reasons else "the run did not get that far"


def _title(answer: FrontResult) -> str:
    """`hopcost front · node server.js · GET / · 64 connections · 4 min`."""
    question = answer.question
    load = "" if question.rate_per_s is None else f"{notation.rate(question.rate_per_s)}/s"
    words = [
        "hopcost front",
        short_command(question.command),
        f"{question.method} {question.target}",
        load or count(question.connections, "connection"),
        *_elapsed(answer),
    ]
    title = " · ".join(words)
    return title if len(title.replace("…", "...")) <= WIDTH else " · ".join(words[:2] + words[3:])


def short_command(command: Sequence[str]) -> str:
    """The command as it was given; too long for a title, its program loses its folder first, then its end is cut."""
    whole = shlex.join(command)
    if len(whole) <= LONGEST_COMMAND:
        return whole
    named = shlex.join([PurePath(command[0]).name, *command[1:]])
    return named if len(named) <= LONGEST_COMMAND else f"{named[: LONGEST_COMMAND - 1]}…"


def _elapsed(answer: FrontResult) -> list[str]:
    run = answer.record.run
    if run.ended_utc is None:
        return []
    length = datetime.fromisoformat(run.ended_utc) - datetime.fromisoformat(run.started_utc)
    return [duration(round(length.total_seconds()))]


def _table(answer: FrontResult) -> Bars:
    """The app alone, then the fronts in the order in which they build on each other."""
    most = most_of(row.ratio for row in answer.rows if row.ratio is not None)
    reference, rate = answer.question.reference, answer.question.rate_per_s
    load = "at full load" if rate is None else f"at {notation.rate(rate)}/s"
    rows = []
    for row in answer.rows:
        is_reference = row.arm == reference
        ratio = ONE if is_reference else row.ratio
        per_s = ("≥" if row.is_bound else "") + notation.rate(answer.per_s(row))
        cpu = (notation.time(answer.app_ns), "") if is_reference else notation.added_parts(row.added)
        bar = None if ratio is None else bar_of(ratio, most)
        share, its_range = notation.share_parts(ratio)
        rows.append(BarRow(row.arm, [per_s], bar, [_bound_mark(row, answer) + share, its_range, *cpu]))
    return Bars(["", "req/s", f"of {reference}", "", f"CPU {load}", ""], rows, _cautions(answer))


def _bound_mark(row: FrontRow, answer: FrontResult) -> str:
    """What stands before a stack's share of the reference's throughput."""
    reference = answer.row(answer.question.reference)
    if row.ratio is None or reference is None:
        return ""
    return notation.bound_mark(is_bound=row.is_bound, reference_is_bound=reference.is_bound)


def _bounds(answer: FrontResult) -> list[str]:
    """`The load generator was full while the app idled (≥): shares of the app are upper bounds (≤).`"""
    full = [_called(row.arm) for row in answer.rows if row.is_bound]
    if not full:
        return []
    reference = _called(answer.question.reference)
    shares = f": shares of {reference} are upper bounds (≤)" if reference in full else ""
    return [f"The load generator was full while {' and '.join(full)} idled (≥){shares}."]


def _called(arm: str) -> str:
    return "the app" if arm == ALONE else arm


def _cautions(answer: FrontResult) -> list[str]:
    """What changes the reading; the noise stands behind it."""
    app, experiments = answer.question.app, answer.experiments
    reason = shared_reason(answer)
    cautions = ["! interrupted: results so far"] if answer.record.run.ended_utc is None else []
    cautions += [f"? no verdict on any: {with_advice(reason)}"] if reason is not None else []
    cautions += [
        f"! {failure.arm} failed: {failure.message}" + (f"\nhint: {failure.hint}" if failure.hint else "")
        for failure in answer.failures
    ]
    cautions += [
        f"! {experiment.plan.name} ended early: {plainer(experiment.ending.detail)}"
        for experiment in experiments
        if experiment.ending is not None and experiment.ending.why is StopReason.FAILED and not experiment.failures
    ]
    cautions += [f"! {line}" for line in _errors(answer)]
    suspect = [block for experiment in experiments for block in experiment.suspect]
    disturbed = disturbed_sentences(suspect, sum(experiment.blocks for experiment in experiments), "--details")
    cautions += [f"! {' '.join(disturbed)}"] if disturbed else []
    cautions += _bounds(answer)
    if app.needs:
        cautions.append(f"! All stacks share {', '.join(app.needs)}: what one changes there, the others see.")
    if app.compared in COMPARED:
        cautions.append(COMPARED[app.compared].format(what=", ".join(app.changing)))
    who = _called(answer.question.reference)
    floors = [experiment.aa_floor for experiment in experiments if experiment.aa_floor is not None]
    return [*cautions[:MOST_CAUTIONS], *(notation.noise(who, floor) for floor in floors[:1])]


def _errors(answer: FrontResult) -> list[str]:
    """Stacks with errors, each once."""
    errors: Counter[str] = Counter()
    for experiment in answer.experiments:
        for arm in experiment.arms:
            errors[arm.name] += sum(arm.errors.values())
    with_errors = [f"{name} had {count(number, 'error')}" for name, number in errors.items() if number]
    return [f"{', '.join(with_errors)}: only correct answers count."] if with_errors else []


def _advice(answer: FrontResult) -> list[str]:
    """A line for each front beyond plain nginx; that one's cost stands in the table."""
    return [advice_line(answer, entry) for entry in answer.advice if entry.front is not Front.NGINX]


def _not_measured(answer: FrontResult) -> list[str]:
    return [f"not measured: {left.words()}" for left in answer.question.left_out]


def _next(answer: FrontResult) -> str:
    """The same with more time if something is not settled; else everything that is known."""
    if any(entry.worth is Worth.OPEN for entry in answer.advice):
        time = time_option(3 * answer.record.plan.time_s)
        whole = f"hopcost front --time {time} -- {shlex.join(answer.question.command)}"
        return whole if len(whole) + 10 <= WIDTH else f"hopcost front --time {time} …"
    return f"hopcost report {shlex.quote(str(answer.record.path))} --details"
