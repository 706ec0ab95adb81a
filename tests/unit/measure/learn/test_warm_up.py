"""When an app is warm: stretches of load, and their CPU time per request."""

from __future__ import annotations

import pytest

from hopcost.measure.learn.warm_up import Stretch, cut, is_over, summarise

SLICE_NS = 100_000_000


def load(per_s: int, *costs_us: float, seconds: float = 0.5) -> list[Stretch]:
    """Stretches of so many seconds each, at this rate, at these costs."""
    requests = round(per_s * seconds)
    return [Stretch(requests, round(seconds * 1e9), round(requests * cost * 1e3)) for cost in costs_us]


def slices(per_s: int, seconds: float) -> list[Stretch]:
    """At 10 µs a request."""
    each = per_s * SLICE_NS // 10**9
    return [Stretch(each, SLICE_NS, each * 10_000)] * round(seconds * 1e9 / SLICE_NS)


@pytest.mark.parametrize(
    ("per_s", "seconds", "lengths_s"),
    [
        (80_000, 1.2, [0.5, 0.5]),
        (1_600, 1.5, [0.7, 0.7]),
        (300, 5.0, [2.0, 2.0]),
        (80_000, 0.4, []),
        (0, 4.0, [2.0, 2.0]),
    ],
    ids=["fast", "by requests", "slow", "too short", "nothing answered"],
)
def test_stretches_are_long_enough_to_be_compared(per_s: int, seconds: float, lengths_s: list[float]) -> None:
    assert [stretch.elapsed_ns / 1e9 for stretch in cut(slices(per_s, seconds))] == pytest.approx(lengths_s)


def test_a_stretch_is_the_sum_of_its_slices_and_knows_no_cpu_time_if_one_does_not() -> None:
    known = slices(80_000, 0.5)
    assert cut(known) == [Stretch(40_000, 500_000_000, 400_000_000)]
    assert cut([*known[:-1], Stretch(8000, SLICE_NS, None)]) == [Stretch(40_000, 500_000_000, None)]


@pytest.mark.parametrize(
    ("stretches", "over"),
    [
        (load(80_000, 10.0), False),
        (load(80_000, 10.0, 10.2), True),
        (load(80_000, 10.2, 10.0), True),
        (load(80_000, 20.0, 10.0), False),
        (load(80_000, 20.0, 10.0, 10.1), True),
        (load(4_000, 10.0, 10.0), False),
        (load(4_000, 10.0, 10.0, 10.0), True),
        (load(300, *[10.0] * 8, seconds=2), False),
        (load(300, *[10.0] * 9, seconds=2), True),
        (load(10, *[10.0] * 9, seconds=2), False),
        (load(10, *[10.0] * 10, seconds=2), True),
        (load(10, *[20.0, 10.0] * 5, seconds=2), False),
        (load(10, *[20.0, 10.0] * 7, 20.0, seconds=2), True),
        ([Stretch(40_000, 500_000_000, None)] * 4, False),
        ([Stretch(0, 2_000_000_000, 0)] * 14, False),
        ([Stretch(0, 2_000_000_000, 0)] * 15, True),
    ],
)  # fmt: skip
def test_the_load_ends_when_two_stretches_are_alike_after_enough_requests_or_time(
    stretches: list[Stretch], over: bool
) -> None:
    assert is_over(stretches) is over


def test_the_warm_up_is_what_cost_more_than_what_came_after() -> None:
    node = summarise(load(8_000, 293.0, 133.0, 122.0, 121.0))
    assert (node.warm_up_requests, node.warm_up_s) == (8_000, 1.0)
    assert node.cpu_us_per_request == pytest.approx(121.5)
    assert node.throughput_per_s == pytest.approx(8_000)
    assert node.is_settled
    go = summarise(load(84_000, 12.0, 12.1))
    assert (go.warm_up_requests, go.warm_up_s, go.is_settled) == (0, 0.0, True)


def test_what_scatters_after_a_warm_stretch_is_no_warm_up() -> None:
    assert summarise(load(10_000, 141.0, 154.0, 146.0, 146.0)).warm_up_requests == 0
    assert summarise(load(10_000, 141.0, 120.0, 146.0, 146.0)).warm_up_requests == 0
    assert summarise(load(10_000, 200.0, 150.0, 160.0, 146.0, 146.0)).warm_up_requests == 5_000


def test_a_load_that_did_not_settle_says_by_how_much() -> None:
    warmth = summarise(load(10, 20.0, 10.0, seconds=15))
    assert not warmth.is_settled
    assert warmth.change == pytest.approx(0.5)


def test_without_cpu_time_there_is_a_throughput_alone() -> None:
    warmth = summarise([Stretch(50_000, 500_000_000, None)] * 2)
    assert (warmth.cpu_us_per_request, warmth.change, warmth.is_settled) == (None, None, False)
    assert warmth.throughput_per_s == pytest.approx(100_000)
