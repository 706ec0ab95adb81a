"""How the time is shared among starts and probes."""

from __future__ import annotations

import pytest
from known import known

from hopcost.measure.protocols.capacity.timing import (
    EDGES_S,
    LEAST_PROBES,
    MOST_PROBE_S,
    PROBES,
    STARTS,
    needed_probe_s,
    needed_time_s,
    probes_of_start,
    warm_up_ns,
)
from hopcost.statistics.questions.capacity.objectives import read_objectives

P99, P999, SECONDS = read_objectives(["p99<50ms"]), read_objectives(["p99.9<50ms"]), read_objectives(["p99<2s"])


def test_a_probe_is_as_long_as_its_quantile_and_its_time_need() -> None:
    assert needed_probe_s(P99, 100_000) == 1.0
    assert needed_probe_s(P999, 500) == 20.0
    assert needed_probe_s(SECONDS, 100_000) == 8.0


def test_much_time_makes_probes_longer_up_to_a_point() -> None:
    short, long = (known(probes_of_start(left_s, 3.0, 0.3, 1, 1.0)) for left_s in (70.0, 700.0))
    assert short.number == long.number == PROBES
    assert 1.0 < short.seconds < long.seconds == MOST_PROBE_S


def test_little_time_takes_probes_and_starts_away() -> None:
    assert known(probes_of_start(5 * (3 + LEAST_PROBES * 2.5), 3.0, 0.3, 1, 2.0)).number == LEAST_PROBES
    assert known(probes_of_start(12.0, 3.0, 0.3, 1, 2.0)).number == LEAST_PROBES
    assert probes_of_start(9.0, 3.0, 0.3, 1, 2.0) is None


def test_the_probes_of_later_starts_are_as_long_as_those_of_the_first() -> None:
    left_s, start_s = 80.0, 3.0
    first = known(probes_of_start(left_s, start_s, 0.3, 1, 1.0))
    left_s -= start_s + first.number * (first.seconds + 0.3 + EDGES_S)
    second = known(probes_of_start(left_s, start_s, 0.3, 1, 1.0, done=1))
    assert second.number == first.number
    assert second.seconds == pytest.approx(first.seconds)


def test_the_needed_time_holds_the_least_number_of_starts() -> None:
    needed_s = needed_time_s(3.0, 0.3, 1, 20.0)
    assert 400 < needed_s < 600
    left_s = needed_s - 3.0 - 11 * 20.45
    assert known(probes_of_start(left_s, 3.0, 0.3, 1, 20.0)).number >= LEAST_PROBES


@pytest.mark.parametrize(("time_s", "arms", "most_ms"), [(90.0, 1, 1800), (120.0, 2, 1200), (20.0, 4, 500)])
def test_warm_ups_take_a_small_share(time_s: float, arms: int, most_ms: int) -> None:
    assert warm_up_ns(time_s, arms, []) == (most_ms * 1_000_000, 10_000)
    assert warm_up_ns(time_s, arms, [500, 2000])[1] == 2000
    assert STARTS > 1
