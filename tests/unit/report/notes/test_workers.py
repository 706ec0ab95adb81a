"""The luck of openings in words."""

from __future__ import annotations

import pytest

from hopcost.report.notes.workers import workers_lines
from hopcost.statistics.summary.openings import WorkersLuck


def luck(hop: str, one_got_everything: int, change: float | None) -> WorkersLuck:
    return WorkersLuck(
        arm="nginx-http-tcp",
        hop=hop,
        workers=2,
        openings=18,
        one_got_everything=one_got_everything,
        throughput_change=change,
    )


@pytest.mark.parametrize(
    ("own", "lines"),
    [
        (
            luck("nginx", 10, -0.2),
            [
                "nginx-http-tcp: in 10 of 18 openings one of 2 workers of nginx got everything: 20 % less;"
                " `reuseport` (over TCP) or `multi_accept` off mends it"
            ],
        ),
        (
            luck("app", 1, 0.04),
            ["nginx-http-tcp: in 1 of 18 openings one of 2 workers of app got everything: 4 % more"],
        ),
        (luck("app", 18, None), ["nginx-http-tcp: in 18 of 18 openings one of 2 workers of app got everything"]),
        (
            luck("nginx", 9, -0.004),
            ["nginx-http-tcp: in 9 of 18 openings one of 2 workers of nginx got everything: it cost nothing"],
        ),
        (luck("nginx", 0, None), []),
    ],
)
def test_what_one_worker_alone_cost_is_said_with_what_mends_it(own: WorkersLuck, lines: list[str]) -> None:
    assert workers_lines([own]) == lines
