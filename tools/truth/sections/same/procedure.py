"""The whole procedure on real slices in which nothing differs. A section of the truth's page.

The baseline's two runs in a real block are the same server. ln(second ÷ first), round by round, with a random sign and
over √2, is the noise of one run. A simulated run of an arm is such a course, and a restart that is drawn for the whole
block: the baseline of those records restarts alike, other arms do not. The measuring loop is hopcost's own, with a
virtual clock and blocks made of these courses.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache, partial

from hopcost.errors import HopcostError, MeasurementFailed
from hopcost.plan.method import METHOD
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record import reader
from hopcost.statistics.figures import throughput
from hopcost.statistics.log_ratio import log_ratios_by_round
from tools.truth.lines import Case, Figures, Reckoned, Sorted
from tools.truth.made_with import ROOT
from tools.truth.page.part import Part, Section, unfinished
from tools.truth.runs import excludes_one
from tools.truth.sections.coverage.judge import probability_of_so_few, too_low
from tools.truth.sections.same.simulated import compared, simulated

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


@cache
def courses(rounds_least: int = ROUNDS_LEAST) -> list[list[float]]:
    """Of each block of each record here: ln(second run ÷ first run of the baseline) by round. Read once.

    Blocks with fewer rounds are left out.
    """
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
                if len(course) >= rounds_least:
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
        verdicts = compared(done, planned, ending)
        figures["experiments"] += 1
        figures["excludes"] += any(excludes_one(comparison.ratio) for comparison in verdicts)
        directional = [judged for judged in verdicts if judged.verdict.word in ("faster", "slower")]
        figures["directional"] += not all(judged.verdict.negligible for judged in directional)
        figures["blocks"] += len(done)
    return figures


def drawn_from(pools: set[float], rounds_least: int) -> list[str]:
    """A sentence on how many real blocks the runs had; none if there are no runs.

    >>> drawn_from({65.0, 70.0, 68.0}, 4), drawn_from(set(), 4)
    (['Drawn from 65 to 70 real blocks of at least 4 rounds.'], [])
    """
    if not pools:
        return []
    sizes = " to ".join(f"{size:,.0f}" for size in sorted({min(pools), max(pools)}))
    return [f"Drawn from {sizes} real blocks of at least {rounds_least} rounds."]


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
            Reckoned(
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
        return [Part([PROSE], COLUMNS, rows, words, drawn_from(pools, ROUNDS_LEAST))]
