"""A server that is 5 % slower, on real slices: it must never be called the same. A section of the truth's page.

The experiments are those of sections/same/procedure.py, but that the other arm's throughput is truly 5 % less.
"""

from __future__ import annotations

import random
from functools import partial

from hopcost.errors import MeasurementFailed
from hopcost.plan.method import METHOD
from hopcost.statistics.verdict import SAME
from tools.truth.lines import Case, Figures, Reckoned, Sorted
from tools.truth.page.part import Part, Section, unfinished
from tools.truth.sections.same.procedure import RESTARTS, TIMES_S, courses, drawn_from
from tools.truth.sections.same.simulated import compared, simulated

SECTION = "known-difference"
RUNS, EACH = 10, 100  # kept lines, and simulated experiments in each
ROUNDS_LEAST = 2  # of a real block: what hopcost itself takes between two starts
SPEED = 0.95  # of the other arm, as a ratio to the baseline
WRONG = ("same", "negligible", "faster")
WRONG_MOST = 0.01  # of the experiments of a row, all three together
COUNTED = ("experiments", "slower", *WRONG, "blocks")
COLUMNS = ["restarts:", "time:", "experiments:", "slower:", "same:", "negligible:", "faster:", "blocks, mean:", "holds"]
PROSE = (
    "The experiments of the section on the whole procedure, with one arm beside the baseline, whose throughput is truly"
    f" {1 - SPEED:.0%} less. Nobody may be told that the two are the same: at most {WRONG_MOST:.0%} of the experiments"
    " of a row may end in *same*, in *negligible*, or in *faster*. How many end in *slower* is not judged: it tells how"
    " often the time is enough to see the difference, with starts that differ so much and the noise of this machine."
)


def run(restarts: str, time_s: float, number: int) -> Figures:
    """`EACH` simulated experiments: how many ended in which word."""
    pool = courses(ROUNDS_LEAST)
    if not pool:
        raise MeasurementFailed("no record here has blocks to draw from", "the section sensitivity leaves some")
    dice = random.Random(f"{METHOD.number}/{SECTION}/{restarts}/{time_s}/{number}")
    figures = {**dict.fromkeys(COUNTED, 0.0), "pool": float(len(pool))}
    for _ in range(EACH):
        done, planned, ending = simulated(1, time_s, pool, dice, RESTARTS[restarts], SPEED)
        (slower,) = compared(done, planned, ending)
        verdict = slower.verdict
        figures["experiments"] += 1
        figures["slower"] += verdict.word == "slower"
        figures["same"] += verdict.word == SAME
        figures["negligible"] += verdict.negligible
        figures["faster"] += verdict.word == "faster"
        figures["blocks"] += len(done)
    return figures


class KnownDifference(Section):
    """Restarts of four kinds, short and long times."""

    key = SECTION
    heading = "# A known difference on real slices, simulated"
    asks = "A server that is 5 % slower, on real noise, is not called the same"
    tells = (*WRONG, "slower")

    def cases(self) -> list[Case]:
        """Draws from what the other sections have recorded."""
        return [
            Reckoned(
                SECTION,
                f"restarts {restarts}, {time_s:.0f} s",
                partial(run, restarts, time_s),
                RUNS,
                {"time_s": time_s, "each": EACH, "spreads": list(spreads), "speed": SPEED},
            )
            for restarts, spreads in RESTARTS.items()
            for time_s in TIMES_S
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each kind of restarts and time."""
        kinds = [(restarts, time_s) for restarts in RESTARTS for time_s in TIMES_S]
        rows, words, pools = [], [], set[float]()
        for case, (restarts, time_s) in zip(self.cases(), kinds, strict=True):
            runs = done.of(SECTION, case.name)
            row = {name: sum(figures[name] for figures in runs) for name in COUNTED}
            count, wrong = row["experiments"], sum(row[name] for name in WRONG)
            pools |= {figures["pool"] for figures in runs}
            word = "yes" if len(runs) >= case.runs else unfinished(len(runs), case.runs)
            words.append("no" if wrong > WRONG_MOST * RUNS * EACH else word)
            cells = [""] * 5
            if count:
                counts = [f"{row[name]:,.0f}" for name in WRONG]
                cells = [f"{row['slower'] / count:.0%}", *counts, f"{row['blocks'] / count:.1f}"]
            rows.append([restarts, f"{time_s:.0f} s", f"{count:,.0f}", *cells, words[-1]])
        return [Part([PROSE], COLUMNS, rows, words, drawn_from(pools, ROUNDS_LEAST))]
