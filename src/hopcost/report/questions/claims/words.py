"""Claims and their comparisons in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hopcost.errors import printable
from hopcost.report import notation
from hopcost.report.formatting import ABSENT, count, duration, probability
from hopcost.statistics.questions.claims.decision import ClaimOutcome
from hopcost.statistics.questions.claims.result import ClaimResult, ClaimTestResult
from hopcost.suites.articles.claim import ClaimFigure, ClaimTest, Relation

COUNTED = {
    ClaimOutcome.HOLDS: ("holds", "hold"),
    ClaimOutcome.DOES_NOT_HOLD: ("does not hold", "do not hold"),
    ClaimOutcome.NOT_SETTLED: ("is not settled", "are not settled"),
    ClaimOutcome.NOT_TESTABLE: ("cannot be tested here", "cannot be tested here"),
}


def counted(claims: Sequence[ClaimResult]) -> str:
    """`Of 36 claims 20 hold, 9 do not hold, 5 are not settled, 2 cannot be tested here`."""
    numbers = Counter(claim.outcome for claim in claims)
    words = [
        f"{numbers[outcome]} {single if numbers[outcome] == 1 else several}"
        for outcome, (single, several) in COUNTED.items()
        if numbers[outcome]
    ]
    return f"Of {count(len(claims), 'claim')} {', '.join(words)}"


def tests(claim: ClaimResult) -> list[str]:
    """A line for each of a claim's comparisons."""
    return [printable(_line(result)) for result in claim.results]


def _line(result: ClaimTestResult) -> str:
    """`one-core: throughput, nginx ÷ go: at least 90 %: article 94 %, measured 48 % (47–49) in 6 starts: holds`."""
    line = f"{compared(result)}: article {published_words(result)}"
    if result.published_fits is False:
        line += " (its own figures do not bear it out)"
    line += f", measured {measured_words(result)}"
    if result.record is not None:
        starts = 1 if result.test.figure.is_of_soak else result.blocks
        line += f" in {count(starts, 'server start')} of {result.record} ({result.started_utc})"
    line += f": {result.outcome.value}" + (", negligible" if result.negligible else "")
    line += "" if result.p_value is None else f" ({probability(result.p_value)})"
    line += f": {result.reason}" if result.reason else ""
    return line + (
        "" if result.to_settle is None else f"; about {duration(result.to_settle.seconds)} more would settle it"
    )


def compared(result: ClaimTestResult) -> str:
    """What the test compares, and what the article claims of it."""
    throughput = "throughput, " if result.test.figure is ClaimFigure.THROUGHPUT else ""
    return f"{result.experiment}: {throughput}{sides(result)}: {claimed(result.test)}"


def sides(result: ClaimTestResult) -> str:
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
    if test.figure is ClaimFigure.ERRORS:
        return f"{words} {test.size:,g} errors a start"
    return f"{words} {_percent(test.size)}" + (
        f" (±{test.tolerance * 100:g} %)" if test.relation is Relation.ABOUT else ""
    )


def _percent(ratio: float) -> str:
    """Three digits at most."""
    return f"{float(f'{100 * ratio:.3g}'):,g} %"


def published_words(result: ClaimTestResult) -> str:
    """`94 %`, or whether the article has errors; `–` if it says nothing."""
    if result.test.figure is ClaimFigure.ERRORS:
        return {None: ABSENT, True: "errors", False: "none"}[result.published_errors]
    return ABSENT if result.published is None else _percent(result.published)


def measured_words(result: ClaimTestResult) -> str:
    """`48 % (47–49)`, or how many errors there were; `–` if it was not measured."""
    if result.test.figure is ClaimFigure.ERRORS:
        return _errors_words(result)
    return notation.share(result.measured, _limits(result))


def _errors_words(result: ClaimTestResult) -> str:
    """`none`, `32 errors`, or with the fewest of a start if each start must have some."""
    errors = result.errors
    if errors is None:
        return ABSENT
    if errors.count == 0:
        return "none"
    fewest = "" if result.test.size is None else f", {errors.least:,} in the start with the fewest"
    return count(errors.count, "error") + fewest


def _limits(result: ClaimTestResult) -> list[float]:
    """The ends of what is claimed: rounding must not hide on which side of them a range ends."""
    return [end for end in result.test.bounds if 0 < end < float("inf")]
