"""A plan for two machines out of one for one: the load goes to the generator, the edges of slices to the agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import PurePath

import msgspec

from hopcost.measure.fleet.authority import AUTHORITY, GENERATOR, STACKS, certificate_of, key_of
from hopcost.programs.generators.agent import AgentArm, AgentOrder
from hopcost.programs.generators.engine_plan import AtAgent, EngineAgent, EngineHop, EnginePlan


class Builds(StrEnum):
    """Whether the engine's binary must be the agent's own."""

    SAME = "same"
    ANY = "any"  # of another architecture; the version must be the same either way


def order_of(
    plan: EnginePlan,
    address: str,
    folder: PurePath,
    *,
    generators: Sequence[str] = (GENERATOR,),
    builds: Builds = Builds.SAME,
) -> AgentOrder:
    """What the agent is told: its arms, in the plan's order, and the certificates in `folder`.

    The first of the `generators` leads the others, by the names in their certificates.
    """
    leader, *followers = generators
    return AgentOrder(
        address=address,
        ca_file=str(folder / AUTHORITY),
        cert_file=str(folder / certificate_of(STACKS)),
        key_file=str(folder / key_of(STACKS)),
        generators=list(generators),
        leader=leader,
        followers=followers,
        arms=[AgentArm(arm.name, arm.freeze, arm.hops) for arm in plan.arms],
        builds=builds.value,
    )


def plan_elsewhere(
    plan: EnginePlan,
    agent_address: str,
    folder: PurePath,
    authorities: Mapping[str, str] = {},
    *,
    generator: str = GENERATOR,
) -> EnginePlan:
    """The plan for the engine on the machine of this `generator`, whose certificates are in `folder` there.

    `authorities` are the files there that hold what the arms' clients trust, by their paths here.
    """
    agent = EngineAgent(
        address=agent_address,
        server_name=STACKS,
        ca_file=str(folder / AUTHORITY),
        cert_file=str(folder / certificate_of(generator)),
        key_file=str(folder / key_of(generator)),
    )
    arms = []
    for place, arm in enumerate(plan.arms):
        hops = [EngineHop(hop.name, AtAgent(place), shared=hop.shared) for hop in arm.hops]
        tls = arm.tls
        if tls is not None and tls.ca_file is not None:
            tls = msgspec.structs.replace(tls, ca_file=authorities[tls.ca_file])
        # An arm that nothing freezes has an agent all the same: its clock and its CPU time are there.
        arms.append(msgspec.structs.replace(arm, freeze={"agent": place}, hops=hops, tls=tls))
    return msgspec.structs.replace(plan, arms=arms, agent=agent)


def trusted_files(plan: EnginePlan) -> list[str]:
    """The files here that say whom the arms' clients trust, each once."""
    files = [arm.tls.ca_file for arm in plan.arms if arm.tls is not None and arm.tls.ca_file is not None]
    return list(dict.fromkeys(files))
