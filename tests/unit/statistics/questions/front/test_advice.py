"""What a difference of CPU per request means, which advice comes first, and which stack to take."""

from __future__ import annotations

import pytest

from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.front.advice import Advice, Worth, best_front, in_order, judge
from hopcost.statistics.questions.front.fronts import Front

APP_NS, MARGIN = 100_000.0, 0.02


def interval(low: float, value: float, high: float) -> Interval:
    return Interval(value=value, low=low, high=high)


def advice(front: Front, value: float, worth: Worth, beside: str = "nginx") -> Advice:
    return Advice(front, beside, interval(value - 1, value, value + 1), None, worth)


@pytest.mark.parametrize(
    ("cpu", "worth"),
    [
        (interval(-30e3, -27e3, -25e3), Worth.SAVES),
        (interval(25e3, 27e3, 30e3), Worth.COSTS),
        (interval(-1.9e3, -1.5e3, -1e3), Worth.NOISE),  # real, and 1.5 % of what the app needs
        (interval(-4e3, -1e3, 2e3), Worth.NOISE),
        (interval(-40e3, -9e3, 22e3), Worth.OPEN),
        (Interval(value=-27e3, low=None, high=None), Worth.NO_VERDICT),
        (None, Worth.NO_VERDICT),
    ],
)
def test_a_difference_counts_if_it_is_real_and_not_tiny(cpu: Interval | None, worth: Worth) -> None:
    assert judge(cpu, APP_NS, MARGIN) is worth


def test_what_saves_most_comes_first_and_what_costs_last() -> None:
    entries = [
        advice(Front.TLS, 4e3, Worth.COSTS),
        advice(Front.UNIX, -1e3, Worth.NOISE),
        advice(Front.CACHE, -90e3, Worth.SAVES),
        advice(Front.KEEPALIVE, -27e3, Worth.SAVES),
    ]
    assert [entry.front for entry in in_order(entries)] == [Front.CACHE, Front.KEEPALIVE, Front.UNIX, Front.TLS]


def test_the_best_stack_is_that_whose_steps_save() -> None:
    keepalive, unix = advice(Front.KEEPALIVE, -27e3, Worth.SAVES), advice(Front.UNIX, -5e3, Worth.SAVES, "keepalive")
    noise = advice(Front.UNIX, -1e3, Worth.NOISE, "keepalive")
    assert best_front([keepalive, unix]) is Front.UNIX
    assert best_front([keepalive, noise]) is Front.KEEPALIVE
    assert best_front([advice(Front.KEEPALIVE, -1e3, Worth.NOISE)]) is Front.NGINX


def test_a_cache_is_never_chosen_by_itself() -> None:
    assert best_front([advice(Front.CACHE, -90e3, Worth.SAVES, "keepalive")]) is Front.NGINX


def test_haproxy_is_chosen_if_it_is_cheaper_than_the_best_nginx() -> None:
    keepalive = advice(Front.KEEPALIVE, -27e3, Worth.SAVES)
    assert best_front([keepalive, advice(Front.HAPROXY, -6e3, Worth.SAVES, "keepalive")]) is Front.HAPROXY
    assert best_front([keepalive, advice(Front.HAPROXY, 6e3, Worth.COSTS, "keepalive")]) is Front.KEEPALIVE
