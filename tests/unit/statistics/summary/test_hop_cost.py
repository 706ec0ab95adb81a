"""What a hop costs: the stack with it against the one without."""

from __future__ import annotations

import msgspec
import pytest
from known import known
from samples.comparisons import RATE_PER_S, six_blocks, summary, void_load
from samples.records import plan_of

from hopcost.plan.plan import PlannedArm, PlannedExperiment
from hopcost.statistics import random_effects
from hopcost.statistics.random_effects import Contrast
from hopcost.statistics.summary.hop_cost import pairs
from hopcost.suites.arms.arm import Arm, Hop, Link


def test_a_hop_is_what_the_stack_without_it_lacks() -> None:
    assert pairs(plan_of().experiments[0]) == [("behind", "direct", "proxy")]


def stacks(**arms: list[Hop]) -> PlannedExperiment:
    """An experiment on such arms, the first one its baseline."""
    (planned,) = plan_of().experiments
    listed = [PlannedArm(name=name, arm=Arm(hops=hops), copy_of=None) for name, hops in arms.items()]
    return msgspec.structs.replace(planned, baseline=listed[0].name, arms=listed)


def hop(program: str, link: Link = Link.HTTP_TCP, **settings: bool) -> Hop:
    return Hop(program=program, link=link, settings=dict(settings))


def test_the_stack_without_a_hop_is_otherwise_the_same() -> None:
    go, nginx = hop("go"), hop("nginx")
    tls, slow = hop("go", Link.HTTPS_TCP), hop("go", nodelay=False)
    assert pairs(stacks(go=[go], fast=[nginx, hop("go", Link.FASTCGI_UNIX)])) == [("fast", "go", "nginx")]
    assert pairs(stacks(tls=[tls], plain=[nginx, go])) == [], "its client speaks no TLS"
    assert pairs(stacks(tls=[tls], plain=[nginx, go], go=[go])) == [("plain", "go", "nginx")]
    assert pairs(stacks(tls=[tls], ended=[hop("nginx", Link.HTTPS_TCP), go])) == [("ended", "tls", "nginx")]
    assert pairs(stacks(go=[go], before=[nginx, slow])) == []
    assert pairs(stacks(go=[go], slow=[slow], before=[nginx, slow])) == [("before", "slow", "nginx")]
    assert pairs(stacks(go=[go], over=[nginx, msgspec.structs.replace(go, copies=2)])) == []


def test_the_cost_of_a_hop_is_a_difference_at_the_same_load_and_at_saturation() -> None:
    at_load, saturated = summary(six_blocks(noise=0.0)).hop_costs
    assert (at_load.load_per_s, saturated.load_per_s) == (RATE_PER_S, None)
    assert known(at_load.cpu_ns).value == pytest.approx(40_000, rel=1e-3)  # 60 − 20 µs
    assert known(saturated.cpu_ns).value == pytest.approx(12_000, rel=1e-3)  # 22 − 10 µs
    assert known(at_load.p50_ns).value == pytest.approx(50_000, rel=0.01)  # 350 − 300 µs
    assert known(at_load.p99_ns).value == pytest.approx(200_000, rel=0.01)  # 4 × 350 − 4 × 300 µs


def test_the_interval_of_a_difference_is_a_share_of_the_mean_of_both_arms() -> None:
    # Behind 60 µs × e^±0.002, the baseline's mean 20 × (1 + e^∓0.002) ÷ 2: differences 40.14 and 39.86 µs in turn. The
    # mean of both is 40 µs.
    at_load, _ = summary(six_blocks()).hop_costs
    shares = [difference / 40.0 for difference in (40.14, 39.86) * 3]
    (estimate,) = random_effects.estimate([Contrast(shares, [1] * 6, None, 0)])
    expected, cost = estimate.interval(0.025), known(at_load.cpu_ns)
    assert cost.value == pytest.approx(expected.value * 40_000, rel=1e-4)
    assert known(cost.low) == pytest.approx(known(expected.low) * 40_000, rel=1e-4)
    assert known(cost.high) == pytest.approx(known(expected.high) * 40_000, rel=1e-4)


def test_without_an_open_loop_there_is_the_cost_at_saturation_alone() -> None:
    (only,) = summary(six_blocks(open_loop=False)).hop_costs
    assert (only.share, only.load_per_s) == (None, None)


def test_it_says_from_how_many_starts_it_is() -> None:
    first, *others = six_blocks()
    at_load, saturated = summary([first, *(void_load(block, 0.1) for block in others)]).hop_costs
    assert (at_load.starts, saturated.starts) == (1, 6)
