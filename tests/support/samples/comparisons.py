"""Blocks of a direct arm and one behind a proxy, and what their summary compares."""

from __future__ import annotations

import math

import msgspec
from samples.blocks import MS, block, histogram, part, rounds_of, slice_of
from samples.records import record

from hopcost.plan.plan import Plan
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.offered_load import LoadFault, LoadFaultKind, OpenLoad, VoidLoad
from hopcost.record.contents.run import Run
from hopcost.statistics.comparisons import Comparison
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary, summarise

RATE_PER_S = 5000.0


def arm(name: str, answers: int, cpu_ms: float, open_cpu_us: float = 0.0, response_us: float = 300.0) -> ArmBlock:
    """100 ms at saturation, and where asked 1 s of 5,000/s at 25 %; a proxy takes half the CPU time."""
    hops = ["proxy", "app"] if name == "behind" else ["app"]
    in_block = part(slice_of(name, answers, cpu_ns={hop: int(cpu_ms * MS / len(hops)) for hop in hops}))
    if open_cpu_us:
        used = {hop: int(open_cpu_us * 1000 * RATE_PER_S / len(hops)) for hop in hops}
        load = msgspec.structs.replace(
            slice_of(name, int(RATE_PER_S), elapsed_ns=1000 * MS, cpu_ns=used), due=int(RATE_PER_S), not_sent=0
        )
        times = [int(response_us * 1000)] * 4800 + [int(4 * response_us * 1000)] * 200
        assert in_block.totals is not None and in_block.warm_up is not None
        totals = msgspec.structs.replace(
            in_block.totals, response_time=histogram(*times), response_unanswered=histogram(), due=int(RATE_PER_S)
        )
        in_block.open_loop = [
            OpenLoad(share=0.25, rate_per_s=RATE_PER_S, warm_up=in_block.warm_up, slices=[load], totals=totals)
        ]
    return in_block


def six_blocks(behind: float = 0.5, noise: float = 0.002, again: float = 1.0, open_loop: bool = True) -> list[Block]:
    """Direct 100,000/s at 10 µs, behind so much of it at 22 µs; in the open loop 20 µs and 60 µs."""
    blocks = []
    for number in range(6):
        wobble = math.exp(noise * (-1) ** number)
        loads = (20.0, 60.0) if open_loop else (0.0, 0.0)
        blocks.append(
            block(
                number,
                arm("direct", 10_000, 100, loads[0]),
                arm("behind", round(10_000 * behind * wobble), 22 * 10 * behind * wobble, loads[1] * wobble, 350.0),
                arm("direct-aa", round(10_000 * again / wobble), 100 / wobble, loads[0] / wobble),
            )
        )
    return blocks


def three_rounds(number: int, *behind: int) -> Block:
    """Direct and its second run answer 1000 a round."""
    alike = [1000] * len(behind)
    return block(number, rounds_of("direct", *alike), rounds_of("behind", *behind), rounds_of("direct-aa", *alike))


BLOCKS_OF_ROUNDS = [three_rounds(0, 400, 420, 410), three_rounds(1, 500, 480, 490), three_rounds(2, 450, 450)]


def void_load(block: Block, *late: float) -> Block:
    """The same block with a load that the generator could not offer: it sent so much of it late."""
    faults = [LoadFault("behind", LoadFaultKind.LATE, extent) for extent in late]
    return msgspec.structs.replace(block, void_loads=[VoidLoad(0.25, RATE_PER_S, faults)])


def summary(blocks: list[Block], plan: Plan | None = None) -> ExperimentSummary:
    (experiment,) = summarise(record(*blocks, plan=plan))
    return experiment


def of_behind(experiment: ExperimentSummary, figure: str, load_per_s: float | None = None) -> Comparison:
    (behind,) = [arm for arm in experiment.arms if arm.name == "behind"]
    (comparison,) = [
        compared for compared in behind.comparisons if (compared.figure, compared.load_per_s) == (figure, load_per_s)
    ]
    return comparison


def direct(answers: int, cpu_ms: float, arm: str = "direct") -> ArmBlock:
    """A slice of 100 ms of the app alone."""
    return part(slice_of(arm, answers, cpu_ns={"app": int(cpu_ms * MS)}))


def two_blocks() -> list[Block]:
    """Block 0: direct 10,000/s (in two slices), again 12,000/s, behind 4,400/s. Block 1: 20,000, 20,000, 10,000/s."""
    first_direct = part(
        slice_of("direct", 600, elapsed_ns=50 * MS, cpu_ns={"app": 6 * MS}, generator_cpu_ns=2 * MS),
        slice_of("direct", 400, elapsed_ns=50 * MS, cpu_ns={"app": 4 * MS}, generator_cpu_ns=4 * MS),
    )
    first_behind = part(
        slice_of("behind", 440, cpu_ns={"proxy": 8_800_000, "app": 4_400_000}, generator_cpu_ns=MS, outside_ns=300_000)
    )
    second_cpu_ns = {"proxy": 15 * MS, "app": 10 * MS}
    second_behind = part(slice_of("behind", 1000, cpu_ns=second_cpu_ns, generator_cpu_ns=6_200_000, outside_ns=82_000))
    return [
        block(0, first_direct, first_behind, direct(1200, 14.4, "direct-aa")),
        block(1, direct(2000, 20), second_behind, direct(2000, 20, "direct-aa")),
    ]


def summary_of(*blocks: Block, plan: Plan | None = None, run: Run | None = None) -> ExperimentSummary:
    """Of the only experiment."""
    (experiment,) = summarise(record(*blocks, plan=plan, run=run))
    return experiment


def arm_of(name: str, *blocks: Block) -> ArmSummary:
    """One stack of it."""
    (stack,) = [arm for arm in summary_of(*blocks).arms if arm.name == name]
    return stack
