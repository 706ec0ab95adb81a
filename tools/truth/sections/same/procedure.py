"""The whole procedure on real slices in which nothing differs. A section of the truth's page.

The baseline's two runs in a real block are the same server. ln(second ÷ first), round by round, with a random sign and
over √2, is the noise of one run. A simulated run of an arm is such a course, and a restart that is drawn for the whole
block: the baseline of those records restarts alike, other arms do not. The measuring loop is hopcost's own, with a
virtual clock and blocks made of these courses.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from hopcost.errors import HopcostError, MeasurementFailed
from hopcost.measure.blocks.next_block import FinishedBlocks, NextBlock
from hopcost.plan.make import make_plan
from hopcost.plan.method import METHOD
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.programs.definition.definition import Installed
from hopcost.programs.generators.engine_protocol import End, Slice, Validity, WarmedUp
from hopcost.record import reader
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.evidence import CheckedAnswer
from hopcost.record.contents.run import Ending
from hopcost.statistics import comparisons
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.figures import throughput
from hopcost.statistics.log_ratio import log_ratios_by_round
from hopcost.statistics.precision import looks
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.experiments.experiment import Experiment, Placement, Workload
from hopcost.suites.suite import Suite
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.made_with import ROOT
from tools.truth.page.part import Part, Section, unfinished
from tools.truth.runs import excludes_one
from tools.truth.sections.coverage.judge import probability_of_so_few, too_low

SECTION = "procedure"
RUNS, EACH = 10, 100  # kept lines, and simulated experiments in each
TIMES_S = (120.0, 600.0)
OTHERS = (1, 2, 4)  # arms beside the baseline
# By how much starts of an arm differ (standard deviation of the logarithm), the baseline first, then arm by arm, and
# round again.
RESTARTS: dict[str, tuple[float, ...]] = {
    "none": (0.0,),
    "3 %": (0.03,),
    "5 %": (0.05,),
    "unlike": (0.02, 0.0, 0.08, 0.05),
}
FALSE_ALARMS_MOST = 0.055  # in a row: 5 %, and half a point for stopping on width
MEAN_MOST = 0.05  # over all rows
ROUNDS_LEAST = 4  # of a real block: shorter courses say nothing of how slices follow each other
COLUMNS = ["restarts:", "arms beside:", "time:", "experiments:", "without 1:", "directional:", "blocks, mean:", "holds"]
ALARMS = ("excludes", "directional")
COUNTED = ("experiments", *ALARMS, "blocks")
ANSWERS = 1_000_000  # of a simulated slice: counts are not what scatters here
PROSE = (
    "hopcost's own measuring loop (sizing, looks, stop, verdict) with a virtual clock. Each simulated run of"
    " an arm is the course, round by round, of ln(second ÷ first run of the baseline) in a real block, its sign"
    " drawn, over √2: nothing differs, and the noise is this machine's. Restarts are added: each start of an arm is"
    " faster or slower as a whole, by none, 3 %, 5 %, or unlike (the baseline by 2 %, the arms by 0, 8, 5 and 2 %)."
    " Counted are experiments in which at least one interval of throughput excludes 1, and those with at least one"
    " verdict of faster or slower that is not called negligible. No row may have significantly more than"
    f" {FALSE_ALARMS_MOST:.1%} of either (one-sided, Holm over the rows), nor all rows together more than"
    f" {MEAN_MOST:.0%}."
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


def run(restarts: str, others: int, time_s: float, number: int) -> Figures:
    """`EACH` simulated experiments: how many had a false alarm."""
    pool = courses()
    if not pool:
        raise MeasurementFailed("no record here has blocks to draw from", "the section sensitivity leaves some")
    dice = random.Random(f"{METHOD.number}/{restarts}/{others}/{time_s}/{number}")
    figures = {"experiments": 0.0, "excludes": 0.0, "directional": 0.0, "blocks": 0.0, "pool": len(pool)}
    for _ in range(EACH):
        done, planned, ending = simulated(others, time_s, pool, dice, RESTARTS[restarts])
        (experiment,) = planned.experiments
        arms = PairedBlocks(experiment, done)
        verdicts = [
            comparisons.compare_arm(
                arms,
                experiment,
                arm.name,
                error=looks.error_at_end(ending.why),
                margin=planned.margin,
                withheld=None,
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
    others: int,
    time_s: float,
    pool: list[list[float]],
    dice: random.Random,
    spreads: Sequence[float] = RESTARTS["none"],
) -> tuple[list[Block], Plan, Ending]:
    """One experiment by hopcost's own loop: its blocks, its plan, why it ended."""
    planned = _plan(others, time_s)
    (experiment,) = planned.experiments
    finished, now_s = FinishedBlocks(planned, experiment), 0.0
    while isinstance(step := finished.next(time_s - now_s, finished.valid), NextBlock):
        block = _block(experiment, step, pool, dice, _by_arm(experiment, spreads))
        now_s += block.elapsed_ns / 1e9
        finished.add(block)
    return finished.valid, planned, step


