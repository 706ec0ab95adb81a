"""How long slices are, by the time that there is and by idle time-outs."""

from __future__ import annotations

import msgspec
import pytest
from samples.plans import HERE, SUITE, make

from hopcost.plan.make import make_plan
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.slices import least_time_s, longest_gap_s
from hopcost.plan.turns import Turns
from hopcost.suites.experiments.experiment import Slices
from hopcost.suites.experiments.workload import Workload


def lengths_ms(time_s: float, idle_s: float | None = None, **changes: object) -> tuple[int, int, list[str]]:
    """Settling and slice of the first experiment in that time, without an open loop; and what is said of it."""
    workload = changes | {"open_loop": False}
    experiments = [msgspec.structs.replace(each, **workload) for each in SUITE.experiments]
    (made,) = make_plan(
        msgspec.structs.replace(SUITE, experiments=experiments),
        ["first"],
        RunOptions(time_s=time_s, seed=7),
        MachineLimits(
            dict.fromkeys(("app", "proxy", "origin"), HERE),
            allowed_cores=[0, 1],
            siblings={},
            open_files=20_000,
            idle_timeout_s=lambda *_: idle_s,
        ),
    ).experiments
    return made.settle_ns // 1_000_000, made.slice_ns // 1_000_000, made.notes


def test_slices_are_as_long_as_a_dozen_starts_allow_up_to_six_tenths() -> None:
    # Two arms and the baseline's copy, twelve starts of two rounds: (72 s ÷ 36 − 0.5 s) ÷ 1.03 ÷ 2 − 0.3 s of
    # settling = 0.428 s.
    assert lengths_ms(72.0) == (300, 400, [])
    assert lengths_ms(3600.0) == (300, 600, [])
    assert lengths_ms(20.0) == (300, 300, []), "shorter ones flatter hops"
    assert lengths_ms(3600.0, workload=Workload(connections=4000)) == (1500, 1500, []), "as long as the settling"


def test_longer_slices_do_not_make_an_arm_lose_its_idle_connections() -> None:
    # Frozen for two others' visits twice: 4 × 0.75 s is half of the 6 s.
    assert lengths_ms(3600.0, idle_s=6.0) == (300, 450, [])


def test_whole_slices_are_the_suites_business() -> None:
    assert lengths_ms(5.0, slices=Slices.WHOLE) == (0, 10_000, [])


def test_a_closed_loop_before_an_open_one_has_its_time_only() -> None:
    # 119.2 s ÷ 12 − 3 × 1.31 s = 6 s: the seconds of a block above.
    (first,) = make("first", time_s=119.2).experiments
    assert first.open_loop_shares and (first.settle_ns, first.slice_ns) == (300_000_000, 400_000_000)
    (quick,) = make("first", quick=True, time_s=3600.0).experiments
    assert quick.slice_ns == 300_000_000


def test_the_longest_gap_is_that_of_two_visits_of_all_others_or_of_their_warm_ups() -> None:
    # A visit: 0.3 s of settling, 1.05 s and 4 % more at most. Warm-ups of 20 s: 1 s each; of 2 minutes: 12 s ÷ 3 arms.
    visit_s = 0.3 + 1.05 * 1.04
    assert longest_gap_s(servers=2, connections=64, time_s=20.0) == pytest.approx(4 * visit_s)
    assert longest_gap_s(servers=2, connections=64, time_s=120.0) == pytest.approx(2 * (visit_s + 4.0))
    assert longest_gap_s(servers=5, connections=64, time_s=20.0) == pytest.approx(10 * visit_s)
    # 4,000 connections settle for 1.5 s, and their slices are no shorter.
    assert longest_gap_s(servers=2, connections=4000, time_s=20.0) == pytest.approx(4 * (1.5 + 1.5 * 1.04))


def test_a_start_of_every_stack_is_overhead_warm_up_and_the_least_rounds() -> None:
    """Two stacks and the second run of one, each 0.2 s to start, 1 s to warm up and twice 0.6 s of load."""
    assert least_time_s(make("first", time_s=5.0)) == pytest.approx(3 * (0.2 + 1.0 + 2 * 0.6 * 1.03))
    assert least_time_s(make("first", time_s=5.0, quick=True)) == pytest.approx(3 * (0.2 + 0.2 + 2 * 0.6 * 1.03))


def test_experiments_and_an_offered_load_add_up() -> None:
    both, one, other = (least_time_s(make(*names, time_s=5.0)) for names in ((), ("first",), ("second",)))
    assert both == pytest.approx(one + other)
    with_load = make("first", time_s=500.0)
    assert with_load.experiments[0].loads == 1
    longer_s = 2 * (with_load.experiments[0].slice_ns - 300_000_000) / 1e9 * 1.03
    assert least_time_s(with_load) == pytest.approx(one + 3 * (longer_s + 0.01 + 0.3 + 1.0))


def test_whole_slices_are_as_short_as_they_may_be_and_a_soak_is_its_own_length() -> None:
    plan = make("first", time_s=5.0)
    (planned,) = plan.experiments
    whole = msgspec.structs.replace(planned, turns=Turns.WHOLE, slice_ns=10**10, slice_ns_least=2 * 10**9)
    soak = msgspec.structs.replace(planned, turns=Turns.SOAK, soak_s=45.0)
    in_all = least_time_s(msgspec.structs.replace(plan, experiments=[whole, soak]))
    assert in_all == pytest.approx(3 * (0.2 + 0.3 + 2 * 1.03) + 45.0)
