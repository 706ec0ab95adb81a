"""What a running server does while others are loaded: if nobody freezes it, its own work may disturb theirs.

Its background is the CPU time of its processes from the end of each of its slices until it is touched again, as a share
of one core over that time. Visits of arms with the same processes, such as the baseline's second run, are taken out.
"""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_lines import Slice, Validity
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.statistics.figures import total
from hopcost.statistics.validity.others import Fault
from hopcost.suites.arms.server import RunningServer, ServerHop

LEAST_NS = 100_000_000  # of time without a visit: below, the share would be one of nothing


def faults_of_background(block: Block, experiment: PlannedExperiment) -> list[Fault]:
    """The fault of each running server that computes too much meanwhile; frozen ones do so if freezing fails."""
    servers = {arm.name: arm.arm.server for arm in experiment.arms}
    faults: list[Fault] = []
    for part in block.arms:
        server = servers.get(part.name)
        if server is None or part.copy_of is not None:  # of the copy it is the same
            continue
        others = [(other, own) for other in block.arms if other is not part and (own := servers.get(other.name))]
        used = background(part, server, others, experiment.settle_ns)
        if used is not None and used > METHOD.suspect_background_share:
            validity = Validity.VOID if used > METHOD.max_background_share else Validity.SUSPECT
            faults.append((validity, Reason(ReasonKind.BACKGROUND, part.name, value=used)))
    return faults


def background(
    part: ArmBlock, server: RunningServer, others: Sequence[tuple[ArmBlock, RunningServer]], settle_ns: int
) -> float | None:
    """The server's background in a block, as a share of one core; None if it is not known, or it is never left alone.

    `others` are the other arms of the block with their servers.
    """
    used_ns = time_ns = 0
    for before, piece in zip(part.slices, part.slices[1:], strict=False):
        outside_ns = total(piece.cpu_outside_ns.get(hop.name) for hop in server.hops)
        if outside_ns is None or piece.frozen_ns is None or not server.hops:
            return None
        used_ns, time_ns = used_ns + outside_ns, time_ns + piece.frozen_ns
        for other, its_server in others:
            common = [(hop, same) for hop in its_server.hops for same in server.hops if _is_same(hop, same)]
            if not common:
                continue
            for visit in _between(other.slices, before, piece):
                own_ns = total(ns for hop, _ in common for ns in _used_in_visit(visit, hop))
                if own_ns is None:
                    return None
                used_ns, time_ns = used_ns - own_ns, time_ns - visit.elapsed_ns - settle_ns
    return max(0, used_ns) / time_ns if time_ns >= LEAST_NS else None


def _is_same(hop: ServerHop, other: ServerHop) -> bool:
    """Whether both count the same processes."""
    if hop.cgroup is not None or other.cgroup is not None:
        return hop.cgroup == other.cgroup
    return bool(set(hop.pids) & set(other.pids))


def _between(slices: Sequence[Slice], before: Slice, after: Slice) -> list[Slice]:
    return [piece for piece in slices if before.start_ns < piece.start_ns < after.start_ns]


def _used_in_visit(visit: Slice, hop: ServerHop) -> list[int | None]:
    """The hop's CPU time in a slice and in the settling before it."""
    return [visit.cpu_settling_ns.get(hop.name), visit.cpu_ns.get(hop.name)]
