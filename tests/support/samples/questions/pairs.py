"""Two records of machines of unlike speed."""

from __future__ import annotations

from pathlib import Path

from samples.blocks import MS, block, open_load, part, slice_of
from samples.records import record

from hopcost.plan.plan import Plan
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Record

SWAYS = (0.96, 1.0, 1.02, 0.99, 1.03, 1.0)  # of the machine, block by block: in all arms alike
ROUNDS = 4
OWN = (0.999, 1.0, 1.001, 1.0, 0.999, 1.001)  # of the arm alone


def block_of_pair(number: int, machine: float, behind: float, *, open_loop_at: int | None = None) -> Block:
    """A block on a machine this fast, in which the arm behind has this share of the baseline's answers."""
    parts = []
    for arm, share in (("direct", 1.0), ("behind", behind), ("direct-aa", 1.0)):
        answers = round(1_000_000 * machine * share / ROUNDS)
        hops = ["proxy", "app"] if arm == "behind" else ["app"]
        cpu = {hop: round(80 * MS / machine / ROUNDS) for hop in hops}
        slices = [slice_of(arm, answers, elapsed_ns=1000 * MS // ROUNDS, cpu_ns=cpu) for _ in range(ROUNDS)]
        for number_of_round, piece in enumerate(slices):
            piece.round = number_of_round
        parts.append(part(*slices))
        if open_loop_at is not None:
            parts[-1].open_loop = [open_load(arm, open_loop_at)]
    return block(number, *parts)


def half(
    name: str,
    machine: float = 1.0,
    behind: float = 0.5,
    open_loop_at: int | None = None,
    plan: Plan | None = None,
    environment: dict[str, object] | None = None,
) -> Record:
    blocks = [
        block_of_pair(number, machine * sway, behind * own, open_loop_at=open_loop_at)
        for number, (sway, own) in enumerate(zip(SWAYS, OWN, strict=True))
    ]
    return record(*blocks, plan=plan, path=Path(f"records/{name}"), environment=environment)
