"""What a suite means on a machine: arms, stand-ins, cores, budgets, rounds, seeds. Nothing is started."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopcost import plan
from hopcost.errors import CannotMeasure, UsageError
from hopcost.plan import LeftOut, Plan, block_seed, rounds_for_block
from hopcost.program import Installed, Lacking
from hopcost.sandbox import Cores
from hopcost.suite import Arm, Experiment, Hop, Link, Placement, Published, Slices, Suite, Workload
from hopcost.turns import Turns

HERE = Installed(path="/bin/x", version="1.0")
GONE = Installed(missing="'proxy' is not installed", remedy="apt-get install proxy")


def stack(*programs: str, stand_in: bool = False) -> Arm:
    return Arm(hops=[Hop(program=name, link=Link.HTTP_TCP) for name in programs], stand_in=stand_in)


SUITE = Suite(
    name="mine",
    title="Mine",
    analysis="because",
    arms={
        "direct": stack("app"),
        "behind": stack("proxy", "app"),
        "spare": stack("origin", stand_in=True),
    },
    experiments=[
        Experiment(
            name="first",
            question="one?",
            baseline="direct",
            arms=["direct", "behind", "spare"],
            placement=Placement.ONE_CORE,
            workload=Workload(connections=32),
            settings={"app": {"threads": 1}},
            published=[Published(arm="direct", throughput_per_s=10)],
            published_conditions="elsewhere",
            control="direct",
        ),
        Experiment(
            name="second",
            question="all?",
            baseline="direct",
            arms=["direct", "behind"],
            placement=Placement.ALL_CORES,
            needs_cores=4,
            needs_cores_because="workers had their own",
        ),
    ],
)


def make(
    *chosen: str,
    suite: Suite = SUITE,
    quick: bool = False,
    budget_s: float | None = None,
    seed: int = 7,
    gone: tuple[str, ...] = (),
    cores: int = 2,
    siblings: dict[int, list[int]] | None = None,
    open_files: int = 20_000,
) -> Plan:
    return plan.make(
        suite,
        list(chosen),
        quick=quick,
        budget_s=budget_s,
        seed=seed,
        installed={name: GONE if name in gone else HERE for name in ("app", "proxy", "origin")},
        allowed_cores=list(range(cores)),
        siblings=siblings or {},
        open_files=open_files,
    )


def names(planned: plan.PlannedExperiment) -> list[str]:
    return [arm.name for arm in planned.arms]


def test_where_everything_is_there_all_arms_run_and_the_baseline_twice() -> None:
    first, second = make().experiments
    assert names(first) == ["direct", "behind", "direct-aa"]
    assert [arm.copy_of for arm in first.arms] == [None, None, "direct"]
    assert first.arms[2].arm == first.arms[0].arm
    assert (first.baseline, first.left_out, first.notes) == ("direct", [], [])
    assert names(second) == ["direct", "behind", "direct-aa"]


def test_what_the_suite_says_goes_along() -> None:
    planned = make("first")
    (first,) = planned.experiments
    given = SUITE.experiments[0]
    for key in ("name", "question", "workload", "settings", "published", "published_conditions", "control"):
        assert getattr(first, key) == getattr(given, key), key
    assert (planned.suite, planned.title, planned.analysis, planned.seed) == ("mine", "Mine", "because", 7)


def test_a_missing_program_leaves_its_arms_out_with_reason_and_remedy_and_the_stand_in_comes_in() -> None:
    first = make("first", gone=("proxy",)).experiments[0]
    assert names(first) == ["direct", "spare", "direct-aa"]
    assert first.left_out == [LeftOut(name="behind", reason="'proxy' is not installed", remedy="apt-get install proxy")]
    assert first.notes == ["spare stands in for what is left out"]


def test_a_missing_stand_in_that_nobody_needs_is_not_missed() -> None:
    first = make("first", gone=("origin",)).experiments[0]
    assert names(first) == ["direct", "behind", "direct-aa"]
    assert (first.left_out, first.notes) == ([], [])


def test_a_missing_stand_in_that_is_needed_is_named() -> None:
    first = make("first", gone=("proxy", "origin")).experiments[0]
    assert names(first) == ["direct", "direct-aa"]
    assert [left.name for left in first.left_out] == ["behind", "spare"]


def test_without_the_baseline_the_next_arm_takes_its_place_and_that_is_said() -> None:
    first = make("first", gone=("app",)).experiments[0]
    assert names(first) == ["spare", "spare-aa"]
    assert first.baseline == "spare"
    assert first.arms[1].copy_of == "spare"
    assert [left.name for left in first.left_out] == ["direct", "behind"]
    assert "the baseline direct is left out; spare takes its place" in first.notes


def test_the_first_arm_that_is_left_becomes_the_baseline() -> None:
    suite = msgspec.structs.replace(SUITE, arms=SUITE.arms | {"behind": stack("proxy", "origin")})
    first = make("first", suite=suite, gone=("app",)).experiments[0]
    assert (first.baseline, names(first)) == ("behind", ["behind", "spare", "behind-aa"])


def test_an_arm_whose_setting_needs_what_is_lacking_is_left_out_with_the_command_that_brings_it() -> None:
    lacking = Lacking(when={"content": "lua"}, missing="proxy needs lua.so", remedy="apt-get install lua")
    there = {"app": HERE, "origin": HERE, "proxy": Installed(path="/bin/x", version="1.0", lacking=[lacking])}
    lua = Arm(hops=[Hop(program="proxy", link=Link.HTTP_TCP, settings={"content": "lua"})])
    suite = msgspec.structs.replace(SUITE, arms=SUITE.arms | {"spare": lua})
    planned = plan.make(
        suite, ["first"], quick=True, budget_s=None, seed=1, installed=there, allowed_cores=[0, 1], siblings={},
        open_files=20_000,
    )  # fmt: skip
    (first,) = planned.experiments
    assert first.left_out == [LeftOut(name="spare", reason="proxy needs lua.so", remedy="apt-get install lua")]
    assert [arm.name for arm in first.arms] == ["direct", "behind", "direct-aa"]


def test_an_experiment_without_any_arm_is_left_out_and_the_others_run() -> None:
    planned = make(gone=("app",))
    assert [experiment.name for experiment in planned.experiments] == ["first"]
    assert planned.left_out == [
        LeftOut(
            name="second",
            reason="every arm is left out (direct: 'proxy' is not installed; behind: 'proxy' is not installed)",
            remedy="apt-get install proxy",
        )
    ]


def test_when_nothing_can_run_that_is_an_error_with_reason_and_remedy() -> None:
    with pytest.raises(CannotMeasure) as caught:
        make(gone=("app", "origin"))
    assert caught.value.message.startswith("no experiment of mine can run here: first: every arm is left out (direct: ")
    assert "second: every arm is left out" in caught.value.message
    assert caught.value.hint == "apt-get install proxy"
    assert caught.value.exit_code == 3


def test_one_core_is_too_few_for_an_experiment_on_one_core() -> None:
    planned = make(cores=1)
    assert [experiment.name for experiment in planned.experiments] == ["second"]
    assert [left.name for left in planned.left_out] == ["first"]
    assert "this machine has one core to give" in planned.left_out[0].reason
    assert planned.left_out[0].remedy == "choose an experiment on all cores"


def test_two_siblings_are_one_core_to_give() -> None:
    with pytest.raises(CannotMeasure, match="one core to give"):
        make("first", siblings={0: [1], 1: [0]})


def test_cores_of_both_placements() -> None:
    first, second = make(cores=4).experiments
    assert first.cores == Cores(stack=[0], generator=[3])
    assert second.cores == Cores(stack=[0, 1, 2, 3], generator=[3])


def test_a_generator_that_shares_a_core_is_said() -> None:
    first, second = make(cores=4).experiments
    assert first.notes == []
    assert second.notes == ["the generator shares a core with the stack: throughput holds the generator's cost too"]


def test_too_few_cores_for_the_published_conditions_are_said() -> None:
    (second,) = make("second", cores=3).experiments
    assert second.notes[0] == ("too few cores for the published conditions: 3 here, 4 needed (workers had their own)")


def test_chosen_experiments_run_in_the_order_chosen() -> None:
    assert [each.name for each in make("second", "first").experiments] == ["second", "first"]


def test_an_experiment_chosen_twice_runs_once() -> None:
    assert [each.name for each in make("first", "second", "first").experiments] == ["first", "second"]


def test_an_unknown_experiment_gets_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        make("frist")
    assert caught.value.hint == "did you mean 'first'?"


@pytest.mark.parametrize(
    ("quick", "given", "budget_s", "looks", "lengths_ms"),
    [
        (False, None, 1800.0, [6, 10, 16, 24], (300, 1000)),
        (True, None, 108.0, [6], (100, 100)),
        (False, 60.0, 60.0, [6, 10, 16, 24], (100, 100)),
        (True, 7.5, 7.5, [6], (100, 100)),
    ],
)
def test_budgets_looks_and_lengths(quick, given, budget_s, looks, lengths_ms) -> None:
    planned = make(quick=quick, budget_s=given)
    assert (planned.quick, planned.budget_s, planned.looks) == (quick, budget_s, looks)
    assert planned.target_width == 0.01
    found = [(each.settle_ns // 1_000_000, each.slice_ns // 1_000_000) for each in planned.experiments]
    assert found == [lengths_ms] * 2


def test_an_experiment_of_more_weight_gets_more_of_the_time() -> None:
    first, second = SUITE.experiments
    heavy = msgspec.structs.replace(SUITE, experiments=[msgspec.structs.replace(first, weight=3), second])
    assert [each.weight for each in make(suite=heavy).experiments] == [3, 1]
    assert "it needs 96 s for this experiment, 75 s are given" in "".join(
        make(suite=heavy, budget_s=300.0).experiments[1].notes
    )
    assert make(suite=heavy, budget_s=300.0).experiments[0].open_loop_shares


def test_the_time_of_a_full_run_grows_with_the_weights() -> None:
    first, second = SUITE.experiments
    heavy = msgspec.structs.replace(SUITE, experiments=[msgspec.structs.replace(first, weight=14), second])
    assert make(suite=heavy).budget_s == 1800.0
    heavier = msgspec.structs.replace(SUITE, experiments=[msgspec.structs.replace(first, weight=15), second])
    assert make(suite=heavier).budget_s == 1920.0


@pytest.mark.parametrize("budget_s", [math.inf, math.nan])
def test_a_budget_that_no_clock_can_reach_is_refused(budget_s) -> None:
    """It would be null in the record, which then could not be read."""
    with pytest.raises(UsageError, match="--budget"):
        make(budget_s=budget_s)


def test_a_plan_survives_its_record() -> None:
    planned = make(seed=2**80)
    assert msgspec.json.decode(msgspec.json.encode(planned), type=Plan) == planned


@pytest.mark.parametrize(
    ("seconds_left", "blocks_left", "overhead_s", "round_s", "at_most", "rounds"),
    [
        (60, 1, 0, 1, 100, 60),
        (60, 6, 3, 0.7, 100, 10),
        (60, 6, 3, 0.7, 8, 8),
        (60, 6, 0, 1, 30, 10),
        (0.3, 1, 0, 0.1, 30, 3),  # 0.3 ÷ 0.1 is 2.9999999999999996
        (4, 1, 2, 1, 30, 2),
        (3.99, 1, 2, 1, 30, 0),  # one round is no block
        (2, 1, 2, 1, 30, 0),
        (1, 1, 2, 1, 30, 0),
        (0, 1, 0, 1, 30, 0),
        (-5, 3, 1, 1, 30, 0),
    ],
)
def test_rounds_for_a_block(seconds_left, blocks_left, overhead_s, round_s, at_most, rounds) -> None:
    found = rounds_for_block(
        seconds_left=seconds_left, blocks_left=blocks_left, overhead_s=overhead_s, round_s=round_s, at_most=at_most
    )
    assert found == rounds


@given(
    st.floats(min_value=-100, max_value=10_000),
    st.integers(1, 30),
    st.floats(min_value=0, max_value=60),
    st.floats(min_value=0.01, max_value=30),
    st.integers(2, 100),
)
def test_rounds_never_take_more_time_than_there_is(seconds_left, blocks_left, overhead_s, round_s, at_most) -> None:
    rounds = rounds_for_block(
        seconds_left=seconds_left, blocks_left=blocks_left, overhead_s=overhead_s, round_s=round_s, at_most=at_most
    )
    share_s = seconds_left / blocks_left
    assert rounds == 0 or 2 <= rounds <= at_most
    assert rounds == 0 or overhead_s + rounds * round_s <= share_s * (1 + 1e-9) + 1e-6
    one_more = overhead_s + (max(rounds, 1) + 1) * round_s
    assert rounds == at_most or one_more > share_s * (1 - 1e-9), "another round would have fitted"


def test_seeds_of_blocks_come_again_with_the_runs_seed() -> None:
    one, again = make(seed=1), make(seed=1)
    assert block_seed(one, "first", 3) == block_seed(again, "first", 3)


def test_seeds_of_blocks_stay_what_they_are() -> None:
    """A record's order can be made again years later: this value may never change."""
    assert block_seed(make(seed=1), "first", 0) == 6183409990843430901


