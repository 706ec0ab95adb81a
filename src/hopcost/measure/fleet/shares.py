"""What each of several generators loads: its share of the connections. The engines share the arrivals themselves."""

from __future__ import annotations

import msgspec

from hopcost.programs.generators.beside import EngineIdleConnections, EngineSlowClients
from hopcost.programs.generators.engine_plan import EngineArm, EnginePlan


def share_of(plan: EnginePlan, place: int, count: int) -> EnginePlan:
    """The plan of the generator at this place among `count`: connections of all kinds are dealt out.

    The rest is the plan of all, the offered load too: an engine takes its share of the requests one by one.
    """
    return msgspec.structs.replace(plan, arms=[_share_of(arm, place, count) for arm in plan.arms])


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
