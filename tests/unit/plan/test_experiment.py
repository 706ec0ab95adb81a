"""One experiment on this machine: cores, placements, offered loads."""

from __future__ import annotations

import msgspec
import pytest
from samples.plans import HERE, SUITE, make

from hopcost.errors import CannotMeasure
from hopcost.plan import make as plan_make
from hopcost.plan.cores import Cores
from hopcost.plan.method import METHOD
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import PlannedExperiment
from hopcost.plan.turns import Turns
from hopcost.suites.arms.app import App
from hopcost.suites.experiments.beside import IdleConnections, SlowClients
from hopcost.suites.experiments.experiment import Slices
from hopcost.suites.experiments.workload import Reopening, Workload
from hopcost.suites.suite import Suite


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
    assert second.notes == ["the generator shares a core with the stack: throughput includes the load generator's CPU"]


def test_too_few_cores_for_the_published_conditions_are_said() -> None:
    (second,) = make("second", cores=3).experiments
    assert second.notes[0] == ("too few cores for the published conditions: 3 here, 4 needed (workers had their own)")


def planned_with(workload: Workload, *, idle_s: float | None = None, peer: str | None = None) -> PlannedExperiment:
    """The first experiment with this workload, without an open loop; its programs drop idle connections so late."""
    replaced = msgspec.structs.replace(SUITE.experiments[0], workload=workload, open_loop=False)
    limits = MachineLimits(
        dict.fromkeys(("app", "proxy", "origin"), HERE),
        allowed_cores=[0, 1],
        siblings={},
        open_files=20_000,
        idle_timeout_s=lambda *_: idle_s,
    )
    suite = msgspec.structs.replace(SUITE, experiments=[replaced])
    return plan_make.make_plan(suite, [], RunOptions(seed=7, peer=peer), limits).experiments[0]


def test_idle_connections_that_a_program_would_drop_meanwhile_run_one_arm_at_a_time() -> None:
    workload = Workload(idle_connections=IdleConnections(number=500, every="30s"))
    patient, hasty = planned_with(workload, idle_s=600.0), planned_with(workload, idle_s=40.0)
    assert patient.turns is Turns.ALL
    assert patient.notes == ["the CPU time per request has in it what slow clients and idle connections cost"]
    assert hasty.turns is Turns.WHOLE
    assert any("an idle connection would wait for" in note for note in hasty.notes)


def test_another_generator_has_no_slow_clients() -> None:
    with pytest.raises(CannotMeasure, match="wrk has no slow clients"):
        planned_with(Workload(slow_clients=SlowClients(number=5, bytes_per_s=1000)), peer="wrk")


def test_ab_measures_nothing_whose_answers_may_be_compressed() -> None:
    accepting = Workload(headers=[["Accept-Encoding", "gzip"]])
    assert planned_with(accepting, peer="wrk").workload == accepting
    with pytest.raises(CannotMeasure, match=r"ab speaks HTTP/1\.0"):
        planned_with(accepting, peer="ab")


