"""Another load generator in place of our engine: one arm, one run, its own counts; CPU time of the hops read beside it.

The figures are the peer's: what it counts, how it times, when it stops. Errors never count as answers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from hopcost.errors import ArmFailed, CannotMeasure, MeasurementFailed, UsageError
from hopcost.measure.load.context import BlockContext, CheckedArm
from hopcost.measure.load.engine import cores_in_use
from hopcost.measure.load.part import answer_to_keep
from hopcost.measure.quiet import Outside
from hopcost.plan.plan import Plan
from hopcost.programs.generators import process
from hopcost.programs.generators.engine_lines import End, Validity
from hopcost.programs.generators.peers import BY_NAME
from hopcost.programs.generators.peers.peer import Peer, PeerLoad
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.evidence import Surroundings
from hopcost.record.contents.repeat import PeerRun
from hopcost.stacks.sandbox import session, usage
from hopcost.stacks.stack import Stack, hop_names
from hopcost.stacks.surroundings import with_link_load
from hopcost.suites.experiments.request import Method
from hopcost.suites.experiments.workload import Workload

Drive = Callable[[PeerLoad, float], PeerRun]  # one run of a generator under a load, for so many seconds at most


def find(name: str) -> tuple[Peer, str]:
    """The peer of that name and its version; CannotMeasure if it is not installed."""
    peer = BY_NAME[name]
    version = process.version_of(peer)
    if version is None:
        raise CannotMeasure(f"{name} is not installed, or prints no version", peer.install)
    return peer, version or "(it has no version)"


def missing() -> dict[str, str]:
    """The peers that are not installed, each with the command that installs it."""
    return {name: peer.install for name, peer in BY_NAME.items() if process.version_of(peer) is None}


def refuse_uploads(plan: Plan) -> None:
    """UsageError if another generator would have to send anything but GET, or several requests in turns."""
    for experiment in plan.experiments:
        if not (plan.peer or plan.as_published):
            continue
        if experiment.workload.mix is not None:
            raise UsageError(
                f"{experiment.name}: other generators send one request, not a mix", "leave --generator out"
            )
        if experiment.workload.method is not Method.GET:
            method = experiment.workload.method.value
            raise UsageError(
                f"{experiment.name}: other generators send GET alone here, not {method}", "leave --generator out"
            )


def load(context: BlockContext, block: Block, ready: CheckedArm, name: str) -> None:
    """Load one arm for a slice, and put the result into the block."""
    context.watcher.arm_runs(ready.arm.name, f"{name} loads")
    experiment = context.experiment
    peer_load = to_load(experiment.workload, url_of(ready.stack, experiment.workload.target))
    seconds = max(1, round(experiment.slice_ns / 1e9))
    peer_load = msgspec.structs.replace(peer_load, seconds=seconds, threads=len(experiment.cores.generator))
    cores = cores_in_use(experiment)
    rig = context.rig
    harness, outside = rig.own_cpu_ns(), Outside(rig, [ready.stack], cores)
    drive = driver(*find(name), ready.stack, experiment.cores.generator)
    run = drive(peer_load, seconds * 3 + 30)
    block.harness_cpu_ns = rig.own_cpu_ns() - harness
    outside.put_into(block, run.generator_cpu_ns)
    block.slices_elapsed_ns = run.elapsed_ns
    block.end = End(elapsed_ns=run.wall_ns, generator_cpu_ns=run.generator_cpu_ns, validity=Validity.VALID, reasons=[])
    block.arms = [
        ArmBlock(
            name=ready.arm.name,
            copy_of=ready.arm.copy_of,
            hops=hop_names(ready.stack),
            check=answer_to_keep(ready.answer),
            warm_up=None,
            slices=[],
            totals=None,
            peer=run,
            surroundings=surroundings(ready, run),
            memory=ready.stack.memory(),
            time_wait=ready.stack.time_wait(),
        )
    ]


def surroundings(ready: CheckedArm, run: PeerRun) -> Surroundings | None:
    """What the arm ran in, with a note if the answers filled its link. All answers count as long as the checked one."""
    if ready.stack.surroundings is None:
        return None
    answer = answer_to_keep(ready.answer)
    received = run.answers * (answer.header_bytes + answer.body_bytes)
    return with_link_load(ready.stack.surroundings, received, run.elapsed_ns, answers=run.answers)


def to_load(workload: Workload, url: str) -> PeerLoad:
    """The workload as a peer is told it, without its end."""
    return PeerLoad(
        url=url,
        connections=workload.connections,
        headers=workload.header_fields,
        keep_alive=workload.requests_per_connection is None,
        timeout_s=workload.timeout_s,
    )


def url_of(stack: Stack, target: str) -> str:
    """What the generator is told; ArmFailed for a socket file, which it cannot reach."""
    address = stack.prepared.address
    if address.is_unix:
        raise ArmFailed(
            stack.arm, "it is reached over a Unix socket, which other generators do not speak", "name an arm over TCP"
        )
    return f"{address.url}{target}"


def driver(peer: Peer, version: str, stack: Stack, cores: list[int]) -> Drive:
    """How a generator is run against a running stack."""
    return lambda wanted, at_most_s: _run(peer, version, wanted, stack, cores, at_most_s)


def _run(peer: Peer, version: str, peer_load: PeerLoad, stack: Stack, cores: list[int], at_most_s: float) -> PeerRun:
    """One run of a generator against a running stack, in the stack's network namespace if it has one."""
    command = [peer.executable, *peer.words(peer_load)]
    before = _cpu_ns(stack)
    try:
        with stack.as_client():  # a child inherits the network namespace
            ended = process.run_peer(peer, command, cores, at_most_s=at_most_s)
    except MeasurementFailed as error:  # it ended, for example since the server reset a connection: the arm's fault
        raise ArmFailed(stack.arm, error.message, error.hint) from error
    after = _cpu_ns(stack)
    return PeerRun(
        peer=peer.name,
        version=version,
        command=command,
        answers=ended.counts.answers,
        errors={kind: number for kind, number in ended.counts.kinds.items() if number},
        elapsed_ns=ended.counts.elapsed_ns or ended.elapsed_ns,
        wall_ns=ended.elapsed_ns,
        generator_cpu_ns=ended.cpu_ns,
        cpu_ns={hop: after[hop] - before[hop] for hop in after},
        throughput_per_s=ended.counts.throughput_per_s,
        latency_ms=ended.counts.latency_ms,
        output=ended.output,
        kept_alive=ended.counts.kept_alive,
    )


def _cpu_ns(stack: Stack) -> dict[str, int]:
    """CPU time by hop: of its cgroup if its processes come and go, else of each process, to the kernel's tick."""
    by_hop = {}
    for hop, pids in stack.processes.items():
        account = stack.account_of(hop)
        by_hop[hop] = sum(session.cpu_ns(pid) for pid in pids) if account is None else usage.account_ns(Path(account))
    return by_hop
