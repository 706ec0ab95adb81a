"""The article's own protocol: its tool, its connections, its repeats, one arm after another.

It is scaled down if the time is short, and the record says to what. Nothing is interleaved or shuffled, so a slow
minute of the machine goes to whichever arm has it.
"""

from __future__ import annotations

import contextlib

import msgspec

from hopcost.errors import ArmFailed, HopcostError
from hopcost.measure.blocks import block as blocks
from hopcost.measure.load import peer as peer_load
from hopcost.measure.load.context import BlockContext
from hopcost.measure.load.part import answer_to_keep
from hopcost.measure.load.peer import Drive
from hopcost.plan.plan import PlannedArm
from hopcost.programs.generators.peers.peer import PeerLoad
from hopcost.record.contents.repeat import Repeat
from hopcost.record.contents.run import Ending, StopReason
from hopcost.suites.articles.published import Protocol

PROBE_REQUESTS_LEAST = 1000


def run_as_published(context: BlockContext, deadline: float) -> Ending:
    """Every arm with its repeats, into the record; why it ended. The baseline has no second run here."""
    experiment, plan = context.experiment, context.plan
    protocol = experiment.as_published
    assert protocol is not None, "experiments without a protocol are left out before"
    arms = [arm for arm in experiment.arms if arm.copy_of is None]
    failed = []
    for number, arm in enumerate(arms):
        share_s = (deadline - context.rig.now_s()) / (len(arms) - number)
        failed += [arm.name] if not _arm(context, arm, protocol, share_s, plan.scale) else []
    if failed:
        return Ending(experiment=experiment.name, why=StopReason.FAILED, detail=f"failed: {', '.join(failed)}")
    return Ending(experiment=experiment.name, why=StopReason.BLOCKS, detail=f"{protocol.repeats} repeats of each arm")


def _arm(context: BlockContext, arm: PlannedArm, protocol: Protocol, share_s: float, scale: float) -> bool:
    """All repeats of one arm on one start; whether all went well."""
    experiment = context.experiment
    connections = experiment.protocol_connections
    assert connections is not None, "planned with the protocol"
    blank = Repeat(
        experiment=experiment.name,
        arm=arm.name,
        number=0,
        connections=connections,
        requests=None,
        duration_s=None,
        run=None,
        failure=None,
    )
    began = context.rig.now_s()
    try:
        with contextlib.ExitStack() as stacks:
            ready = blocks.start(context, arm, 0, stacks)
            blank.check = answer_to_keep(ready.answer)
            url = peer_load.url_of(ready.stack, experiment.workload.target)
            load = msgspec.structs.replace(
                peer_load.to_load(experiment.workload, url),
                connections=connections,
                threads=protocol.threads,
                options=protocol.options,
                timeout_s=None,
            )
            # If the generator shares the stack's cores, it gets all of them, as in the article.
            cores = experiment.cores.stack if experiment.cores.shared else experiment.cores.generator
            drive = peer_load.driver(*peer_load.find(protocol.peer), ready.stack, cores)
            each_s = (share_s - (context.rig.now_s() - began)) / protocol.repeats
            sized = scaled(protocol, load, scale, each_s, drive)
            well = True
            for number in range(protocol.repeats):
                context.watcher.arm_runs(arm.name, f"{protocol.peer} ({number + 1} of {protocol.repeats}) loads")
                repeat = msgspec.structs.replace(
                    blank, number=number, requests=sized.requests, duration_s=sized.seconds
                )
                try:
                    repeat.run = drive(sized, max(each_s, sized.seconds or 0) * 3 + 60)
                    repeat.surroundings = peer_load.surroundings(ready, repeat.run)
                    repeat.memory, repeat.time_wait = ready.stack.memory(), ready.stack.time_wait()
                except HopcostError as error:
                    repeat.failure, well = error.message, False
                context.writer.append_repeat(repeat)
            failure = ready.stack.failure()
            if failure is not None:
                raise ArmFailed(arm.name, f"under load: {failure}")
            return well
    except HopcostError as error:
        context.writer.append_repeat(msgspec.structs.replace(blank, failure=error.message))
        return False


def scaled(protocol: Protocol, load: PeerLoad, scale: float, each_s: float, drive: Drive) -> PeerLoad:
    """The load of one repeat: the published requests or seconds × scale, and no more than `each_s` seconds allow.

    A short run of the same tool shows how many requests fit into that time.
    """
    if protocol.duration_s is not None:
        seconds = protocol.duration_s * scale
        return msgspec.structs.replace(load, seconds=max(1, round(min(seconds, each_s))))
    assert protocol.requests is not None, "a protocol has one of the two"
    requests = max(load.connections, round(protocol.requests * scale))
    probe = min(requests, max(PROBE_REQUESTS_LEAST, 4 * load.connections))
    probe_run = drive(msgspec.structs.replace(load, requests=probe), max(each_s, 1.0) * 3 + 60)
    per_s = (probe_run.answers + sum(probe_run.errors.values())) * 1e9 / max(1, probe_run.elapsed_ns)
    fitting = round(per_s * max(each_s - probe_run.wall_ns / 1e9 / protocol.repeats, 0.5))
    return msgspec.structs.replace(load, requests=max(load.connections, min(requests, fitting)))
