"""Faults forged in the record of a sound block."""

from __future__ import annotations

import msgspec
from samples import records
from samples.blocks import MS, histogram_of

from hopcost.plan.cores import Cores
from hopcost.record.contents.block import ArmBlock, Block

EXPERIMENT = records.plan_of(quick=False).experiments[0]
SHARED = msgspec.structs.replace(EXPERIMENT, cores=Cores(stack=[0, 1], generator=[1]))


def behind(block: Block) -> ArmBlock:
    """The arm in which faults are forged."""
    return next(part for part in block.arms if part.name == "behind")


def each_open_slice(block: Block, **values: int) -> None:
    for piece in behind(block).open_loop[0].slices:
        for key, value in values.items():
            setattr(piece, key, value)


def times(block: Block, counts: dict[int, int]) -> None:
    """Other response times under the offered load; what was in flight stays as it was."""
    behind(block).open_loop[0].totals.response_time = histogram_of(counts)


def stall(block: Block) -> None:
    """One of the slices under the offered load stood still."""
    times(block, {MS: 9_950, 1000 * MS: 50})
    behind(block).open_loop[0].slices[1].in_flight_ns = 20_000 * MS  # one slice holds it all
    behind(block).open_loop[0].totals.service_time = histogram_of({MS: 9_950, 301 * MS: 50})
