"""Running servers and a record of them, made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from samples.blocks import MS, block, histogram_of, part, slice_of
from samples.records import ENVIRONMENT

from hopcost.measure.protocols.versus.find import Found
from hopcost.measure.protocols.versus.run import EXPERIMENT, versus_suite
from hopcost.plan.make import make_plan
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import Plan
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.run import FORMAT, Ending, Record, Run, StopReason
from hopcost.suites.arms.server import RunningServer, ServerHop
from hopcost.suites.experiments.expect import Compared, Expect
from hopcost.suites.experiments.workload import Workload

SECOND = 1000 * MS


def server(port: int, *pids: int, hop: str = "node", freeze: bool = False, is_here: bool = True) -> RunningServer:
    """A server on the loopback; without pids nothing of it is known."""
    return RunningServer(
        url=f":{port}",
        link="http+tcp",
        address=f"127.0.0.1:{port}",
        host=f"localhost:{port}",
        target="/",
        hops=[ServerHop(name=hop, pids=list(pids))] if pids else [],
        freeze=freeze,
        is_here=is_here,
    )


def found(port: int, *pids: int, freeze: bool = False, is_here: bool = True) -> Found:
    own = server(port, *pids, freeze=freeze, is_here=is_here)
    return Found(f"localhost:{port}", own, f"localhost:{port} is node (pid {pids})")


def plan_of_servers(*servers: Found, compared: Compared = Compared.BODY, **options: float) -> Plan:
    suite = versus_suite(servers, Workload(expect=Expect(compared=compared)))
    limits = MachineLimits(installed={}, allowed_cores=[0, 1], siblings={}, open_files=20_000)
    return make_plan(suite, [], msgspec.structs.replace(RunOptions(seed=7, time_s=120.0), **options), limits)


def server_part(
    arm: str,
    answers: int,
    *,
    copy_of: str | None = None,
    hop: str = "node",
    cpu_ns: int | None = 500 * MS,
    outside_ns: int = 0,
    settling_ns: int = 0,
    begins_ns: Mapping[int, int] | None = None,
) -> ArmBlock:
    """Two slices of 1 s of a running server, a second between them; CPU time of its hop, None: nothing is known."""
    slices = []
    for number in range(2):
        piece = slice_of(arm, answers, elapsed_ns=SECOND, cpu_ns={} if cpu_ns is None else {hop: cpu_ns})
        piece.round, piece.start_ns, piece.frozen_ns = (
            number,
            (begins_ns or {}).get(number, 2 * number * SECOND),
            SECOND,
        )
        piece.cpu_outside_ns = {} if cpu_ns is None else {hop: outside_ns}
        piece.cpu_settling_ns = {} if cpu_ns is None else {hop: settling_ns}
        slices.append(piece)
    renamed = [msgspec.structs.replace(piece, arm="direct") for piece in slices]
    whole = part(*renamed)
    whole.name, whole.copy_of, whole.hops, whole.slices = (
        arm,
        copy_of,
        [hop if cpu_ns is not None else "server"],
        slices,
    )
    assert whole.totals is not None and whole.warm_up is not None
    whole.totals.arm = whole.warm_up.arm = arm
    whole.totals.service_time = histogram_of({MS: 2 * answers})
    return whole


def batch(number: int, *parts: ArmBlock) -> Block:
    return msgspec.structs.replace(block(number, *parts), experiment=EXPERIMENT)


def record_of_servers(plan: Plan, *blocks: Block, path: Path = Path("records/20250102T030405Z-vs")) -> Record:
    arms = {arm.name: arm.arm for arm in plan.experiments[0].arms if arm.copy_of is None}
    servers = [Found(name, arm.server, "") for name, arm in arms.items() if arm.server is not None]
    run = Run(
        format=FORMAT,
        hopcost="0.1.0",
        command=["hopcost", "vs", *(one.server.url for one in servers), "--time", "2m"],
        started_utc="2025-01-02T03:04:05Z",
        ended_utc="2025-01-02T03:06:05Z",
        endings=[Ending(experiment=EXPERIMENT, why=StopReason.TIME, detail=f"{len(blocks)} blocks in the time given")],
    )
    return Record(
        path=path,
        run=run,
        suite=versus_suite(servers, Workload()),
        plan=plan,
        environment=ENVIRONMENT,
        blocks=list(blocks),
        warnings=[],
    )
