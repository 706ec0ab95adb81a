"""Two stacks beside each other, of one experiment or of two."""

from __future__ import annotations

from pathlib import Path

from known import known, near
from mocks import fronts
from mocks.mock_rig import MockRig

from hopcost.statistics.questions.front.pairs import Pairs


def test_arms_of_two_experiments_are_compared_by_what_each_costs_the_app(rig: MockRig, tmp_path: Path) -> None:
    """keepalive needs 10 ms ÷ 80 = 125 µs, nginx 10 ms ÷ 40 = 250 µs: 125 µs less, and twice the throughput."""
    answer = fronts.express(rig, tmp_path)
    assert [experiment.plan.name for experiment in answer.experiments] == ["nginx", "keepalive", "unix"]
    pairs = Pairs(answer.record, "alone")
    assert known(pairs.cpu("keepalive", "nginx", 0.05)).value == near(-125_000, rel=0.01)
    assert known(pairs.throughput("keepalive", "nginx", 0.05)).value == near(2.0, rel=0.01)


def test_arms_of_one_experiment_are_compared_directly(rig: MockRig, tmp_path: Path) -> None:
    answer = fronts.express(rig, tmp_path, idle_timeout_s=None)
    assert [experiment.plan.name for experiment in answer.experiments] == ["nginx-keepalive-unix"]
    pairs = Pairs(answer.record, "alone")
    assert known(pairs.cpu("keepalive", "nginx", 0.05)).value == near(-125_000, rel=0.01)
    assert known(pairs.throughput("alone", "nginx", 0.05)).value == near(2.5, rel=0.01)


def test_a_difference_over_two_experiments_has_a_range_of_both(rig: MockRig, tmp_path: Path) -> None:
    answer = fronts.express(rig, tmp_path)
    pairs = Pairs(answer.record, "alone")
    added = [known(pairs.cpu(arm, "alone", 0.05)) for arm in ("nginx", "keepalive")]
    widths = [known(each.high) - known(each.low) for each in added]
    both = known(pairs.cpu("keepalive", "nginx", 0.05))
    assert max(widths) <= known(both.high) - known(both.low) <= sum(widths) * 1.001


def test_an_arm_that_was_not_measured_has_no_difference(rig: MockRig, tmp_path: Path) -> None:
    pairs = Pairs(fronts.express(rig, tmp_path).record, "alone")
    assert pairs.cpu("caddy", "nginx", 0.05) is None and pairs.throughput("nginx", "caddy", 0.05) is None


def test_a_load_that_was_not_offered_has_no_cpu(rig: MockRig, tmp_path: Path) -> None:
    assert Pairs(fronts.express(rig, tmp_path).record, "alone", 1000.0).cpu("nginx", "alone", 0.05) is None
