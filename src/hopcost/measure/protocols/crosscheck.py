"""Run every load generator in turn, ours among them, against one running arm.

The stack runs on while the generators take turns in rounds of shuffled order, so a slow minute of the machine meets
all of them. All are processes of their own, called and read alike.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import msgspec

from hopcost.errors import ArmFailed, CannotMeasure
from hopcost.generators import process
from hopcost.generators.peers import BY_NAME
from hopcost.generators.peers.ours import our_engine
from hopcost.generators.peers.peer import Peer, PeerLoad
from hopcost.machine import binaries
from hopcost.measure import peer_load
from hopcost.record.repeat import PeerRun
from hopcost.stacks.stack import RunningStack
from hopcost.statistics.questions.crosscheck import OURS, Crosscheck, Turn, summarise_crosscheck
from hopcost.suites.experiment import Workload

WARM_UP_S = 2


class _Caller(msgspec.Struct, frozen=True):
    """How a generator is called: `words` stand behind its name."""

    peer: Peer
    version: str
    words: Callable[[PeerLoad], list[str]]


def run_crosscheck(
    path: str,
    stack: RunningStack,
    workload: Workload,
    *,
    rounds: int,
    seconds: int,
    seed: int,
    said: Callable[[str], None],
) -> Crosscheck:
    """Rounds of all generators against a running stack; `said` hears of each turn.

    A generator that fails is left out from there on; ArmFailed when the arm, or our engine, does.
    """
    cores = stack.prepared.cores.generator
    wanted = peer_load.to_load(workload, peer_load.url_of(stack, workload.target))
    wanted = msgspec.structs.replace(wanted, seconds=seconds, threads=len(cores))
    callers, left_out = _callers(workload)

    def turn(name: str, load: PeerLoad) -> PeerRun:
        caller = callers[name]
        return peer_load.run(caller.peer, caller.version, caller.words(load), stack, cores, at_most_s=seconds * 3 + 30)

    said(f"warming up for {WARM_UP_S} s")
    turn(OURS, msgspec.structs.replace(wanted, seconds=WARM_UP_S))
    turns: list[Turn] = []
    order, shuffle = list(callers), random.Random(seed)
    for number in range(rounds):
        shuffle.shuffle(order)
        for name in [name for name in order if name not in left_out]:
            said(f"round {number + 1} of {rounds}: {name}")
            try:
                turns.append(Turn(round=number, run=turn(name, wanted)))
            except ArmFailed as error:
                if name == OURS:
                    raise
                left_out[name] = f"failed: {error.message}"
            if (failure := stack.failure()) is not None:
                raise ArmFailed(stack.arm, f"under {name}: {failure}")
    return Crosscheck(
        arm=path,
        connections=workload.connections,
        cores=len(cores),
        rounds=rounds,
        seconds=seconds,
        tools=summarise_crosscheck(turns, workload.connections, len(cores)),
        left_out=left_out,
        turns=turns,
    )


def _callers(workload: Workload) -> tuple[dict[str, _Caller], dict[str, str]]:
    """Ours and all that are here and can do such a load; of the others, why not."""
    engine = our_engine(binaries.require("hopcost-engine"), OURS)
    callers = {OURS: _Caller(engine, process.version_of(engine) or "", engine.words)}
    left_out = {name: f"not installed; hint: {hint}" for name, hint in peer_load.missing().items()}
    for name in BY_NAME:
        if name in left_out:
            continue
        try:
            BY_NAME[name].refuse_unable(workload.requests_per_connection)
            peer, version = peer_load.find(name)
        except CannotMeasure as error:
            left_out[name] = error.message
        else:
            callers[name] = _Caller(peer, version, peer.words)
    return callers, left_out