def test_every_block_has_its_own_seed() -> None:
    runs = [make(seed=seed) for seed in (1, 2, 11)]
    seeds = [block_seed(run, name, block) for run in runs for name in ("first", "second") for block in range(24)]
    assert len(set(seeds)) == 3 * 2 * 24


def test_seeds_fit_the_engines_numbers() -> None:
    seeds = [block_seed(make(seed=2**32 - 1), "first", block) for block in range(100)]
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert max(seeds) > 2**62


def test_the_second_run_of_a_baseline_with_a_port_takes_another() -> None:
    with_port = msgspec.structs.replace(SUITE.arms["direct"], hops=[Hop(program="app", link=Link.HTTP_TCP, port=8080)])
    suite = msgspec.structs.replace(SUITE, arms=SUITE.arms | {"direct": with_port})
    first = make("first", suite=suite).experiments[0]
    assert {arm.name: [hop.port for hop in arm.arm.hops] for arm in first.arms if arm.name.startswith("direct")} == {
        "direct": [8080],
        "direct-aa": [None],
    }


def test_offered_loads_follow_where_a_full_run_of_our_engine_takes_turns() -> None:
    def first(
        quick: bool = False, peer: str | None = None, idle_s: float | None = None, **changes: object
    ) -> plan.PlannedExperiment:
        replaced = msgspec.structs.replace(SUITE.experiments[0], **changes)
        planned = plan.make(
            msgspec.structs.replace(SUITE, experiments=[replaced]),
            [],
            quick=quick,
            budget_s=None,
            seed=7,
            peer=peer,
            installed=dict.fromkeys(("app", "proxy", "origin"), HERE),
            allowed_cores=[0, 1],
            siblings={},
            open_files=20_000,
            idle_timeout_s=lambda *_: idle_s,
        )
        return planned.experiments[0]

    def shares(**changes: object) -> list[float]:
        return first(**changes).open_loop_shares  # type: ignore[arg-type]

    assert shares() == [0.25, 0.5]
    assert shares(quick=True) == []
    assert shares(peer="wrk") == []
    assert shares(open_loop=False) == []
    assert shares(workload=Workload(connections=8, requests_per_connection=1)) == []
    assert shares(slices=Slices.WHOLE) == []
    assert shares(workload=Workload(connections=6000)) == [0.25, 0.5]  # in threes
    assert shares(idle_s=65) == [0.25, 0.5]
    soon = first(idle_s=5)
    assert soon.open_loop_shares == []
    assert "no open loop: in turns an arm would be frozen for 5.2 s, and after 5 s app drops" in "; ".join(soon.notes)
    assert soon.turns is Turns.ALL


