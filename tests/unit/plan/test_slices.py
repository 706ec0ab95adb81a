"""How long slices are, by the time that there is and by idle time-outs."""

from __future__ import annotations

import msgspec
from samples.plans import HERE, SUITE, make

from hopcost.plan.make import make_plan
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.suites.experiment import Slices, Workload


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


def test_slices_are_as_long_as_the_time_allows_up_to_a_second() -> None:
    # Two arms and the baseline's copy, six blocks: (50 s ÷ 18 − 0.5 s) ÷ 1.03 ÷ 2 rounds − 0.3 s of settling = 0.806 s.
    assert lengths_ms(50.0) == (300, 800, [])
    assert lengths_ms(3600.0) == (300, 1000, [])
    assert lengths_ms(3600.0, workload=Workload(connections=4000)) == (1200, 1200, []), "as long as the settling"


def test_longer_slices_do_not_make_an_arm_lose_its_idle_connections() -> None:
    # Frozen for two others' visits twice: 4 × 0.75 s is half of the 6 s.
    assert lengths_ms(3600.0, idle_s=6.0) == (300, 450, [])


def test_a_time_that_is_too_short_for_six_blocks_gets_brief_slices_and_says_so() -> None:
    # 18 × (0.5 s + 2 rounds × 0.6 s × 1.03) = 31.2 s.
    assert lengths_ms(31.3) == (300, 300, [])
    settle_ms, slice_ms, notes = lengths_ms(31.1)
    assert (settle_ms, slice_ms) == (100, 100)
    assert notes == [
        "slices of 100 ms, in which hops look up to 8 % better: 31 s do not hold 6 blocks of longer ones; --time"
        " sets them"
    ]
    many = Workload(connections=1000)
    assert lengths_ms(20.0, workload=many) == (300, 300, []), "many connections need the settling"
    whole_settle_ms, whole_ms, notes = lengths_ms(5.0, slices=Slices.WHOLE)
    assert (whole_settle_ms, whole_ms, notes) == (0, 10_000, [])


def test_a_closed_loop_before_an_open_one_keeps_its_slices() -> None:
    (first,) = make("first", time_s=97.0).experiments
    assert first.open_loop_shares and (first.settle_ns, first.slice_ns) == (300_000_000, 500_000_000)
