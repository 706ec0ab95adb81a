"""The search on simulated servers: where it goes, where it ends, and what it does at the generator's limit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from known import known

from hopcost.measure.protocols.capacity.search import LADDER, Search
from hopcost.measure.protocols.capacity.timing import climb_probe_s
from hopcost.statistics.questions.capacity.objectives import Objective
from hopcost.statistics.questions.capacity.outcome import Count, Outcome
from tools.truth.sections.capacity.simulated import QueueServer, slice_of
from tools.truth.sections.capacity.waiting import capacity

SERVER = QueueServer(service_s=0.001)
LIMIT_S, SHARE = 0.020, 0.01
OBJECTIVES = [Objective(SHARE, 20_000_000)]
MOST_PROBES = 60


def probe(search: Search, server: QueueServer, seconds: float, dice: np.random.Generator) -> Outcome:
    rate = search.next_rate()
    times = slice_of(server, rate, seconds, dice)
    outcome = Outcome(rate, [Count(int((times >= LIMIT_S).sum()), len(times), SHARE)])
    search.add(outcome)
    return outcome


def climbed(server: QueueServer = SERVER, full_per_s: float = 990.0, seed: int = 1) -> Search:
    search, dice = Search(full_per_s), np.random.default_rng(seed)
    search.begin_start()
    for _ in range(MOST_PROBES):
        if search.has_ended_climb:
            break
        seconds = climb_probe_s(OBJECTIVES, search.next_rate(), is_rung=not search.has_missed)
        probe(search, server, seconds, dice)
    return search


def test_it_climbs_a_ladder_until_a_rate_misses_then_halves() -> None:
    search = climbed()
    rates = [outcome.rate_per_s for outcome in search.outcomes]
    rungs = [share * 990.0 for share in LADDER]
    first_miss = next(place for place, outcome in enumerate(search.outcomes) if outcome.misses)
    assert rates[: first_miss + 1] == pytest.approx(rungs[: first_miss + 1])
    assert search.is_bracketed and len(rates) <= 12


@pytest.mark.parametrize("seed", range(6))
def test_fresh_starts_find_the_capacity_of_a_queue(seed: int) -> None:
    search, dice = climbed(seed=seed), np.random.default_rng(100 + seed)
    for _ in range(5):
        search.begin_start()
        for _ in range(4):
            probe(search, SERVER, 2.5, dice)
    truth = capacity(LIMIT_S / SERVER.service_s, SHARE) / SERVER.service_s
    assert math.exp(known(search.fit()).log.value) == pytest.approx(truth, rel=0.05)


def test_a_start_is_probed_on_both_sides_of_what_is_known() -> None:
    search = climbed()
    capacity_per_s = math.exp(known(search.fit()).log.value)
    search.begin_start()
    first = probe(search, SERVER, 2.5, np.random.default_rng(3)).rate_per_s
    second = probe(search, SERVER, 2.5, np.random.default_rng(4)).rate_per_s
    assert (first < capacity_per_s) != (second < capacity_per_s) or abs(second / first - 1) > 0.01


def test_a_closed_loop_over_few_connections_is_no_limit() -> None:
    search = climbed(full_per_s=200.0)
    held, missed = known(search.so_far.held_per_s), known(search.so_far.missed_per_s)
    assert held > 700 and missed <= 1.081 * held


def test_a_server_that_misses_idle_is_told_soon() -> None:
    search = climbed(QueueServer(service_s=0.05), full_per_s=20.0)
    assert search.misses_idle and len(search.outcomes) <= 4


def limited(search: Search, limit_per_s: float) -> None:
    """Everything holds; what is above the limit cannot be offered."""
    for _ in range(MOST_PROBES):
        if search.has_ended_climb:
            return
        rate = search.next_rate()
        is_above = rate > limit_per_s
        search.add(Outcome(rate, [Count(500 if is_above else 0, 1000, SHARE)], is_limited=is_above))


def test_what_the_generator_cannot_offer_is_tried_twice_and_is_no_miss() -> None:
    search = Search(1000.0)
    search.begin_start()
    limited(search, 900.0)
    assert search.is_at_limit and not search.has_missed
    assert search.limited == {1000.0: 2}
    assert search.so_far.held_per_s == 850.0
    search.begin_start()
    assert search.next_rate() == 850.0


def test_one_stall_at_a_low_rate_is_no_miss() -> None:
    search = Search(1000.0)
    search.begin_start()
    for slow in (5, 0, 0, 0, 0, 300):
        rate = search.next_rate()
        search.add(Outcome(rate, [Count(slow, 1000 if slow > 5 else 100, SHARE)]))
    rates = [outcome.rate_per_s for outcome in search.outcomes]
    assert rates == [100.0, 100.0, 400.0, 700.0, 850.0, 1000.0]
    assert (search.so_far.held_per_s, search.so_far.missed_per_s) == (850.0, 1000.0)


def test_a_start_that_was_disturbed_does_not_guide_the_next_rates() -> None:
    search = climbed()
    before = search.next_rate(), len(search.outcomes)
    search.begin_start()
    for rate in (400.0, 420.0):
        search.add(Outcome(rate, [Count(900, 1000, SHARE)]))
    search.add(Outcome(500.0, [Count(900, 1000, SHARE)], is_limited=True))
    search.forget_start()
    assert len(search.outcomes) == before[1] and not search.limited
    assert search.next_rate() == before[0]


def test_a_climb_that_was_disturbed_begins_again() -> None:
    search = climbed()
    search.forget_start()
    search.begin_start()
    assert not search.has_ended_climb
    assert search.next_rate() == pytest.approx(LADDER[0] * 990.0)
