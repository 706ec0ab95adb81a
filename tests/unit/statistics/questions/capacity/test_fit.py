"""The capacity out of counts: known curves, bursts, starts that differ, and what has no capacity."""

from __future__ import annotations

import math

import numpy as np
import pytest
from known import known
from scipy.special import expit

from hopcost.statistics.questions.capacity.fit import fit_objectives, fit_starts
from hopcost.statistics.questions.capacity.likelihood import Probe
from hopcost.statistics.questions.capacity.outcome import Count, Outcome, logit

ALLOWED = 0.01


def start(capacity: float, steepness: float = 30.0, requests: int = 3000, burst: int = 1, seed: int = 1) -> list[Probe]:
    """A start of that capacity: slow requests come in bursts of so many."""
    dice = np.random.default_rng(seed)
    probes = []
    for distance in (-0.04, 0.03, -0.02, 0.04):
        share = float(expit(logit(ALLOWED) + steepness * distance))
        missed = min(requests, burst * int(dice.poisson(requests * share / burst)))
        probes.append(Probe(math.log(capacity) + distance, missed, requests))
    return probes


def test_counts_on_the_curve_give_its_capacity() -> None:
    exact = [
        Probe(math.log(1000) + distance, round(1e6 * float(expit(logit(ALLOWED) + 30 * distance))), 10**6)
        for distance in (-0.05, -0.02, 0.02, 0.05)
    ]
    fit = known(fit_starts([exact] * 4, ALLOWED, 0.05))
    assert math.exp(fit.log.value) == pytest.approx(1000, rel=0.007)
    assert fit.steepness == pytest.approx(30, rel=0.35)


@pytest.mark.parametrize("burst", [1, 20])
def test_the_range_holds_the_truth_about_as_often_as_it_says(burst: int) -> None:
    fits = [
        known(fit_starts([start(1000, burst=burst, seed=7 * run + number) for number in range(5)], ALLOWED, 0.05))
        for run in range(40)
    ]
    held = sum(known(fit.log.low) <= math.log(1000) <= known(fit.log.high) for fit in fits)
    assert held >= 35
    assert abs(float(np.median([fit.log.value for fit in fits])) - math.log(1000)) < 0.01


def test_bursts_and_starts_that_differ_make_the_range_wider() -> None:
    calm = known(fit_starts([start(1000, seed=number) for number in range(5)], ALLOWED, 0.05))
    bursts = known(fit_starts([start(1000, burst=30, seed=number) for number in range(5)], ALLOWED, 0.05))
    unlike = known(
        fit_starts(
            [start(capacity, seed=number) for number, capacity in enumerate((900, 950, 1000, 1050, 1110))],
            ALLOWED,
            0.05,
        )
    )
    widths = [known(fit.log.high) - known(fit.log.low) for fit in (calm, bursts, unlike)]
    assert widths[0] < widths[1] and widths[0] < widths[2]
    assert unlike.spread > calm.spread
    assert [math.exp(log) for log in unlike.starts] == pytest.approx([900, 950, 1000, 1050, 1110], rel=0.03)


def test_probes_that_contradict_each_other_have_no_range() -> None:
    """Of a disturbed machine: a lower rate has half of its requests slow, higher ones none."""
    starts = [
        [Probe(math.log(rate), slow, 10_000) for rate, slow in start]
        for start in (
            [(7518, 380), (8559, 73), (7421, 0), (8765, 38)],
            [(7222, 4065), (7936, 0), (7133, 1), (7947, 847)],
        )
    ]
    fit = known(fit_starts(starts, ALLOWED, 0.05))
    assert (fit.log.low, fit.log.high) == (None, None)


def test_one_stall_does_not_move_the_capacity() -> None:
    starts = [start(1000, seed=number) for number in range(5)]
    calm = known(fit_starts(starts, ALLOWED, 0.05))
    stalled = known(fit_starts([*starts[:4], [*starts[4], Probe(math.log(900), 1500, 3000)]], ALLOWED, 0.05))
    assert stalled.log.value == pytest.approx(calm.log.value, abs=0.01)


def test_rates_on_one_side_have_no_capacity_between_them() -> None:
    held = [Probe(math.log(rate), 0, 1000) for rate in (100, 200)]
    assert fit_starts([held], ALLOWED, 0.05) is None
    assert fit_starts([], ALLOWED, 0.05) is None


def outcome(rate: float, slow: int, failed: int) -> Outcome:
    return Outcome(rate, [Count(slow, 10_000, ALLOWED), Count(failed, 10_000, 0.001), Count(0, 10_000, 0.01)])


def test_the_objective_that_ends_first_binds() -> None:
    outcomes = [
        outcome(190, 0, 0),
        outcome(205, 0, 4),
        outcome(215, 0, 30),
        outcome(220, 0, 90),
        outcome(330, 999, 900),
    ]
    binding = known(fit_objectives([outcomes, outcomes], 0.05))
    assert binding.place == 1
    assert 190 < math.exp(binding.fit.log.value) < 225
    assert fit_objectives([[outcome(100, 0, 0)]], 0.05) is None
    assert fit_objectives([], 0.05) is None
