"""For how much of the time load was counted: the rest is starts, checks, warm-ups, and blocks that do not count."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block


def counted_share(blocks: Sequence[Block]) -> float | None:
    """Slices of the valid blocks, of the closed and the open loop, ÷ the time of all blocks; None without any."""
    counted_ns = sum(_counted_ns(block) for block in blocks if block.validity != Validity.VOID)
    wall_ns = sum(block.elapsed_ns for block in blocks)
    return counted_ns / wall_ns if wall_ns else None


def _counted_ns(block: Block) -> int:
    open_ns = sum(piece.elapsed_ns for arm in block.arms for load in arm.open_loop for piece in load.slices)
    return sum(arm.elapsed_ns for arm in block.arms) + open_ns
