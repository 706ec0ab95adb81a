"""Judged claims: a sentence over all of them, each with its outcome and figure, then every comparison; JSON and CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hopcost.errors import printable
from hopcost.plan.method import METHOD
from hopcost.report import Cell, Result, notation
from hopcost.report.brief.reasons import with_advice
from hopcost.report.document import Document, Element, Entries, Entry, Fold, Heading, Lines, Section, Style
from hopcost.report.formatting import ABSENT, CONFIDENCE_IN_TEXT, count, duration, probability
from hopcost.report.questions.closing import closing_lines, precision_option, time_option
from hopcost.statistics.questions.claims.decision import ClaimOutcome
from hopcost.statistics.questions.claims.result import ClaimResult, ClaimTestResult
from hopcost.statistics.questions.claims.run import IN_NO_RECORD
from hopcost.suites.articles.claim import ClaimFigure, ClaimTest, Relation

CSV_HEADER = [
    *("suite", "claim", "claim_outcome", "experiment", "figure", "arm", "to", "hop", "relation", "size", "tolerance"),
    *("published", "published_errors", "published_fits", "measured", "low", "high", "errors", "blocks_with_errors"),
    *("outcome", "negligible", "p_value", "reason", "record", "started_utc", "blocks"),
    *("settles_at", "settles_after_starts", "settles_after_s"),
]
COUNTED = {
    ClaimOutcome.HOLDS: ("holds", "hold"),
    ClaimOutcome.DOES_NOT_HOLD: ("does not", "do not"),
    ClaimOutcome.NOT_SETTLED: ("is not settled", "are not settled"),
    ClaimOutcome.NOT_TESTABLE: ("cannot be tested here", "cannot be tested here"),
}
LABELS = {ClaimOutcome.NOT_TESTABLE: "not testable"}
HOW_TO_READ = [
    f"46 % (44–47): the figure of one stack in per cent of another one's, with its {CONFIDENCE_IN_TEXT} range.",
    "A claim holds if each of its comparisons holds, tested one-sided at 5 %. It does not hold if any fails, and these"
    " share 5 %. P: how often chance alone gives that outcome if the truth lies right at what is claimed.",
    "Of several comparisons the page shows the surest failure, the one that is furthest from an answer, or the least"
    " sure one of those that hold.",
]
LONGEST_S = 24 * 3600.0  # a time that is proposed


def claims_report(claims: Sequence[ClaimResult], *, details: bool = False) -> Result:
    """All claims as a result."""
    return Result(
        document=lambda: document(claims, details=details),
        data=lambda: [_data(claim) for claim in claims],
        rows=lambda: [CSV_HEADER, *(row for claim in claims for row in _csv_rows(claim))],
    )


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


def counted(claims: Sequence[ClaimResult]) -> str:
    """`Of 36 claims 20 hold, 9 do not, 5 are not settled, 2 cannot be tested here`."""
    numbers = Counter(claim.outcome for claim in claims)
    words = [
        f"{numbers[outcome]} {single if numbers[outcome] == 1 else several}"
        for outcome, (single, several) in COUNTED.items()
        if numbers[outcome]
    ]
    return f"Of {count(len(claims), 'claim')} {', '.join(words)}"


def _entry(claim: ClaimResult) -> Entry:
    """Outcome; what is said, the figure that tells, and why there is no answer."""
    label = LABELS.get(claim.outcome, claim.outcome.value)
    return Entry(label, [claim.claim.says, _figure(claim), *_why_open(claim)])


def _figure(claim: ClaimResult) -> str:
    """`nginx-http-tcp ÷ go in all-cores: 49 % (44–56); article 58 %; claimed at most 75 %`."""
    result = claim.telling
    article, measured = _published(result), _measured(result)
    several = f" (1 of {len(claim.results)})" if len(claim.results) > 1 else ""
    words = [f"{_sides(result)} in {result.experiment}{several}: {'not measured' if measured == ABSENT else measured}"]
    words += [f"article {article}"] if article != ABSENT else []
    negligible = ", but within the margin" if any(result.negligible for result in claim.results) else ""
    return "; ".join([*words, f"claimed {claimed(result.test)}{negligible}"])


def _why_open(claim: ClaimResult) -> list[str]:
    """The time that would settle it, or why time alone does not."""
    result, settling = claim.telling, claim.to_settle
    if settling is not None and settling.seconds <= LONGEST_S:
        return [f"About {duration(settling.seconds)} more would settle it."]
    if settling is not None:
        return ["It is too close for a day to settle it."]
    reason = with_advice(result.reason)
    return [f"{reason[0].upper()}{reason[1:]}."] if reason else []


def _closing(claims: Sequence[ClaimResult]) -> list[str]:
    """The run that settles an open claim the soonest, or one that tests what was not measured; else the details."""
    soonest = min(claims, key=lambda claim: claim.telling.seconds_to_settle, default=None)
    if soonest is not None and soonest.to_settle is not None and soonest.to_settle.seconds <= LONGEST_S:
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


def tests(claim: ClaimResult) -> list[str]:
    """A line for each of a claim's comparisons."""
    return [printable(_line(result)) for result in claim.results]


