"""Judged claims: one table over all records, then each claim with its comparisons; also as JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hopcost.errors import printable
from hopcost.report import Cell, Result
from hopcost.report.document import Document, Heading, Lines, Section, Style, Table
from hopcost.report.formatting import ABSENT, CONFIDENCE_IN_TEXT, count, interval, probability
from hopcost.statistics.questions.claim_decision import ClaimOutcome
from hopcost.statistics.questions.claim_result import ClaimResult, ClaimTestResult
from hopcost.suites.claim import ClaimFigure, ClaimTest, Relation

HEADER = ["claim", "result", "article", "measured"]
CSV_HEADER = [
    *("suite", "claim", "claim_outcome", "experiment", "figure", "arm", "to", "hop", "relation", "size", "tolerance"),
    *("published", "published_errors", "published_fits", "measured", "low", "high", "errors", "blocks_with_errors"),
    *("outcome", "negligible", "p_value", "reason", "record", "started_utc", "blocks"),
]
HOW_TO_READ = [
    f"Article and measured: a ratio with its {CONFIDENCE_IN_TEXT} interval in [ ], a soak's change as a factor, or"
    " errors; of several comparisons the range.",
    "A claim holds if each of its comparisons holds, tested one-sided at 5 %; it does not hold if any fails, and these"
    " share 5 %. P: how probable it is that the outcome is wrong.",
]
TO_SETTLE = (
    "Not settled by its range: run that experiment again with a longer --time, or with a smaller --precision. Other"
    " reasons stand beside it."
)


def claims_report(claims: Sequence[ClaimResult]) -> Result:
    """All claims as a result."""
    return Result(
        document=lambda: document(claims),
        data=lambda: [_data(claim) for claim in claims],
        rows=lambda: [CSV_HEADER, *(row for claim in claims for row in _csv_rows(claim))],
    )


def document(claims: Sequence[ClaimResult]) -> Document:
    """One table, then the claims in words."""
    rows = [[f"{claim.suite}: {claim.claim.name}", *_cells(claim)] for claim in claims]
    is_open = any(claim.outcome is ClaimOutcome.NOT_SETTLED for claim in claims)
    below = Lines([counted(claims) + ".", *HOW_TO_READ, *([TO_SETTLE] if is_open else [])], Style.REMARKS)
    return Document([[Table(HEADER, rows, words=len(HEADER))], [below], *(_details(claim) for claim in claims)])


def counted(claims: Sequence[ClaimResult]) -> str:
    """`41 claims: holds 12, …`."""
    counts = {outcome: sum(claim.outcome is outcome for claim in claims) for outcome in ClaimOutcome}
    words = [f"{outcome.value} {number}" for outcome, number in counts.items() if number]
    return f"{len(claims)} claims: {', '.join(words)}"


def _details(result: ClaimResult) -> Section:
    claim = result.claim
    about = [claim.says, f"Source: {claim.source}", *([f"Condition: {claim.condition}"] if claim.condition else [])]
    return [
        Heading(f"{result.suite}: {claim.name}: {result.outcome.value}", level=3),
        Lines(about, Style.VERSE),
        Lines(tests(result), Style.POINTS),
    ]


def _cells(claim: ClaimResult) -> list[str]:
    """The cells of a claim: result, the article's figure, ours."""
    outcome = claim.outcome.value
    if claim.outcome is ClaimOutcome.HOLDS and any(result.negligible for result in claim.results):
        outcome += ", negligible"
    if len(claim.results) == 1:
        (result,) = claim.results
        return [outcome, _published(result), _measured(result)]
    errors = [result for result in claim.results if result.test.relation.is_of_errors]
    ratios = [result for result in claim.results if not result.test.relation.is_of_errors]
    published = [_range([result.published for result in ratios])]
    measured = [_range([None if result.measured is None else result.measured.value for result in ratios])]
    if errors:
        published.append(_share([result.published_errors for result in errors]))
        measured.append(_share([None if test.errors is None else test.errors.count > 0 for test in errors]))
    return [outcome, "; ".join(filter(None, published)) or ABSENT, "; ".join(filter(None, measured)) or ABSENT]


def _range(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return ""
    ends = f"{min(known):.2f} to {max(known):.2f}" if len(known) > 1 else f"{known[0]:.2f}"
    return ends if len(known) == len(values) else f"{ends} ({len(known)} of {len(values)})"


def _share(values: Sequence[bool | None]) -> str:
    known = [value for value in values if value is not None]
    return f"errors in {sum(known)} of {len(known)}" if known else ""


def tests(claim: ClaimResult) -> list[str]:
    """A line for each of a claim's comparisons."""
    return [printable(_line(result)) for result in claim.results]


def _line(result: ClaimTestResult) -> str:
    """`one-core: nginx-http-tcp ÷ go at least 0.9: article 0.94, measured 0.480 [0.470, 0.490] in 6 blocks: holds`."""
    line = f"{compared(result)}: article {_published(result)}"
    if result.published_fits is False:
        line += " (its own figures do not bear it out)"
    line += f", measured {_measured(result)}"
    if result.record is not None:
        line += f" in {count(result.blocks, 'block')} of {result.record} ({result.started_utc})"
    line += f": {result.outcome.value}" + (", negligible" if result.negligible else "")
    line += "" if result.p_value is None else f" ({probability(result.p_value)})"
    return line + (f": {result.reason}" if result.reason else "")


def compared(result: ClaimTestResult) -> str:
    """What the test compares, and what the article claims of it."""
    test = result.test
    match test.figure:
        case ClaimFigure.THROUGHPUT:
            quantity = f"throughput, {test.arm} ÷ {result.to}"
        case ClaimFigure.CPU_PER_REQUEST:
            quantity = f"CPU per request{f' of {test.hop}' if test.hop else ''}, {test.arm} ÷ {result.to}"
        case ClaimFigure.ERRORS:
            quantity = f"errors of {test.arm}"
        case ClaimFigure.DRIFT:
            quantity = f"throughput of {test.arm} (to the baseline's) at the end ÷ at the beginning"
        case ClaimFigure.MEMORY_DRIFT:
            quantity = f"memory of {test.arm} at the end ÷ at the beginning"
    return f"{result.experiment}: {quantity}: {claimed(test)}"


def claimed(test: ClaimTest) -> str:
    """`about 0.8 (±10 %)`."""
    words = test.relation.value
    if test.relation in (Relation.MORE, Relation.LESS):
        return f"{words} than 1"
    if test.size is None:
        return words
    return f"{words} {test.size:g}" + (f" (±{test.tolerance * 100:g} %)" if test.relation is Relation.ABOUT else "")


def _published(result: ClaimTestResult) -> str:
    if result.test.relation.is_of_errors:
        return {None: ABSENT, True: "errors", False: "none"}[result.published_errors]
    return ABSENT if result.published is None else f"{result.published:.2f}"


def _measured(result: ClaimTestResult) -> str:
    if result.test.relation.is_of_errors:
        return ABSENT if result.errors is None else f"{result.errors.count:,} errors" if result.errors.count else "none"
    return interval(result.measured)


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
        ]


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
                "record": result.record,
                "started_utc": result.started_utc,
                "blocks": result.blocks,
            }
            for result in claim.results
        ],
    }
