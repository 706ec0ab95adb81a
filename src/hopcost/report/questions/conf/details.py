"""What stands behind the answer: all changes with what they buy, all traps, what was not seen, the phases, the run."""

from __future__ import annotations

from hopcost.report import notation
from hopcost.report.document import Element, Lines, Style, Table
from hopcost.report.formatting import CONFIDENCE_IN_TEXT, count
from hopcost.report.notes.conditions import validity_lines
from hopcost.report.questions.conf.words import figure, interaction, mending, noise_line
from hopcost.statistics.questions.conf.question import FoundTrap, Screening, Unseen
from hopcost.statistics.questions.conf.result import ConfResult, Finding

WORDS = "The origin's answers are words, which gzip makes a third as long: your own pages may cost it more or less."


def unseen_line(unseen: Unseen) -> str:
    """`gzip (nginx.conf:12): answers have 12 bytes; --path names a longer one`."""
    places = f" ({', '.join(unseen.places)})" if unseen.places else ""
    return f"{unseen.words}{places}: {unseen.why}"


def detail_elements(answer: ConfResult) -> list[Element]:
    """All that the answer leaves out."""
    question = answer.question
    rows = [
        [
            finding.candidate.words,
            _screened(finding),
            notation.added(finding.confirmed) if finding.confirmed is not None else notation.ABSENT,
        ]
        for finding in answer.findings
    ]
    return [
        Table(["change", "one start", "confirmed"], rows),
        Lines([_about(finding) for finding in answer.findings], Style.POINTS),
        Lines([_trap(answer, trap) for trap in question.traps], Style.POINTS),
        Lines([f"not seen: {unseen_line(unseen)}" for unseen in question.unseen], Style.POINTS),
        Lines(_run(answer)),
    ]


def _trap(answer: ConfResult, trap: FoundTrap) -> str:
    how = mending(answer, trap)
    return f"{trap.place}: {trap.words}{f' ({how})' if how else ''}"


def _screened(finding: Finding) -> str:
    return notation.added(finding.screened) if finding.screened is not None else notation.ABSENT


def _about(finding: Finding) -> str:
    """`access_log off (nginx.conf:12): −1.0 µs (−1.5 to −0.6). It buys: a line for each request`."""
    candidate, throughput = finding.candidate, finding.throughput
    faster = f", throughput {notation.change(throughput)}" if throughput is not None else ""
    why = f", {finding.why}" if finding.why is not None else ""
    figures = f"{candidate.words} ({', '.join(candidate.places) or 'new'}): {figure(finding)}{faster}{why}"
    return f"{figures}. {_worth_of(candidate.buys)}" if candidate.buys else f"{figures}."


def _worth_of(buys: str) -> str:
    """What the directive is for; of one that is added, what it costs besides.

    >>> _worth_of("a line for each request"), _worth_of("costs: a line may come late")
    ('It buys a line for each request.', 'It costs besides: a line may come late.')
    """
    if buys.startswith("costs: "):
        return f"It costs besides: {buys.removeprefix('costs: ')}."
    return f"It buys {buys}."


def _run(answer: ConfResult) -> list[str]:
    question, record = answer.question, answer.record
    seen, environment = question.seen, record.environment
    behind = " ".join(question.command) or "hopcost's own origin"
    lines = [
        f"nginx {question.nginx}, {question.site}, before {behind}: status {seen.status}, {seen.body_bytes:,} bytes"
        f" ({seen.content_type or 'no type'}{', ' + seen.encoding if seen.encoding else ''}).",
        *([f"Not compared, since it changes: {', '.join(seen.changing)}."] if seen.changing else []),
        *([_over_http2(question.streams)] if question.streams is not None else []),
        *([WORDS] if seen.encoding and not question.command else []),
        *(f"off in all arms: {limit}" for limit in question.limits),
        *(f"the jail: {note}" for note in question.notes),
        *map(_phase, question.screenings),
        f"Ranges of one start tell how its rounds scatter, not how starts differ. Those of the confirmation hold"
        f" together with {CONFIDENCE_IN_TEXT}, over {count(len(question.candidates), 'change')} that might have been"
        " chosen.",
    ]
    lines += [line for line in (interaction(answer), noise_line(answer)) if line is not None]
    if answer.bare is not None:
        lines.append(f"All changes together, in one start: {notation.added(answer.bare)}.")
    if answer.mends is not None:
        lines.append(f"What mends traps, by itself: {notation.added(answer.mends)}.")
    for experiment in answer.experiments:
        ending = f"; stopped: {experiment.ending.detail}" if experiment.ending is not None else ""
        lines.append(f"{experiment.plan.name}: {count(experiment.blocks, 'start')}{ending}")
        lines += validity_lines(experiment)
        lines += experiment.plan.notes
    lines.append(
        f"hopcost {record.run.hopcost}, {record.run.started_utc}, seed {record.plan.seed};"
        f" {environment.get('cpu') or 'unknown CPU'}, kernel {environment.get('kernel')}"
    )
    return lines


def _over_http2(streams: int) -> str:
    return (
        f"Clients speak HTTP/2, {count(streams, 'request')} at a time on each connection. Without HTTP/2 they speak"
        " HTTP/1.1 over TLS, one at a time."
    )


def _phase(screening: Screening) -> str:
    fixed = f", with {', '.join(screening.fixed)} in all of them" if screening.fixed else ""
    return f"{screening.experiment}: {count(len(screening.changes), 'change')} in {len(screening.arms)} arms{fixed}"