def test_offered_loads_follow_where_our_engine_takes_turns() -> None:
    def first(
        quick: bool = False,
        peer: str | None = None,
        idle_s: float | None = None,
        loads: int = 1,
        rates: tuple[float, ...] = (),
        suite_rates: tuple[float, ...] = (),
        **changes: object,
    ) -> PlannedExperiment:
        replaced = msgspec.structs.replace(SUITE.experiments[0], rates=[*suite_rates], **changes)
        planned = plan_make.make_plan(
            msgspec.structs.replace(SUITE, experiments=[replaced]),
            [],
            RunOptions(quick=quick, seed=7, peer=peer, loads=loads, rates=rates),
            MachineLimits(
                dict.fromkeys(("app", "proxy", "origin"), HERE),
                allowed_cores=[0, 1],
                siblings={},
                open_files=20_000,
                idle_timeout_s=lambda *_: idle_s,
            ),
        )
        return planned.experiments[0]

    def shares(**changes: object) -> list[float]:
        return first(**changes).open_loop_shares  # type: ignore[arg-type]

    assert shares() == [0.25]
    assert shares(quick=True) == [0.25], "the headline of a quick run too"
    assert shares(loads=2) == [0.25, 0.5]
    assert shares(rates=(500.0, 90.0)) == [] and first(rates=(500.0, 90.0)).open_loop_rates == [500.0, 90.0]
    assert first(rates=(500.0, 90.0), open_loop=False).open_loop_rates == []
    assert shares(suite_rates=(70.0,)) == [] and first(suite_rates=(70.0, 9.0)).open_loop_rates == [70.0, 9.0]
    assert first(suite_rates=(70.0,), rates=(500.0,)).open_loop_rates == [500.0], "the command line wins"
    assert shares(peer="wrk") == []
    assert shares(open_loop=False) == []
    assert shares(workload=Workload(connections=8, requests_per_connection=1)) == []
    assert shares(slices=Slices.WHOLE) == []
    assert shares(workload=Workload(connections=6000)) == [0.25]  # in groups
    assert shares(idle_s=65) == [0.25]
    soon = first(idle_s=5)
    assert soon.open_loop_shares == []
    assert "no open loop: in turns an arm would be frozen for 5.2 s, and after 5 s app drops" in "; ".join(soon.notes)
    assert soon.turns is Turns.ALL


def test_the_open_loop_is_left_out_where_the_time_is_too_short_for_it() -> None:
    # Two arms and the baseline's copy: 3 × (0.01 + 0.3 + 1 s) × 4 blocks ÷ 0.6 = 26 s. A quick run's slices are half
    # as long.
    (enough,) = make("first", time_s=27.0).experiments
    (short,) = make("first", time_s=25.0).experiments
    (quick,) = make("first", quick=True, time_s=25.0).experiments
    assert enough.open_loop_shares == quick.open_loop_shares == [0.25]
    assert short.open_loop_shares == []
    assert "no open loop: it needs 26 s for this experiment, 25 s are given; --time sets them" in short.notes


@pytest.mark.parametrize(
    ("workload", "turns", "reopening"),
    [
        (Workload(), Turns.ALL, Reopening.SPREAD),
        (Workload(reopening=Reopening.BURST), Turns.ALL, Reopening.BURST),
        (Workload(reopening=Reopening.ONCE), Turns.ALL, None),
        (Workload(requests_per_connection=1), Turns.ALL, None),
        (Workload(connections=METHOD.max_reopened_connections), Turns.ALL, Reopening.SPREAD),
        (Workload(connections=METHOD.max_reopened_connections + 1), Turns.ALL, None),
        (Workload(), Turns.WHOLE, None),
        (Workload(), Turns.SOAK, None),
    ],
)
def test_connections_are_opened_anew_where_rounds_are_short_and_nothing_else_closes_them(
    workload: Workload, turns: Turns, reopening: Reopening | None
) -> None:
    planned = msgspec.structs.replace(make().experiments[0], workload=workload, turns=turns)
    assert planned.reopening is reopening


def with_app(app: App) -> Suite:
    """The suite with an app of the user's own in place of the program `app`."""
    arms = {
        name: msgspec.structs.replace(
            arm,
            hops=[msgspec.structs.replace(hop, app=app if hop.program == "app" else None) for hop in arm.hops],
        )
        for name, arm in SUITE.arms.items()
    }
    return msgspec.structs.replace(SUITE, arms=arms)


def test_an_apps_own_idle_timeout_keeps_it_from_being_frozen_for_too_long() -> None:
    turns = {
        idle_s: make("first", suite=with_app(App(command=["x"], idle_timeout_s=idle_s))).experiments[0].turns
        for idle_s in (None, 65.0, 0.5)
    }
    assert turns == {None: Turns.ALL, 65.0: Turns.ALL, 0.5: Turns.WHOLE}


def test_what_all_stacks_share_is_said_once() -> None:
    app = App(command=["x"], needs=["127.0.0.1:5432", "unix:/run/redis.sock"])
    (first,) = make("first", suite=with_app(app)).experiments
    shared = [note for note in first.notes if "share" in note]
    assert shared == ["all stacks share 127.0.0.1:5432, unix:/run/redis.sock: what one leaves there, the others find"]
