"""Several generators have together what the plan asks for, and each has its share of it."""

from __future__ import annotations

import msgspec
import pytest

from hopcost.measure.fleet.shares import share_of
from hopcost.programs.generators.beside import EngineIdleConnections, EngineSlowClients
from hopcost.programs.generators.engine_plan import EngineArm, EnginePlan, Rate, WarmUp

ARM = EngineArm(
    name="a",
    address={"tcp": "198.18.100.11:2000"},
    connections=8,
    timeout_ns=1,
    freeze=None,
    hops=[],
    slow_clients=EngineSlowClients(2, 30_000),
    idle_connections=EngineIdleConnections(5000, 30),
    arrivals={"poisson": Rate(1000.0)},
)
PLAN = EnginePlan(
    seed=1, cores=[3], slice_ns=10, settle_ns=1, rounds=2, warm_up=WarmUp(least_ns=1, most_ns=2, requests=9), arms=[ARM]
)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_connections_of_all_kinds_and_warm_ups_add_up(count: int) -> None:
    plans = [share_of(PLAN, place, count) for place in range(count)]
    assert sum(plan.warm_up.requests for plan in plans) == 9
    shares = [plan.arms[0] for plan in plans]
    assert sum(arm.connections for arm in shares) == 8
    assert sum(arm.slow_clients.number for arm in shares if arm.slow_clients is not None) == 2
    assert sum(arm.idle_connections.number for arm in shares if arm.idle_connections is not None) == 5000
    assert max(arm.connections for arm in shares) - min(arm.connections for arm in shares) <= 1


def test_who_has_none_of_them_is_told_of_none() -> None:
    assert share_of(PLAN, 2, 3).arms[0].slow_clients is None


def test_all_else_is_the_plan_of_all() -> None:
    share = share_of(PLAN, 1, 2)
    own = {"connections": 8, "slow_clients": ARM.slow_clients, "idle_connections": ARM.idle_connections}
    share = msgspec.structs.replace(share, warm_up=PLAN.warm_up)
    assert msgspec.structs.replace(share, arms=[msgspec.structs.replace(share.arms[0], **own)]) == PLAN
