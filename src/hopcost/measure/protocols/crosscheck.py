"""Run every load generator in turn, ours among them, against one running arm.

The stack runs on while the generators take turns in rounds of shuffled order, so a slow minute of the machine meets
all of them. All are processes of their own, called and read alike.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import msgspec

from hopcost.errors import ArmFailed, CannotMeasure
from hopcost.machine import binaries
from hopcost.measure.load import peer as peer_load
from hopcost.measure.load.peer import Drive
from hopcost.programs.generators import process
from hopcost.programs.generators.engine_plan import accepts_gzip
from hopcost.programs.generators.peers import BY_NAME
from hopcost.programs.generators.peers.ours import our_engine
from hopcost.stacks.awake import IdleCores
from hopcost.stacks.running.stack import RunningStack
from hopcost.statistics.questions.crosscheck import OURS, Crosscheck, Turn, summarise_crosscheck
from hopcost.suites.experiments.workload import Workload

WARM_UP_S = 2


class Generators(msgspec.Struct, frozen=True):
    """The generators that take turns, ours among them, and why the others do not."""

    drives: Mapping[str, Drive]
    left_out: Mapping[str, str]


def find_generators(stack: RunningStack, workload: Workload) -> Generators:
    """Our engine, and all peers that are installed and can make such a load."""
    cores = stack.prepared.cores.generator
    if stack.prepared.address.is_http2:
        raise CannotMeasure("generators are compared over HTTP/1.1 alone, and this arm is reached over http2+tls")
    engine = our_engine(binaries.require("hopcost-engine"), OURS)
    drives = {OURS: peer_load.driver(engine, process.version_of(engine) or "", stack, cores)}
    left_out = {name: f"not installed; hint: {hint}" for name, hint in peer_load.missing().items()}
    for name in [name for name in BY_NAME if name not in left_out]:
        try:
            BY_NAME[name].refuse_unable(
                workload.requests_per_connection, accepts_gzip=accepts_gzip(workload.header_fields)
            )
            drives[name] = peer_load.driver(*peer_load.find(name), stack, cores)
        except CannotMeasure as error:
            left_out[name] = error.message
    return Generators(drives, left_out)


def run_crosscheck(
    path: str,
    stack: RunningStack,
    workload: Workload,
    generators: Generators,
    *,
    rounds: int,
    seconds: int,
    seed: int,
    idle_cores: IdleCores,
    turn_begins: Callable[[str, int | None], None],
) -> Crosscheck:
    """Rounds of all generators against a running stack.

    `turn_begins` gets the generator and the number of the round, which is None for the warm-up. A generator that fails
    has no further turn; ArmFailed if the arm or our engine fails.
    """
    cores, left_out = stack.prepared.cores.generator, dict(generators.left_out)
    load = peer_load.to_load(workload, peer_load.url_of(stack, workload.target))
    load = msgspec.structs.replace(load, seconds=seconds, threads=len(cores))
    at_most_s = seconds * 3 + 30
    turn_begins(OURS, None)
    generators.drives[OURS](msgspec.structs.replace(load, seconds=WARM_UP_S), at_most_s)
    turns: list[Turn] = []
    order, shuffle = list(generators.drives), random.Random(seed)
    for number in range(rounds):
        shuffle.shuffle(order)
        for name in [name for name in order if name not in left_out]:
            turn_begins(name, number)
            try:
                turns.append(Turn(round=number, run=generators.drives[name](load, at_most_s)))
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
        idle_cores=idle_cores,
        tools=summarise_crosscheck(turns, workload.connections, len(cores)),
        left_out=left_out,
        turns=turns,
    )
