"""A plan for one machine as one for two: nothing of the load changes, and the edges are the agent's."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

import msgspec

from hopcost.measure.fleet.edges import Builds, order_of, plan_elsewhere, trusted_files
from hopcost.programs.generators.engine_plan import (
    Cgroup,
    EngineArm,
    EngineHop,
    EnginePlan,
    ProcessClocks,
    Tls,
    WarmUp,
    engine_expect,
    engine_request,
)


def arm(name: str, tls: Tls | None = None) -> EngineArm:
    hops = [EngineHop("nginx", Cgroup(f"/c/{name}/nginx")), EngineHop("db", ProcessClocks([7]), shared=True)]
    return EngineArm(
        name=name,
        address={"tcp": "198.18.100.11:2000"},
        connections=4,
        timeout_ns=1,
        freeze={"cgroup2": f"/c/{name}"},
        hops=hops,
        request=engine_request("/"),
        expect=engine_expect(200, b"hello"),
        tls=tls,
    )


PLAN = EnginePlan(
    seed=1,
    cores=[3],
    slice_ns=10,
    settle_ns=1,
    rounds=2,
    warm_up=WarmUp(least_ns=1, most_ns=2),
    arms=[arm("a"), arm("b", Tls(ca_file="/tmp/x/tls.crt"))],
)
FOLDER = PurePosixPath("/tmp/there")


def encoded(value: object) -> dict[str, object]:
    decoded = json.loads(msgspec.json.encode(value))
    assert isinstance(decoded, dict)
    return decoded


def test_without_an_agent_the_plan_has_no_such_key() -> None:
    assert "agent" not in encoded(PLAN)


def test_the_agent_is_told_what_freezes_and_counts_the_arms_in_the_plans_order() -> None:
    order = encoded(order_of(PLAN, "198.18.100.11:0", PurePosixPath("/tmp/here")))
    assert order["arms"] == [
        {
            "name": name,
            "freeze": {"cgroup2": f"/c/{name}"},
            "hops": [
                {"name": "nginx", "cpu": {"cgroup": f"/c/{name}/nginx"}},
                {"name": "db", "cpu": {"processes": [7]}, "shared": True},
            ],
        }
        for name in ("a", "b")
    ]
    assert {key: value for key, value in order.items() if key != "arms"} == {
        "address": "198.18.100.11:0",
        "ca_file": "/tmp/here/ca.pem",
        "cert_file": "/tmp/here/s.pem",
        "key_file": "/tmp/here/s.key",
        "generators": ["g"],
        "leader": "g",
        "followers": [],
        "builds": "same",
    }


def test_of_several_generators_the_first_leads_and_each_has_its_own_certificate() -> None:
    order = order_of(PLAN, "a:0", FOLDER, generators=["g1", "g2"])
    assert (order.generators, order.leader, order.followers) == (["g1", "g2"], "g1", ["g2"])
    agent = encoded(plan_elsewhere(PLAN, "a:1", FOLDER, {"/tmp/x/tls.crt": "/y"}, generator="g2"))["agent"]
    assert isinstance(agent, dict) and agent["cert_file"] == "/tmp/there/g2.pem"


def test_an_engine_of_another_architecture_is_another_build() -> None:
    assert order_of(PLAN, "a:0", FOLDER, builds=Builds.ANY).builds == "any"


def test_the_plan_there_names_arms_by_their_place_and_files_of_that_machine() -> None:
    there = plan_elsewhere(PLAN, "198.18.100.11:34567", FOLDER, {"/tmp/x/tls.crt": "/tmp/there/trusted-0.pem"})
    words = encoded(there)
    assert words["agent"] == {
        "address": "198.18.100.11:34567",
        "server_name": "s",
        "ca_file": "/tmp/there/ca.pem",
        "cert_file": "/tmp/there/g.pem",
        "key_file": "/tmp/there/g.key",
    }
    first, second = there.arms
    assert (first.freeze, second.freeze) == ({"agent": 0}, {"agent": 1})
    assert [encoded(hop) for hop in second.hops] == [
        {"name": "nginx", "cpu": {"agent": 1}},
        {"name": "db", "cpu": {"agent": 1}, "shared": True},
    ]
    assert first.tls is None
    assert second.tls is not None and second.tls.ca_file == "/tmp/there/trusted-0.pem"


def test_nothing_else_of_the_plan_changes_and_the_plan_itself_does_not() -> None:
    before = encoded(PLAN)
    there = encoded(plan_elsewhere(PLAN, "a:1", FOLDER, {"/tmp/x/tls.crt": "/y"}))
    assert encoded(PLAN) == before
    assert {key for key in there if there[key] != before.get(key)} == {"agent", "arms"}
    for own, other in zip(before["arms"], there["arms"], strict=True):  # type: ignore[call-overload]
        assert {key for key in own if own[key] != other[key]} <= {"freeze", "hops", "tls"}


def test_files_that_clients_trust_are_sent_once() -> None:
    tls = Tls(ca_file="/tmp/x/tls.crt")
    plan = msgspec.structs.replace(PLAN, arms=[arm("a", tls), arm("b", tls), arm("c", Tls(ca_file=None))])
    assert trusted_files(plan) == ["/tmp/x/tls.crt"]
