"""What was measured, as a digest: what a team changes from day to day is not in it, what makes another question is."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from samples.records import plan_of

from hopcost.history.contents.configuration import configuration_of
from hopcost.plan.cores import Cores
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.plan.turns import Scope
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.arms.server import RunningServer
from hopcost.suites.experiments.expect import Compared, Expect

replace = msgspec.structs.replace
PLAN = plan_of(quick=False)
PLANNED = PLAN.experiments[0]


def digest(planned: PlannedExperiment = PLANNED, plan: Plan = PLAN, arm: str = "behind") -> str:
    return configuration_of(plan, planned, arm)


def with_arm(name: str, **changes: Any) -> PlannedExperiment:
    """The experiment with one arm otherwise."""
    arms = [
        replace(planned, arm=replace(planned.arm, **changes)) if planned.name == name else planned
        for planned in PLANNED.arms
    ]
    return replace(PLANNED, arms=arms)


def with_first_hop(name: str, **changes: Any) -> PlannedExperiment:
    arm: Arm = next(planned.arm for planned in PLANNED.arms if planned.name == name)
    return with_arm(name, hops=[replace(arm.hops[0], **changes), *arm.hops[1:]])


@pytest.mark.parametrize(
    "other",
    [
        with_first_hop("behind", settings={"workers": 2}),
        with_first_hop("direct", settings={"workers": 2}),
        with_first_hop("behind", config="/a/other.conf"),
        with_arm("behind", sysctls={"net.core.somaxconn": 10}),
        with_arm("behind", link_mbit_per_s=100),
        replace(PLANNED, workload=replace(PLANNED.workload, connections=33)),
        replace(PLANNED, settings={"proxy": {"workers": 2}}),
        replace(PLANNED, cores=Cores(stack=[0, 1], generator=[1])),
        replace(PLANNED, scope=Scope.PROCESSES),
        replace(PLANNED, slice_ns=PLANNED.slice_ns * 2),
        replace(PLANNED, connections_asked=5000),
    ],
)
def test_another_question_is_another_configuration(other: PlannedExperiment) -> None:
    assert digest(other) != digest()


def test_another_arm_and_another_generator_are_others() -> None:
    assert len({digest(), digest(arm="beside"), digest(plan=replace(PLAN, peer="wrk"))}) == 3


@pytest.mark.parametrize(
    "alike",
    [
        replace(PLANNED, question="In other words?", notes=["a note"]),
        replace(PLANNED, cores=Cores(stack=[2], generator=[3])),
        replace(PLANNED, settings={"another-program": {"workers": 2}}),
        replace(PLANNED, open_loop_shares=[0.25, 0.5]),
        replace(PLANNED, workload=replace(PLANNED.workload, expect=Expect(compared=Compared.LENGTH))),
        with_arm("beside", sysctls={"net.core.somaxconn": 10}),
        with_arm("behind", title="in other words"),
    ],
)
def test_words_other_arms_and_what_is_learned_are_not_in_it(alike: PlannedExperiment) -> None:
    assert digest(alike) == digest()


def test_files_count_by_their_names_since_a_runner_puts_them_elsewhere_each_time() -> None:
    here, there = (with_first_hop("behind", config=f"/{place}/nginx.conf.j2") for place in ("builds/1", "builds/2"))
    assert digest(here) == digest(there) != digest()


def test_an_app_is_its_command_not_where_it_lies_nor_what_was_learned_of_it() -> None:
    app = App(command=["node", "server.js"], folder="/builds/1", environment={"TOKEN": "a"})
    moved = replace(app, folder="/builds/2", environment={"TOKEN": "b"}, idle_timeout_s=5.0, warm_up_requests=900)
    other = replace(app, command=["node", "other.js"])
    first, second, third = (digest(with_first_hop("behind", app=each)) for each in (app, moved, other))
    assert first == second != third


def test_a_configuration_is_its_file_and_site_not_what_stands_in_it() -> None:
    own = Configuration(file="/builds/1/nginx.conf", port=80, host="localhost", digest="a")
    moved = replace(own, file="/builds/2/nginx.conf", digest="b")
    first, second, third = (
        digest(with_first_hop("behind", configuration=each)) for each in (own, moved, replace(own, host="other"))
    )
    assert first == second != third


def test_a_running_server_is_its_url_not_its_processes() -> None:
    server = RunningServer(":3000", "http+tcp", "127.0.0.1:3000", "127.0.0.1:3000", "/")
    again = replace(server, idle_timeout_s=5.0, keeps_connections=False)
    first, second, third = (
        digest(with_arm("behind", hops=[], server=each)) for each in (server, again, replace(server, target="/api"))
    )
    assert first == second != third