def _by_arm(experiment: PlannedExperiment, spreads: Sequence[float]) -> dict[str, float]:
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
) -> Block:
    arms, rounds = len(step.arms), step.rounds
    parts = []
    for arm in step.arms:
        restart = dice.gauss(0.0, spreads[arm.name])
        noise = [restart + log for log in _noise(rounds, pool, dice)]
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


def _probability_of_so_many(row: Mapping[str, float]) -> float:
    """Of as many false alarms or more in a row, if its rate is just what is allowed; one-sided binomial."""
    holds = row["experiments"] - max(row[name] for name in ALARMS)
    return probability_of_so_few(holds, row["experiments"], 1 - FALSE_ALARMS_MOST) if row["experiments"] else 1.0


def _name(restarts: str, others: int, time_s: float) -> str:
    return f"restarts {restarts}, {others} beside, {time_s:.0f} s"


class Procedure(Section):
    """Restarts of four kinds, few and many arms, short and long times."""

    key = SECTION
    heading = "# The whole procedure, simulated on real slices"
    asks = "The whole procedure, on real noise without a difference, sees none"
    tells = ("without 1", "directional")

    def cases(self) -> list[Case]:
        """Draws from what the other sections have recorded."""
        return [
            Case(
                SECTION,
                _name(restarts, others, time_s),
                partial(run, restarts, others, time_s),
                RUNS,
                {"time_s": time_s, "each": EACH, "spreads": list(spreads)},
            )
            for restarts, spreads in RESTARTS.items()
            for others in OTHERS
            for time_s in TIMES_S
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each kind of restarts, number of arms and time."""
        kinds = [(restarts, others, time_s) for restarts in RESTARTS for others in OTHERS for time_s in TIMES_S]
        by_row = [done.of(SECTION, case.name) for case in self.cases()]
        sums = [{name: sum(figures[name] for figures in runs) for name in COUNTED} for runs in by_row]
        pools = {figures["pool"] for runs in by_row for figures in runs}
        many = too_low([_probability_of_so_many(row) for row in sums])
        rows, words = [], []
        for place, (case, (restarts, others, time_s), row) in enumerate(zip(self.cases(), kinds, sums, strict=True)):
            runs, count = len(by_row[place]), row["experiments"]
            words.append(unfinished(runs, case.runs) if runs < case.runs else "no" if place in many else "yes")
            cells = [""] * 3
            if count:
                cells = [f"{row[name] / count:.1%}" for name in ALARMS] + [f"{row['blocks'] / count:.1f}"]
            rows.append([restarts, str(others), f"{time_s:.0f} s", f"{count:,.0f}", *cells, words[-1]])
        every = sum(row["experiments"] for row in sums)
        if every:
            mean = max(sum(row[name] for row in sums) for name in ALARMS) / every
            words.append("yes" if mean <= MEAN_MOST else "no")
            rows.append(["together", "", "", f"{every:,.0f}", f"{mean:.1%}", "", "", words[-1]])
        pool = f"Drawn from {min(pools):,.0f} to {max(pools):,.0f} real blocks of" if pools else ""
        after = [f"{pool} at least {ROUNDS_LEAST} rounds."] if pools else []
        return [Part([PROSE], COLUMNS, rows, words, after)]
