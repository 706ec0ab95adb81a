"""Judged claims as people read them: a sentence over all of them, each with its outcome, then every comparison."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.plan.method import METHOD
from hopcost.report.brief.reasons import with_advice
from hopcost.report.document import Document, Element, Entries, Entry, Fold, Heading, Lines, Section, Style
from hopcost.report.formatting import ABSENT, CONFIDENCE_IN_TEXT, LONGEST_PROPOSED_S, duration
from hopcost.report.questions.claims.words import claimed, counted, measured_words, published_words, sides, tests
from hopcost.report.questions.closing import closing_lines, precision_option, time_option
from hopcost.statistics.questions.claims.decision import ClaimOutcome
from hopcost.statistics.questions.claims.result import ClaimResult
from hopcost.statistics.questions.claims.run import IN_NO_RECORD

LABELS = {ClaimOutcome.NOT_TESTABLE: "not testable"}
HOW_TO_READ = [
    f"46 % (44–47): the figure of one stack in per cent of another one's, with its {CONFIDENCE_IN_TEXT} range.",
    "A claim holds if each of its comparisons holds, tested one-sided at 5 %. It does not hold if any fails, and these"
    " share 5 %. P: how often chance alone gives that outcome if the truth lies right at what is claimed.",
    "Of several comparisons the page shows the surest failure, the one that is furthest from an answer, or the least"
    " sure one of those that hold.",
]


def document(claims: Sequence[ClaimResult], *, details: bool = False) -> Document:
    """How many hold, then the claims of each suite, then what to do next."""
    suites = list(dict.fromkeys(claim.suite for claim in claims))
    sections: list[Section] = [[Heading("hopcost claims"), Lines([f"{counted(claims)}."], Style.ANSWER)]]
    for suite in suites:
        entries = [_entry(claim) for claim in claims if claim.suite == suite]
        sections.append([Heading(suite, level=3), Entries(("outcome", "claim"), entries)])
    sections.append([Lines(_closing(claims), Style.VERSE)])
    every_comparison = [element for claim in claims for element in _details(claim)]
    sections.append([Fold("Details", [Lines(HOW_TO_READ), *every_comparison], is_open=details)])
    return Document(sections)


def _entry(claim: ClaimResult) -> Entry:
    """Outcome; what is said, the figure that tells, and why there is no answer."""
    label = LABELS.get(claim.outcome, claim.outcome.value)
    return Entry(label, [claim.claim.says, _figure(claim), *_why_open(claim)])


def _figure(claim: ClaimResult) -> str:
    """`nginx-http-tcp ÷ go in all-cores: 49 % (44–56); article 58 %; claimed at most 75 %`."""
    result = claim.telling
    article, measured = published_words(result), measured_words(result)
    several = f" (1 of {len(claim.results)})" if len(claim.results) > 1 else ""
    words = [f"{sides(result)} in {result.experiment}{several}: {'not measured' if measured == ABSENT else measured}"]
    words += [f"article {article}"] if article != ABSENT else []
    negligible = ", but within the margin" if any(result.negligible for result in claim.results) else ""
    return "; ".join([*words, f"claimed {claimed(result.test)}{negligible}"])


def _why_open(claim: ClaimResult) -> list[str]:
    """The time that would settle it, or why time alone does not."""
    result, settling = claim.telling, claim.to_settle
    if settling is not None and settling.seconds <= LONGEST_PROPOSED_S:
        return [f"About {duration(settling.seconds)} more would settle it."]
    if settling is not None:
        return ["It is too close for a day to settle it."]
    reason = with_advice(result.reason)
    return [f"{reason[0].upper()}{reason[1:]}."] if reason else []


def _closing(claims: Sequence[ClaimResult]) -> list[str]:
    """The run that settles an open claim the soonest, or one that tests what was not measured; else the details."""
    soonest = min(claims, key=lambda claim: claim.telling.seconds_to_settle, default=None)
    if soonest is not None and soonest.to_settle is not None and soonest.to_settle.seconds <= LONGEST_PROPOSED_S:
        result, settling = soonest.telling, soonest.to_settle
        command = f"{_run(soonest)} --time {time_option(settling.seconds_from_nothing(result.blocks))}"
        if settling.target < METHOD.precision:
            command += f" --precision {precision_option(settling.target)}"
        return closing_lines(None, command, "settles one more")
    unmeasured = next((claim for claim in claims if claim.telling.reason == IN_NO_RECORD), None)
    if unmeasured is not None:
        return closing_lines(None, _run(unmeasured), "tests one more")
    return closing_lines(None, "hopcost claims … --details", "every comparison")


def _run(claim: ClaimResult) -> str:
    return f"hopcost run {claim.suite}/{claim.telling.experiment}"


def _details(result: ClaimResult) -> list[Element]:
    claim = result.claim
    about = [claim.says, f"Source: {claim.source}", *([f"Condition: {claim.condition}"] if claim.condition else [])]
    return [
        Heading(f"{result.suite}: {claim.name}: {result.outcome.value}", level=3),
        Lines(about, Style.VERSE),
        Lines(tests(result), Style.POINTS),
    ]