def _line(result: ClaimTestResult) -> str:
    """`one-core: throughput, nginx ÷ go: at least 90 %: article 94 %, measured 48 % (47–49) in 6 starts: holds`."""
    line = f"{compared(result)}: article {_published(result)}"
    if result.published_fits is False:
        line += " (its own figures do not bear it out)"
    line += f", measured {_measured(result)}"
    if result.record is not None:
        line += f" in {count(result.blocks, 'server start')} of {result.record} ({result.started_utc})"
    line += f": {result.outcome.value}" + (", negligible" if result.negligible else "")
    line += "" if result.p_value is None else f" ({probability(result.p_value)})"
    line += f": {result.reason}" if result.reason else ""
    return line + (
        "" if result.to_settle is None else f"; about {duration(result.to_settle.seconds)} more would settle it"
    )


def compared(result: ClaimTestResult) -> str:
    """What the test compares, and what the article claims of it."""
    throughput = "throughput, " if result.test.figure is ClaimFigure.THROUGHPUT else ""
    return f"{result.experiment}: {throughput}{_sides(result)}: {claimed(result.test)}"


def _sides(result: ClaimTestResult) -> str:
    """`nginx-http-tcp ÷ go`, with the figure if it is not throughput."""
    test = result.test
    match test.figure:
        case ClaimFigure.THROUGHPUT:
            return f"{test.arm} ÷ {result.to}"
        case ClaimFigure.CPU_PER_REQUEST:
            return f"CPU per request{f' of {test.hop}' if test.hop else ''}, {test.arm} ÷ {result.to}"
        case ClaimFigure.ERRORS:
            return f"errors of {test.arm}"
        case ClaimFigure.DRIFT:
            return f"throughput of {test.arm} over the soak"
        case ClaimFigure.MEMORY_DRIFT:
            return f"memory of {test.arm} over the soak"


def claimed(test: ClaimTest) -> str:
    """`about 80 % (±10 %)`."""
    words = test.relation.value
    if test.relation in (Relation.MORE, Relation.LESS):
        return f"{words} than 100 %"
    if test.size is None:
        return {Relation.SOME: "errors", Relation.NONE: "no errors"}.get(test.relation, words)
    return f"{words} {_percent(test.size)}" + (
        f" (±{test.tolerance * 100:g} %)" if test.relation is Relation.ABOUT else ""
    )


def _percent(ratio: float) -> str:
    """Three digits at most."""
    return f"{float(f'{100 * ratio:.3g}'):,g} %"


def _published(result: ClaimTestResult) -> str:
    if result.test.relation.is_of_errors:
        return {None: ABSENT, True: "errors", False: "none"}[result.published_errors]
    return ABSENT if result.published is None else _percent(result.published)


def _measured(result: ClaimTestResult) -> str:
    if result.test.relation.is_of_errors:
        if result.errors is None:
            return ABSENT
        return count(result.errors.count, "error") if result.errors.count else "none"
    return notation.share(result.measured, _limits(result))


def _limits(result: ClaimTestResult) -> list[float]:
    """The ends of what is claimed: rounding must not hide on which side of them a range ends."""
    return [end for end in result.test.bounds if 0 < end < float("inf")]


def _csv_rows(claim: ClaimResult) -> Iterator[list[Cell]]:
    """A row for each comparison."""
    for result in claim.results:
        test, measured, errors = result.test, result.measured, result.errors
        yield [
            claim.suite,
            claim.claim.name,
            claim.outcome.value,
            result.experiment,
            test.figure.value,
            test.arm,
            result.to,
            test.hop,
            test.relation.value,
            test.size,
            test.tolerance if test.relation is Relation.ABOUT else None,
            result.published,
            result.published_errors,
            result.published_fits,
            *((None, None, None) if measured is None else (measured.value, measured.low, measured.high)),
            *((None, None) if errors is None else (errors.count, errors.blocks)),
            result.outcome.value,
            result.negligible,
            result.p_value,
            result.reason or None,
            result.record,
            result.started_utc,
            result.blocks,
            *_settling(result),
        ]


def _settling(result: ClaimTestResult) -> list[Cell]:
    settling = result.to_settle
    return [None, None, None] if settling is None else [settling.target, settling.starts, settling.seconds]


def _data(claim: ClaimResult) -> dict[str, object]:
    return {
        "suite": claim.suite,
        "claim": claim.claim.name,
        "says": claim.claim.says,
        "source": claim.claim.source,
        "condition": claim.claim.condition,
        "needs": claim.claim.needs,
        "outcome": claim.outcome,
        "tests": [
            {
                "experiment": result.experiment,
                "figure": result.test.figure,
                "arm": result.test.arm,
                "to": result.to,
                "hop": result.test.hop,
                "relation": result.test.relation,
                "size": result.test.size,
                "tolerance": result.test.tolerance if result.test.relation is Relation.ABOUT else None,
                "published": result.published,
                "published_errors": result.published_errors,
                "published_fits": result.published_fits,
                "measured": result.measured,
                "errors": result.errors,
                "outcome": result.outcome,
                "negligible": result.negligible,
                "p_value": result.p_value,
                "reason": result.reason,
                "to_settle": result.to_settle,
                "record": result.record,
                "started_utc": result.started_utc,
                "blocks": result.blocks,
            }
            for result in claim.results
        ],
    }
