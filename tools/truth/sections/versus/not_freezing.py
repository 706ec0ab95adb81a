"""What not freezing does to figures of `hopcost vs`: each run is a pair, frozen and not. A section of the page.

Servers that run already go on running while others are loaded. The figures that a frozen neighbour gives are the truth
here; `plan/method.py` has the largest change as `not_frozen_bias`.
"""

from __future__ import annotations

import math
import random
from functools import partial

from hopcost.errors import MeasurementFailed
from hopcost.plan.method import METHOD
from hopcost.report.formats.json_schema import ReportedExperiment
from hopcost.statistics.intervals import Interval
from tools.truth.form import Runs
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, median_interval, unfinished, within
from tools.truth.runs import VERDICTS_STEAL_MOST, closed_loop, compared_arms
from tools.truth.sections.versus.servers import go_server, run_versus

SECTION = "not-freezing"
RUNS = Runs(full=15, short=2)
TIME_S, RUN_S = 30.0, 75.0  # of one of the pair; of the pair with all around it
HEAP_MIB, BURNS = 200, 0.10
NEIGHBOURS: dict[str, tuple[int, float]] = {  # heap of the second server, and what burns beside it
    "itself": (0, 0.0),
    "a heavy collector": (HEAP_MIB, 0.0),
    "a 10 % burner": (0, BURNS),
}
MOST = 0.05  # change of any figure, in the median run
FIGURES = ("rate", "cpu", "ratio")
COLUMNS = ["beside", "done:", "its throughput:", "its CPU:", "the ratio:", "voided:", "holds"]


def run(name: str, number: int) -> Figures:
    """The plain server beside a neighbour, frozen and not in a random order: how its figures change, as logarithms.

    A run that is voided without freezing has no figures; it is counted.
    """
    heap_mib, burns = NEIGHBOURS[name]
    orders = [["--freeze"], []]
    random.Random(number).shuffle(orders)
    told: dict[bool, dict[str, float] | None] = {}
    with go_server() as plain, go_server(heap_mib, burns) as neighbour:
        for options in orders:
            try:
                experiment, _ = run_versus([plain, neighbour], TIME_S, "--seed", number, *options)
            except MeasurementFailed as error:
                if options or "of a core while others were loaded" not in error.message:
                    raise
                told[False] = None
            else:
                told[bool(options)] = figures_of(experiment)
    return change(told[True], told[False])


def figures_of(experiment: ReportedExperiment) -> dict[str, float]:
    """Throughput and CPU per request of the plain server, and the other's throughput ÷ its own."""
    plain = next(arm for arm in experiment.arms if arm.name == experiment.baseline)
    (other,) = compared_arms(experiment)
    comparison = closed_loop(other, "throughput")
    cpu = [ns for hop, ns in plain.cpu_ns_per_request.items() if hop != "generator"]
    if comparison is None or comparison.ratio is None or not plain.throughput_per_s or len(cpu) != 1 or not cpu[0]:
        raise MeasurementFailed("hopcost vs gave no figures of the plain server")
    return {"rate": plain.throughput_per_s, "cpu": float(cpu[0]), "ratio": comparison.ratio.value}


def change(frozen: dict[str, float] | None, running: dict[str, float] | None) -> Figures:
    """ln(not frozen ÷ frozen) of each figure; 0 and `voided` if there is none."""
    if frozen is None or running is None:
        return {"voided": 1.0, **dict.fromkeys(FIGURES, 0.0)}
    return {"voided": 0.0, **{name: math.log(running[name] / frozen[name]) for name in FIGURES}}


def verdict(wanted: int, runs: list[Figures]) -> str:
    """By the interval of each figure's median change; voided runs mislead nobody."""
    if len(runs) < wanted:
        return unfinished(len(runs), wanted)
    counted = [figures for figures in runs if not figures["voided"]]
    words = {within(changed(counted, name), MOST) for name in FIGURES} if counted else {"yes"}
    return next(word for word in ("no", "undecided", "yes") if word in words)


def changed(runs: list[Figures], name: str) -> Interval | None:
    """Not frozen ÷ frozen: the median over pairs with its interval."""
    return median_interval([math.exp(figures[name]) for figures in runs])


class NotFreezing(Section):
    """Pairs of runs beside three neighbours."""

    key = SECTION
    heading = "# Not freezing"
    asks = "Servers that run on while others are loaded have the figures that they have when all others stand still"
    tells = ("its throughput", "its CPU", "the ratio")
    short_s = None

    def cases(self) -> list[Case]:
        """A case for each neighbour."""
        settings: dict[str, object] = {"time_s": TIME_S, "heap_mib": HEAP_MIB, "burns": BURNS, "method": METHOD.number}
        wanted = RUNS.of(self.form)
        return [
            Case(SECTION, name, partial(run, name), wanted, settings, VERDICTS_STEAL_MOST, seconds=RUN_S)
            for name in NEIGHBOURS
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each neighbour."""
        wanted = RUNS.of(self.form)
        rows, words = [], []
        for name in NEIGHBOURS:
            runs = done.of(SECTION, name)
            words.append(verdict(wanted, runs))
            rows.append([name, *_cells(runs, wanted), words[-1]])
        return [Part([_prose(wanted)], COLUMNS, rows, words)]


def _prose(wanted: int) -> str:
    return (
        "`hopcost vs` of a plain Go server and a neighbour, both on the first core, twice in a random order: with"
        f" `--freeze` and without, {TIME_S:g} s each. The neighbour is the same server, one with {HEAP_MIB} MiB of"
        f" small objects to collect, or one beside which a program burns {100 * BURNS:g} % of the core. Shown is by"
        " how much the plain server's throughput, its CPU time per request and the ratio of both servers change without"
        f" freezing, as median [95 % interval] over {wanted} pairs. A row holds if the whole interval of each median is"
        f" within ±{100 * MOST:g} %, does not if one is beyond, and is undecided else. *Voided*: the"
        f" neighbour used more than {100 * METHOD.max_background_share:g} % of a core meanwhile, so that hopcost gave"
        " no figures."
    )


def _cells(runs: list[Figures], wanted: int) -> list[str]:
    counted = [figures for figures in runs if not figures["voided"]]
    cells = [_percent(changed(counted, name)) for name in FIGURES]
    return [f"{len(runs)} of {wanted}", *cells, str(len(runs) - len(counted))]


def _percent(change: Interval | None) -> str:
    """`+0.6 % [−1.5, +2.1]`; empty without an interval."""
    if change is None or change.low is None or change.high is None:
        return ""
    low, value, high = (f"{100 * (end - 1):+.1f}".replace("-", "−") for end in (change.low, change.value, change.high))
    return f"{value} % [{low}, {high}]"
