"""Judged claims as data: JSON by claim, CSV with a row for each comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hopcost.report import Cell
from hopcost.statistics.questions.claims.result import ClaimResult, ClaimTestResult
from hopcost.suites.articles.claim import Relation

HEADER = [
    *("suite", "claim", "claim_outcome", "experiment", "figure", "arm", "to", "hop", "relation", "size", "tolerance"),
    *("published", "published_errors", "published_fits", "measured", "low", "high", "errors", "blocks_with_errors"),
    *("outcome", "negligible", "p_value", "reason", "record", "started_utc", "blocks"),
    *("settles_at", "settles_after_starts", "settles_after_s"),
]


def data(claims: Sequence[ClaimResult]) -> list[dict[str, object]]:
    """Each claim with its comparisons."""
    return [_data(claim) for claim in claims]


def rows(claims: Sequence[ClaimResult]) -> list[list[Cell]]:
    """The header, and a row for each comparison."""
    return [[*HEADER], *(row for claim in claims for row in _rows(claim))]


def _rows(claim: ClaimResult) -> Iterator[list[Cell]]:
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
