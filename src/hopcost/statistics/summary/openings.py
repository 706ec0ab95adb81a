"""How connections fell to a hop's workers, opening by opening, and what it did to throughput. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean

import msgspec

from hopcost.plan.method import METHOD
from hopcost.record.contents.block import ArmBlock, Block

Round = tuple[int, int]  # the block, the round


class WorkersLuck(msgspec.Struct, frozen=True):
    """An arm's openings (one in each round), and in how many of them one worker of a hop got everything.

    `throughput_change` is that of those openings beside the others: -0.2 is 20 % less; None if there are no others.
    """

    arm: str
    hop: str
    workers: int
    openings: int
    one_got_everything: int
    throughput_change: float | None


def workers_luck(blocks: Sequence[Block]) -> list[WorkersLuck]:
    """Of every arm and hop with several workers whose connections were opened anew in each round.

    A slice is beside its own arm's other slices; what the machine did to all arms of the round is taken off. The
    baseline's second run counts with its first.
    """
    speeds = _logs_of_throughput(blocks)
    luck: dict[tuple[str, str], list[tuple[list[int], float]]] = {}
    for block, arm in _arms(blocks):
        for piece in arm.slices:
            speed = _beside_its_round(speeds, arm.name, (block.number, piece.round))
            first = arm.hops[0]  # behind it connections are those of the hop before, which nobody opened anew
            workers = (piece.process_cpu_ns or {}).get(first, [])[1:]
            if len(workers) > 1 and any(workers) and speed is not None:
                luck.setdefault((arm.copy_of or arm.name, first), []).append((workers, speed))
    return [_summarise(arm, hop, openings) for (arm, hop), openings in luck.items()]


def _summarise(arm: str, hop: str, openings: list[tuple[list[int], float]]) -> WorkersLuck:
    alone = [speed for used, speed in openings if max(used) >= METHOD.whole_worker_share * sum(used)]
    others = [speed for used, speed in openings if max(used) < METHOD.whole_worker_share * sum(used)]
    return WorkersLuck(
        arm=arm,
        hop=hop,
        workers=max(len(used) for used, _ in openings),
        openings=len(openings),
        one_got_everything=len(alone),
        throughput_change=math.expm1(fmean(alone) - fmean(others)) if alone and others else None,
    )


def _arms(blocks: Sequence[Block]) -> Iterator[tuple[Block, ArmBlock]]:
    return ((block, arm) for block in blocks for arm in block.arms)


def _logs_of_throughput(blocks: Sequence[Block]) -> dict[str, dict[Round, float]]:
    """By arm and round, less the arm's own mean."""
    logs: dict[str, dict[Round, float]] = {}
    for block, arm in _arms(blocks):
        for piece in arm.slices:
            if piece.answers and piece.elapsed_ns:
                logs.setdefault(arm.name, {})[block.number, piece.round] = math.log(piece.answers / piece.elapsed_ns)
    means = {arm: fmean(own.values()) for arm, own in logs.items()}
    return {arm: {at: log - means[arm] for at, log in own.items()} for arm, own in logs.items()}


def _beside_its_round(speeds: dict[str, dict[Round, float]], arm: str, at: Round) -> float | None:
    """The arm's speed in a round less what the other arms had there; None without an answer."""
    own = speeds.get(arm, {}).get(at)
    if own is None:
        return None
    others = [speed[at] for name, speed in speeds.items() if name != arm and at in speed]
    return own - (fmean(others) if others else 0.0)
