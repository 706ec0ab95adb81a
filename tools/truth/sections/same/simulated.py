"""Simulated experiments: hopcost's own measuring loop, a virtual clock, real noise, and a difference that is known."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

from hopcost.measure.blocks.next_block import FinishedBlocks, NextBlock
from hopcost.plan.make import make_plan
from hopcost.plan.method import METHOD
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import Plan, PlannedArm, PlannedExperiment
from hopcost.programs.definition.definition import Installed
from hopcost.programs.generators.engine_lines import End, Slice, Validity, WarmedUp
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.evidence import CheckedAnswer
from hopcost.record.contents.run import Ending
from hopcost.statistics import comparisons
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.comparisons import Comparison
from hopcost.statistics.precision import looks
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.experiments.experiment import Experiment, Placement
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.suite import Suite

ANSWERS = 1_000_000  # of a simulated slice: counts are not what scatters here


def simulated(
    others: int,
    time_s: float,
    pool: list[list[float]],
    dice: random.Random,
    spreads: Sequence[float] = (0.0,),
    speed: float = 1.0,
) -> tuple[list[Block], Plan, Ending]:
    """One experiment by hopcost's own loop: its blocks, its plan, why it ended.

    `speed` is what the other arms' throughput truly is, as a ratio to the baseline's.
    """
    planned = _plan(others, time_s)
    (experiment,) = planned.experiments
    by_arm = spreads_by_arm(experiment, spreads)
    speeds = {arm.name: 1.0 if experiment.baseline in (arm.name, arm.copy_of) else speed for arm in experiment.arms}
    finished, now_s = FinishedBlocks(planned, experiment), 0.0
    while isinstance(step := finished.next(time_s - now_s, finished.valid), NextBlock):
        block = _block(experiment, step, pool, dice, by_arm, speeds)
        now_s += block.elapsed_ns / 1e9
        finished.add(block)
    return finished.valid, planned, step


def compared(done: list[Block], planned: Plan, ending: Ending) -> list[Comparison]:
    """The throughput of each other arm ÷ the baseline's, with its verdict at the end."""
    (experiment,) = planned.experiments
    arms, error = PairedBlocks(experiment, done), looks.error_at_end(ending.why)
    others = [arm.name for arm in experiment.arms if arm.copy_of is None and arm.name != experiment.baseline]
    of_arms = (
        comparisons.compare_arm(arms, experiment, name, error=error, margin=planned.margin, withheld=None)
        for name in others
    )
    return [throughput for throughput, *_ in of_arms]


def spreads_by_arm(experiment: PlannedExperiment, spreads: Sequence[float]) -> dict[str, float]:
    """The restart spread of each arm; the baseline's second run is the same server."""
    names = [arm.name for arm in experiment.arms if arm.copy_of is None]
    own = {name: spreads[place % len(spreads)] for place, name in enumerate(names)}
    return {arm.name: own[arm.copy_of or arm.name] for arm in experiment.arms}


def _block(
    experiment: PlannedExperiment,
    step: NextBlock,
    pool: list[list[float]],
    dice: random.Random,
    spreads: Mapping[str, float],
    speeds: Mapping[str, float],
) -> Block:
    arms, rounds = len(step.arms), step.rounds
    parts = []
    for arm in step.arms:
        of_start = math.log(speeds[arm.name]) + dice.gauss(0.0, spreads[arm.name])
        noise = [of_start + log for log in noise_of_run(rounds, pool, dice)]
        parts.append(_part(arm, step.slice_ns, step.warm_up.least_ns, noise))
    slices_ns = step.slice_ns * rounds * arms
    settling_ns = experiment.settle_ns * rounds * arms
    overhead_ns = int(METHOD.block_overhead_s_per_arm * 1e9) + step.warm_up.least_ns
    elapsed_ns = slices_ns + settling_ns + overhead_ns * arms
    return Block(
        experiment=experiment.name, number=step.number, seed=0, started_utc="", elapsed_ns=elapsed_ns,
        slices_elapsed_ns=slices_ns, harness_cpu_ns=0, foreign_cpu_ns=0, steal_ns=0, validity=Validity.VALID,
        reasons=[], failures=[], arms=parts,
        end=End(elapsed_ns=slices_ns, generator_cpu_ns=0, validity=Validity.VALID, reasons=[]),
    )  # fmt: skip


def noise_of_run(rounds: int, pool: list[list[float]], dice: random.Random) -> list[float]:
    """The course of one run: a real one from a drawn round on, round and round, its sign drawn."""
    course, sign = dice.choice(pool), dice.choice((-1, 1))
    begin = dice.randrange(len(course))
    return [sign * course[(begin + number) % len(course)] / math.sqrt(2) for number in range(rounds)]


def _part(arm: PlannedArm, slice_ns: int, warm_up_ns: int, noise: list[float]) -> ArmBlock:
    slices = [
        Slice(
            arm=arm.name, round=number, place=0, start_ns=0, elapsed_ns=slice_ns, freeze_ns=0, frozen_ns=None,
            answers=round(ANSWERS * math.exp(log)), sent=ANSWERS, errors={}, reconnects=0, received_bytes=0,
            cpu_ns={"origin": slice_ns}, cpu_outside_ns={"origin": 0}, generator_cpu_ns=0,
        )
        for number, log in enumerate(noise)
    ]  # fmt: skip
    return ArmBlock(
        name=arm.name, copy_of=arm.copy_of, hops=["origin"],
        check=CheckedAnswer(status=200, header_bytes=1, body_bytes=1, header_fields=[]),
        warm_up=WarmedUp(arm=arm.name, elapsed_ns=warm_up_ns, plateau=True, answers=[1], errors={}), slices=slices,
        totals=None,
    )  # fmt: skip


def _plan(others: int, time_s: float) -> Plan:
    origin = Arm(hops=[Hop(program="origin", link=Link.HTTP_TCP)])
    names = ["base", *(f"same-{number + 1}" for number in range(others))]
    experiment = Experiment(
        name="same", question="?", baseline="base", arms=names, placement=Placement.ONE_CORE, workload=Workload(),
        open_loop=False,
    )  # fmt: skip
    suite = Suite(name="same", title="", arms=dict.fromkeys(names, origin), experiments=[experiment])
    limits = MachineLimits({"origin": Installed(path="/origin", version="0")}, [0, 1], siblings={}, open_files=20_000)
    return make_plan(suite, [], RunOptions(time_s=time_s, seed=0), limits)