def lengths_ms(budget_s: float, idle_s: float | None = None, **changes: object) -> tuple[int, int, list[str]]:
    """Settling and slice of the first experiment in that time, without an open loop; and what is said of it."""
    workload = changes | {"open_loop": False}
    experiments = [msgspec.structs.replace(each, **workload) for each in SUITE.experiments]
    (made,) = plan.make(
        msgspec.structs.replace(SUITE, experiments=experiments),
        ["first"],
        quick=False,
        budget_s=budget_s,
        seed=7,
        installed=dict.fromkeys(("app", "proxy", "origin"), HERE),
        allowed_cores=[0, 1],
        siblings={},
        open_files=20_000,
        idle_timeout_s=lambda *_: idle_s,
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
        "slices of 100 ms, in which hops look up to 8 % better: 31 s do not hold 6 blocks of longer ones; --budget"
        " sets them"
    ]
    many = Workload(connections=1000)
    assert lengths_ms(20.0, workload=many) == (300, 300, []), "many connections need the settling"
    whole_settle_ms, whole_ms, notes = lengths_ms(5.0, slices=Slices.WHOLE)
    assert (whole_settle_ms, whole_ms, notes) == (0, 10_000, [])


def test_a_closed_loop_before_an_open_one_keeps_its_slices() -> None:
    (first,) = make("first", budget_s=97.0).experiments
    assert first.open_loop_shares and (first.settle_ns, first.slice_ns) == (300_000_000, 500_000_000)


def test_the_open_loop_is_left_out_where_the_budget_is_too_short_for_it() -> None:
    # Two arms and the baseline's copy: 3 × 2 loads × (0.3 + 0.3 + 1 s) × 6 blocks ÷ 0.6 = 96 s.
    (enough,) = make("first", budget_s=97.0).experiments
    (short,) = make("first", budget_s=95.0).experiments
    assert enough.open_loop_shares == [0.25, 0.5]
    assert short.open_loop_shares == []
    assert "no open loop: it needs 96 s for this experiment, 95 s are given; --budget sets them" in short.notes
