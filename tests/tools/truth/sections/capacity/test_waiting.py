"""Waiting times of M/D/c against values that others have printed, limits, and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tools.truth.sections.capacity.simulated import QueueServer, simulated_capacity, slice_of
from tools.truth.sections.capacity.waiting import capacity, waits_within


@pytest.mark.parametrize("load", [0.1, 0.5, 0.8, 0.95])
def test_a_request_waits_for_nobody_as_often_as_the_one_server_is_idle(load: float) -> None:
    assert waits_within(0.0, load) == pytest.approx(1 - load, abs=1e-9)


@pytest.mark.parametrize("load", [0.3, 0.6, 0.9])
def test_it_is_the_formula_of_erlang_within_the_first_service_time(load: float) -> None:
    """P(wait <= t) = (1 - load) exp(load × t) for t below one service time (Erlang 1909)."""
    for time in (0.25, 0.5, 0.99):
        assert waits_within(time, load) == pytest.approx((1 - load) * math.exp(load * time), abs=1e-9)


@pytest.mark.parametrize(("load", "servers"), [(0.5, 1), (0.8, 1), (0.8, 2), (0.9, 3)])
def test_the_mean_wait_is_that_of_the_distribution(load: float, servers: int) -> None:
    """Pollaczek and Khinchine for one server: load ÷ (2 (1 − load)); for several, simulation."""
    times = np.linspace(0, 60, 6001)
    beyond = np.array([1 - waits_within(float(time), load, servers) for time in times[::10]])
    mean = float(np.trapezoid(beyond, times[::10]))
    if servers == 1:
        assert mean == pytest.approx(load / (2 * (1 - load)), rel=0.01)
    else:
        waits = slice_of(QueueServer(1.0, servers), load * servers, 400_000, np.random.default_rng(5)) - 1.0
        assert mean == pytest.approx(float(waits.mean()), rel=0.05)


@pytest.mark.parametrize(("time", "servers"), [(5, 1), (20, 1), (20, 2)])
def test_the_capacity_is_where_the_quantile_meets_its_limit(time: float, servers: int) -> None:
    load = capacity(time, 0.01, servers)
    assert 1 - waits_within(time - 1, load, servers) == pytest.approx(0.01, rel=1e-5)
    simulated = simulated_capacity(QueueServer(1.0, servers), time, 0.01, 300_000)
    assert simulated == pytest.approx(load * servers, rel=0.02)


def test_a_limit_below_the_service_time_is_held_by_no_rate() -> None:
    assert capacity(1.0, 0.01) == 0.0


def test_a_request_of_a_pause_waits_for_its_end() -> None:
    server = QueueServer(service_s=0.01, pause_s=0.1, period_s=1.0)
    arrivals = np.array([0.0, 0.5, 0.995, 1.3])
    assert server.response_times(arrivals) == pytest.approx([0.11, 0.01, 0.11, 0.01])


def test_two_servers_work_side_by_side() -> None:
    arrivals = np.array([0.0, 0.0, 0.0, 5.0])
    assert QueueServer(1.0, 2).response_times(arrivals) == pytest.approx([1.0, 1.0, 2.0, 1.0])
