"""Judged claims as one table over all records, and below it each claim with its comparisons; also JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from hopcost.report import ClaimsFormat, csv, markdown
from hopcost.report.formatting import ABSENT, interval, printable
from hopcost.statistics.questions.claim_result import ClaimOutcome, ClaimResult, ClaimTestResult
from hopcost.suites.claim import ClaimFigure, ClaimTest, Relation

HEADER = ["claim", "result", "article", "measured"]
CSV_HEADER = [
    *("suite", "claim", "claim_outcome", "experiment", "figure", "arm", "to", "hop", "relation", "size", "tolerance"),
    *("published", "published_errors", "published_fits", "measured", "low", "high", "errors", "blocks_with_errors"),
    *("outcome", "negligible", "reason", "record", "started_utc", "blocks"),
]
TOGETHER = (
    "Intervals in [ ]: those of one claim hold together at 95 %. Article and measured: a ratio, a soak's change as a"
    " factor, or errors; of several comparisons the range."
)


def render(judged: Sequence[ClaimResult], format: ClaimsFormat) -> str:
    """All claims in one format."""
    if format is ClaimsFormat.JSON:
        return msgspec.json.format(msgspec.json.encode([_plain(each) for each in judged]), indent=2).decode() + "\n"
    if format is ClaimsFormat.CSV:
        return csv.written(CSV_HEADER, (line for each in judged for line in _csv(each)))
    table = [[f"{each.suite}: {each.claim.name}", *_cells(each)] for each in judged]
    below = [counted(judged) + ".", TOGETHER]
    if format is ClaimsFormat.MARKDOWN:
        return (
            "\n".join(
                [*_in_markdown(table), "", markdown.bullets(below), "", *_details(judged, ClaimsFormat.MARKDOWN)]
            ).rstrip()
            + "\n"
        )
    return "\n".join([*_in_text(table), "", *below, "", *_details(judged, ClaimsFormat.TEXT)]).rstrip() + "\n"


def counted(judged: Sequence[ClaimResult]) -> str:
    """`41 claims: holds 12, …`."""
    found = {outcome: sum(each.outcome is outcome for each in judged) for outcome in ClaimOutcome}
    words = [f"{outcome.value} {count}" for outcome, count in found.items() if count]
    return f"{len(judged)} claims: {', '.join(words)}"


def _in_text(table: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in [HEADER, *table]) for column in range(len(HEADER))]
    lines = [HEADER, ["─" * width for width in widths], *table]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def _in_markdown(table: list[list[str]]) -> list[str]:
    lines = [HEADER, ["---"] * len(HEADER), *[[markdown.escape(cell) for cell in row] for row in table]]
    return ["| " + " | ".join(line) + " |" for line in lines]


def _details(judged: Sequence[ClaimResult], format: ClaimsFormat) -> list[str]:
    lines: list[str] = []
    for each in judged:
        claim, head = each.claim, f"{each.suite}: {each.claim.name}: {each.outcome.value}"
        about = [claim.says, f"Source: {claim.source}", *([f"Condition: {claim.condition}"] if claim.condition else [])]
        said_tests = tests(each)
        if format is ClaimsFormat.MARKDOWN:
            said = [markdown.escape(line) for line in about]
            lines += [f"### {markdown.escape(head)}", "", "<br>\n".join(said), "", markdown.bullets(said_tests), ""]
        else:
            lines += [head, *[f"  {line}" for line in about], *[f"  - {line}" for line in said_tests], ""]
    return lines


def _cells(each: ClaimResult) -> list[str]:
    """Result, the article's figure, ours."""
    outcome = each.outcome.value
    if each.outcome is ClaimOutcome.HOLDS and any(result.negligible for result in each.results):
        outcome += ", negligible"
    if len(each.results) == 1:
        (result,) = each.results
        return [outcome, _published(result), _measured(result)]
    of_errors = [result for result in each.results if result.test.relation.is_of_errors]
    ratios = [result for result in each.results if not result.test.relation.is_of_errors]
    published = [_range([result.published for result in ratios])]
    measured = [_range([None if result.measured is None else result.measured.value for result in ratios])]
    if of_errors:
        published.append(_share([result.published_errors for result in of_errors]))
        measured.append(_share([None if each.errors is None else each.errors.count > 0 for each in of_errors]))
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


def tests(each: ClaimResult) -> list[str]:
    """A line for each of a claim's comparisons."""
    return [printable(_line(result)) for result in each.results]


def _line(result: ClaimTestResult) -> str:
    """`one-core: nginx-http-tcp ÷ go at least 0.9: article 0.94, measured 0.480 [0.470, 0.490] in 6 blocks: holds`."""
    found = f"{compared(result)}: article {_published(result)}"
    if result.published_fits is False:
        found += " (its own figures do not bear it out)"
    found += f", measured {_measured(result)}"
    if result.record is not None:
        blocks = "1 block" if result.blocks == 1 else f"{result.blocks} blocks"
        found += f" in {blocks} of {result.record} ({result.started_utc})"
    found += f": {result.outcome.value}" + (", negligible" if result.negligible else "")
    return found + (f": {result.reason}" if result.reason else "")


def compared(result: ClaimTestResult) -> str:
    """What is compared, and what is claimed of it."""
    test = result.test
    match test.figure:
        case ClaimFigure.THROUGHPUT:
            what = f"throughput, {test.arm} ÷ {result.to}"
        case ClaimFigure.CPU_PER_REQUEST:
            what = f"CPU per request{f' of {test.hop}' if test.hop else ''}, {test.arm} ÷ {result.to}"
        case ClaimFigure.ERRORS:
            what = f"errors of {test.arm}"
        case ClaimFigure.DRIFT:
            what = f"throughput of {test.arm} (to the baseline's) at the end ÷ at the beginning"
        case ClaimFigure.MEMORY_DRIFT:
            what = f"memory of {test.arm} at the end ÷ at the beginning"
    return f"{result.experiment}: {what}: {claimed(test)}"


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


def _csv(each: ClaimResult) -> Iterator[list[csv.Cell]]:
    """A row for each comparison."""
    for result in each.results:
        test, measured, errors = result.test, result.measured, result.errors
        yield [
            each.suite,
            each.claim.name,
            each.outcome.value,
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
            result.reason or None,
            result.record,
            result.started_utc,
            result.blocks,
        ]


def _plain(each: ClaimResult) -> dict[str, object]:
    return {
        "suite": each.suite,
        "claim": each.claim.name,
        "says": each.claim.says,
        "source": each.claim.source,
        "condition": each.claim.condition,
        "needs": each.claim.needs,
        "outcome": each.outcome,
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
                "reason": result.reason,
                "record": result.record,
                "started_utc": result.started_utc,
                "blocks": result.blocks,
            }
            for result in each.results
        ],
    }
