"""Faults forged in the record of a sound block."""

from __future__ import annotations

import msgspec
from samples import records

from hopcost.plan.cores import Cores
from hopcost.record.block import ArmBlock, Block

EXPERIMENT = records.plan_of(quick=False).experiments[0]
SHARED = msgspec.structs.replace(EXPERIMENT, cores=Cores(stack=[0, 1], generator=[1]))


def behind(block: Block) -> ArmBlock:
    """The arm in which faults are forged."""
    return next(part for part in block.arms if part.name == "behind")


def each_open_slice(block: Block, **values: int) -> None:
    for each in behind(block).open_loop[0].slices:
        for key, value in values.items():
            setattr(each, key, value)
