"""What each of several generators loads: its share of the connections. The engines share the arrivals themselves."""

from __future__ import annotations

import msgspec

from hopcost.errors import UsageError
from hopcost.plan.plan import Plan
from hopcost.programs.generators.beside import EngineIdleConnections, EngineSlowClients
from hopcost.programs.generators.engine_plan import EngineArm, EnginePlan


def share_of(plan: EnginePlan, place: int, count: int) -> EnginePlan:
    """The plan of the generator at this place among `count`: connections of all kinds and warm-ups are dealt out.

    The rest is the plan of all, the offered load too: an engine takes its share of the requests one by one.
    """
    warm_up = msgspec.structs.replace(plan.warm_up, requests=dealt(plan.warm_up.requests, place, count))
    return msgspec.structs.replace(plan, warm_up=warm_up, arms=[_share_of(arm, place, count) for arm in plan.arms])


def refuse_too_few_connections(plan: Plan, count: int) -> None:
    """UsageError if a generator would have none."""
    for experiment in plan.experiments:
        connections = experiment.workload.connections
        if connections < count:
            raise UsageError(
                f"{experiment.name} has fewer connections ({connections}) than generators ({count})",
                "name fewer machines, or another experiment",
            )


def dealt(number: int, place: int, count: int) -> int:
    """How many of `number` fall to the one at this place.

    >>> [dealt(8, place, 3) for place in range(3)]
    [3, 3, 2]
    """
    return number // count + (place < number % count)


def _share_of(arm: EngineArm, place: int, count: int) -> EngineArm:
    slow, idle = arm.slow_clients, arm.idle_connections
    if slow is not None:
        number = dealt(slow.number, place, count)
        slow = EngineSlowClients(number, slow.bytes_per_s) if number else None
    if idle is not None:
        number = dealt(idle.number, place, count)
        idle = EngineIdleConnections(number, idle.every_ns) if number else None
    connections = dealt(arm.connections, place, count)
    return msgspec.structs.replace(arm, connections=connections, slow_clients=slow, idle_connections=idle)
