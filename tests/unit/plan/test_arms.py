"""Which arms run: programs that are missing, stand-ins, the baseline and its second run."""

from __future__ import annotations

import msgspec
from samples.plans import HERE, SUITE, make, names, stack

from hopcost.plan import make as plan_make
from hopcost.plan.arms import why_not_from_elsewhere
from hopcost.plan.cores import GeneratorLimits
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import LeftOut
from hopcost.programs.definition.definition import Installed, Lacking
from hopcost.suites.arms.arm import Arm, Hop, Link


def test_where_everything_is_there_all_arms_run_and_the_baseline_twice() -> None:
    first, second = make().experiments
    assert names(first) == ["direct", "behind", "direct-aa"]
    assert [arm.copy_of for arm in first.arms] == [None, None, "direct"]
    assert first.arms[2].arm == first.arms[0].arm
    assert (first.baseline, first.left_out, first.notes) == ("direct", [], [])
    assert names(second) == ["direct", "behind", "direct-aa"]


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
    limits = MachineLimits(there, [0, 1], siblings={}, open_files=20_000)
    planned = plan_make.make_plan(suite, ["first"], RunOptions(quick=True, seed=1), limits)
    (first,) = planned.experiments
    assert first.left_out == [LeftOut(name="spare", reason="proxy needs lua.so", remedy="apt-get install lua")]
    assert [arm.name for arm in first.arms] == ["direct", "behind", "direct-aa"]


def test_an_experiment_without_any_arm_is_left_out_and_the_others_run() -> None:
    planned = make(gone=("app",))
    assert [experiment.name for experiment in planned.experiments] == ["first"]
    assert planned.left_out == [
        LeftOut(
            name="second",
            reason="every stack is left out (direct: 'proxy' is not installed; behind: 'proxy' is not installed)",
            remedy="apt-get install proxy",
        )
    ]


def test_the_second_run_of_a_baseline_with_a_port_takes_another() -> None:
    with_port = msgspec.structs.replace(SUITE.arms["direct"], hops=[Hop(program="app", link=Link.HTTP_TCP, port=8080)])
    suite = msgspec.structs.replace(SUITE, arms=SUITE.arms | {"direct": with_port})
    first = make("first", suite=suite).experiments[0]
    assert {arm.name: [hop.port for hop in arm.arm.hops] for arm in first.arms if arm.name.startswith("direct")} == {
        "direct": [8080],
        "direct-aa": [None],
    }


def test_arms_that_another_machine_cannot_reach_are_left_out_with_the_reason() -> None:
    tcp, unix = (Hop(program="origin", link=link) for link in (Link.HTTP_TCP, Link.HTTP_UNIX))
    assert why_not_from_elsewhere(Arm(hops=[tcp])) is None
    assert why_not_from_elsewhere(Arm(hops=[tcp, unix])) is None, "that link stays within the stacks' machine"
    assert why_not_from_elsewhere(Arm(hops=[tcp], sysctls={"vm.swappiness": 1})) is None, "left alone, with a note"
    reasons = [
        why_not_from_elsewhere(arm)
        for arm in (
            Arm(hops=[unix]),
            Arm(hops=[tcp], link_mbit_per_s=100),
            Arm(hops=[tcp], sysctls={"net.core.somaxconn": 1}),
        )
    ]
    assert [(reason or "").split(":")[0].split(" would")[0] for reason in reasons] == [
        "http+unix", "a link of 100 Mbit/s is made within one machine", "sysctls of net.*",
    ]  # fmt: skip


def test_with_a_generator_elsewhere_an_experiment_loses_such_arms_and_gets_its_cores() -> None:
    arms = dict(SUITE.arms) | {"behind": msgspec.structs.replace(SUITE.arms["behind"], link_mbit_per_s=10)}
    suite = msgspec.structs.replace(SUITE, arms=arms)
    limits = MachineLimits(
        installed=dict.fromkeys(("app", "proxy", "origin"), HERE),
        allowed_cores=[0, 1],
        siblings={},
        open_files=20_000,
        generator=GeneratorLimits("bench-2", [4, 5]),
    )
    first = plan_make.make_plan(suite, ["first"], RunOptions(seed=1), limits).experiments[0]
    assert [left.name for left in first.left_out] == ["behind"]
    assert first.left_out[0].remedy == "measure it without --on"
    assert (first.cores.generator_machine, first.cores.generator) == ("bench-2", [4, 5])
