"""The whole procedure on real slices in which nothing differs. A section of docs/truth.md.

The baseline's two runs in a real block are the same server. ln(second ÷ first), round by round, with a random sign and
over √2, is the noise of one run, with what its restart adds. A simulated run of an arm is such a course. The measuring
loop is hopcost's own, with a virtual clock and blocks made of these courses.
"""

from __future__ import annotations

import math
import random
from functools import partial
from typing import Any

from hopcost.errors import HopcostError, MeasurementFailed
from hopcost.generators.engine_protocol import End, Slice, Validity, WarmedUp
from hopcost.measure.next_block import FinishedBlocks, NextBlock
from hopcost.plan.make import make_plan
from hopcost.plan.method import METHOD
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.programs.definition import Installed
from hopcost.record import reader
from hopcost.record.block import ArmBlock, Block
from hopcost.record.evidence import CheckedAnswer
from hopcost.record.run import Ending
from hopcost.statistics import comparisons, looks
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.figures import throughput
from hopcost.statistics.log_ratio import log_ratios_by_round
from hopcost.suites.arm import Arm, Hop, Link
from hopcost.suites.experiment import Experiment, Placement, Workload
from hopcost.suites.suite import Suite
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.made_with import ROOT
from tools.truth.part import Part, Section, unfinished
from tools.truth.runs import excludes_one

SECTION = "procedure"
RUNS, EACH = 10, 100  # kept lines, and simulated experiments in each
TIMES_S = (120.0, 600.0)
OTHERS = (1, 4)  # arms beside the baseline
FALSE_ALARMS_MOST = 0.05
ROUNDS_LEAST = 4  # of a real block: shorter courses say nothing of how slices follow each other
COLUMNS = ["arms beside:", "time:", "experiments:", "without 1:", "directional:", "blocks, mean:", "holds"]
ANSWERS = 1_000_000  # of a simulated slice: counts are not what scatters here
PROSE = (
    "hopcost's own measuring loop (pilot, sizing, looks, stop, verdict) with a virtual clock. Each simulated run of"
    " an arm is the course, round by round, of ln(second ÷ first run of the baseline) in a real block, its sign"
    " drawn, over √2: nothing differs, and the noise is this machine's. Counted are experiments in which at least"
    " one interval of throughput excludes 1, and those with at least one verdict of faster or slower that is not"
    f" called negligible; each at most {FALSE_ALARMS_MOST:.0%}."
)


def courses() -> list[list[float]]:
    """Of each block of each record here: ln(second run ÷ first run of the baseline) by round."""
    pool = []
    for path in sorted((ROOT / "records").glob("**/run.json")):
        try:
            read = reader.read_record(path.parent)
        except HopcostError:
            continue
        for experiment in read.plan.experiments:
            for block in read.blocks:
                if experiment.copy is None or block.experiment != experiment.name or block.validity != Validity.VALID:
                    continue
                logs = log_ratios_by_round(block, experiment, experiment.copy, throughput)
                course = [log for log in logs if log is not None]
                if len(course) >= ROUNDS_LEAST:
                    pool.append(course)
    return pool


def run(others: int, time_s: float, number: int) -> Figures:
    """`EACH` simulated experiments: how many had a false alarm."""
    pool = courses()
    if not pool:
        raise MeasurementFailed("no record here has blocks to draw from", "the section sensitivity leaves some")
    dice = random.Random(f"{others}/{time_s}/{number}")
    figures = {"experiments": 0.0, "excludes": 0.0, "directional": 0.0, "blocks": 0.0, "pool": len(pool)}
    for _ in range(EACH):
        done, planned, ending = simulated(others, time_s, pool, dice)
        (experiment,) = planned.experiments
        arms = PairedBlocks(experiment, done)
        verdicts = [
            comparisons.compare_arm(
                arms,
                experiment,
                arm.name,
                error=looks.error_at_end(planned.looks, arms, ending.why),
                margin=planned.margin,
                withheld=None,
                p99_agrees={},
            )[0]
            for arm in experiment.arms
            if arm.copy_of is None and arm.name != experiment.baseline
        ]
        figures["experiments"] += 1
        figures["excludes"] += any(excludes_one(comparison.ratio) for comparison in verdicts)
        directional = [judged for judged in verdicts if judged.verdict.word in ("faster", "slower")]
        figures["directional"] += not all(judged.verdict.negligible for judged in directional)
        figures["blocks"] += len(done)
    return figures


def simulated(
    others: int, time_s: float, pool: list[list[float]], dice: random.Random
) -> tuple[list[Block], Plan, Ending]:
    """One experiment by hopcost's own loop: its blocks, its plan, why it ended."""
    planned = _plan(others, time_s)
    (experiment,) = planned.experiments
    finished, now_s = FinishedBlocks(planned, experiment), 0.0
    while isinstance(step := finished.next(time_s - now_s), NextBlock):
        block = _block(experiment, step, pool, dice)
        now_s += block.elapsed_ns / 1e9
        finished.add(block)
    return finished.valid, planned, step


def _block(experiment: PlannedExperiment, step: NextBlock, pool: list[list[float]], dice: random.Random) -> Block:
    arms, rounds = len(step.arms), step.rounds
    parts = [_part(arm, step.slice_ns, step.warm_up.least_ns, _noise(rounds, pool, dice)) for arm in step.arms]
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


def _noise(rounds: int, pool: list[list[float]], dice: random.Random) -> list[float]:
    """The course of one run: a real one from a drawn round on, round and round, its sign drawn."""
    course, sign = dice.choice(pool), dice.choice((-1, 1))
    begin = dice.randrange(len(course))
    return [sign * course[(begin + number) % len(course)] / math.sqrt(2) for number in range(rounds)]


def _part(arm: Any, slice_ns: int, warm_up_ns: int, noise: list[float]) -> ArmBlock:
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


class Procedure(Section):
    """Few and many arms, short and long times."""

    key = SECTION
    heading = "# The whole procedure, simulated on real slices"

    def cases(self) -> list[Case]:
        """Draws from what the other sections have recorded."""
        return [
            Case(
                SECTION,
                f"{others} beside, {time_s:.0f} s",
                partial(run, others, time_s),
                RUNS,
                {"time_s": time_s, "each": EACH, "method": METHOD.number},
            )
            for others in OTHERS
            for time_s in TIMES_S
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each number of arms and time."""
        rows, words, pools = [], [], set()
        for case in self.cases():
            runs = done.of(SECTION, case.name)
            pools |= {figures["pool"] for figures in runs}
            names = ("experiments", "excludes", "directional", "blocks")
            count, excludes, directional, blocks = (sum(figures[name] for figures in runs) for name in names)
            word = "yes" if max(excludes, directional) <= FALSE_ALARMS_MOST * count else "no"
            words.append(word if len(runs) >= case.runs else unfinished(len(runs), case.runs))
            others, _, time = case.name.partition(" beside, ")
            cells = [f"{excludes / count:.1%}", f"{directional / count:.1%}", f"{blocks / count:.1f}"] if count else []
            rows.append([others, time, f"{count:,.0f}", *(cells or [""] * 3), words[-1]])
        pool = f"Drawn from {min(pools):,.0f} to {max(pools):,.0f} real blocks of" if pools else ""
        after = [f"{pool} at least {ROUNDS_LEAST} rounds."] if pools else []
        return [Part([PROSE], COLUMNS, rows, words, after)]
