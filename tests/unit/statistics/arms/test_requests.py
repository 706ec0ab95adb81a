"""What became of each request of a mix, over blocks."""

from __future__ import annotations

import msgspec
from known import known
from samples.blocks import MS, histogram_of, sound_part

from hopcost.programs.generators.engine_lines import RequestTotals
from hopcost.record.contents.block import ArmBlock
from hopcost.statistics.arms.requests import figures_of_requests

NONE = histogram_of({})


def totals(name: str, times: dict[int, int], *, is_open: bool, errors: dict[str, int] | None = None) -> RequestTotals:
    """A request whose answers took so long, in ns."""
    answers, known_times = sum(times.values()), histogram_of(times)
    failed = errors or {}
    return RequestTotals(
        request=name,
        sent=answers + sum(failed.values()),
        not_sent=0,
        answers=answers,
        in_flight=0,
        errors=failed,
        service_time=known_times,
        unanswered=NONE,
        response_time=known_times if is_open else None,
        response_unanswered=NONE if is_open else None,
    )


def mixed_part(arm: str = "direct") -> ArmBlock:
    """A page that is quick and a form that is slow and fails at times, at full load and at 5000/s."""
    part = sound_part(arm)
    known(part.totals).requests = [
        totals("page", {MS: 30_000}, is_open=False),
        totals("form", {4 * MS: 10_000}, is_open=False, errors={"status": 2}),
    ]
    part.open_loop[0].totals.requests = [
        totals("page", {2 * MS: 30_000}, is_open=True),
        totals("form", {8 * MS: 10}, is_open=True),
    ]
    return part


def test_accounts_and_times_of_each_request_over_blocks() -> None:
    page, form, page_open, form_open = figures_of_requests([mixed_part(), mixed_part()])
    assert (page.request, page.rate_per_s, page.answers, page.errors) == ("page", None, 60_000, {})
    assert (form.request, form.answers, form.sent, form.errors) == ("form", 20_000, 20_004, {"status": 4})
    assert [round(known(page.time_ns[name]) / MS, 2) for name in ("p50", "p99")] == [1.0, 1.0]
    assert round(known(form.time_ns["p99"]) / MS, 1) == 4.0
    assert (page_open.rate_per_s, round(known(page_open.time_ns["p50"]) / MS, 1)) == (5000, 2.0)
    assert form_open.time_ns == {"p50": None, "p99": None}, "too few of them"


def test_a_quantile_among_requests_without_an_answer_is_not_known() -> None:
    part = mixed_part()
    page = msgspec.structs.replace(
        known(part.totals).requests[0], unanswered=histogram_of({MS: 3000}), errors={"timeout": 3000}
    )
    known(part.totals).requests = [page]
    figures = figures_of_requests([part])[0]
    assert figures.time_ns["p50"] is not None
    assert figures.time_ns["p99"] is None


def test_without_a_mix_there_is_nothing_by_request() -> None:
    assert figures_of_requests([sound_part("direct")]) == []
