"""What became of each request of a mix: accounts and times of an arm, over all valid blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from hopcost.plan.method import METHOD
from hopcost.programs.generators.engine_lines import RequestTotals
from hopcost.record import histogram
from hopcost.record.contents.block import ArmBlock
from hopcost.statistics.figures import load_at

QUANTILES = {"p50": 0.50, "p99": 0.99}


class RequestFigures(msgspec.Struct, frozen=True):
    """One request of a mix, at full load (`rate_per_s` is None) or under an offered load.

    Times are service times at full load and else response times; None if too few requests lie beyond a quantile, or if
    it is among those without an answer.
    """

    request: str
    rate_per_s: float | None
    sent: int
    answers: int
    not_sent: int
    errors: dict[str, int]
    time_ns: dict[str, int | None]


def figures_of_requests(parts: Sequence[ArmBlock]) -> list[RequestFigures]:
    """Of an arm: each request at full load, then under each offered load; none without a mix."""
    closed = [part.totals.requests for part in parts if part.totals is not None]
    figures = _of_load(closed, None)
    for share in dict.fromkeys(load.share for part in parts for load in part.open_loop):
        loads = [load for part in parts if (load := load_at(part, share)) is not None]
        figures += _of_load([load.totals.requests for load in loads], loads[0].rate_per_s)
    return figures


def _of_load(blocks: Iterable[list[RequestTotals]], rate_per_s: float | None) -> list[RequestFigures]:
    by_name: dict[str, list[RequestTotals]] = {}
    for requests in blocks:
        for request in requests:
            by_name.setdefault(request.request, []).append(request)
    return [_of_request(name, totals, rate_per_s) for name, totals in by_name.items()]


def _of_request(name: str, totals: list[RequestTotals], rate_per_s: float | None) -> RequestFigures:
    errors: Counter[str] = Counter()
    for block in totals:
        errors.update(block.errors)
    return RequestFigures(
        request=name,
        rate_per_s=rate_per_s,
        sent=sum(block.sent for block in totals),
        answers=sum(block.answers for block in totals),
        not_sent=sum(block.not_sent for block in totals),
        errors=dict(errors),
        time_ns=_quantiles(totals, is_open=rate_per_s is not None),
    )


def _quantiles(totals: list[RequestTotals], *, is_open: bool) -> dict[str, int | None]:
    known = [block.response_time if is_open else block.service_time for block in totals]
    at_least = [block.response_unanswered if is_open else block.unanswered for block in totals]
    both = histogram.merge(filter(None, known)), histogram.merge(filter(None, at_least))
    count = sum(times.total for times in both)
    return {
        name: value[0] if value is not None and value[1] and count * (1 - q) >= METHOD.min_samples_beyond else None
        for (name, q), value in zip(QUANTILES.items(), histogram.quantiles(*both, QUANTILES.values()), strict=True)
    }
