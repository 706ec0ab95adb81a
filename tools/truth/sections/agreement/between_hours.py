"""What another hour changes: the same run of the same suite, again and again, at least an hour apart.

A range is of this machine in its hour. Here the figures of several hours stand side by side: how far they lie apart
beyond what their own ranges explain, and how many of those ranges hold the figure of all hours together.
"""

from __future__ import annotations

import datetime
import math
import statistics
from collections.abc import Sequence

from hopcost.errors import MeasurementFailed
from hopcost.report.formats.json_schema import ReportedExperiment
from hopcost.report.formatting import count
from tools.truth.kept import Kept
from tools.truth.lines import Case, Figures, Line, Sorted, read
from tools.truth.page.part import Part, Section, unfinished
from tools.truth.runs import SPEEDS, VERDICTS_STEAL_MOST, closed_loop, compared_arms, read_nothing, run_suite
from tools.truth.server import say

SECTION = "between-hours"
SUITE, EXPERIMENT = "nginx-go", "one-core"
RUN_S, REPORT_S = 120.0, 8.0
RUNS, COVERS_H = 6, 24.0  # at least
APART_S = 3600.0
HOLD_LEAST = 0.95
# The half-width of a 95 % range in standard errors, for one arm and many starts. With several arms or few starts it has
# more of them: then a run's own error is taken for too large, and what lies between hours for too small.
NORMAL = 1.96
COLUMNS = ["figure", "stack", "all hours:", "± of a run:", "between hours:", "ranges that hold it:", "holds"]


def run(number: int) -> Figures:
    """One run: of each arm's throughput and CPU per request, the ratio to the baseline and the ends of its range."""
    options = (EXPERIMENT, "--seed", number)
    experiment, _, _ = run_suite(SUITE, RUN_S, read_nothing, *options, keep=f"{SECTION}-{number}")
    return counted(experiment)


def counted(experiment: ReportedExperiment) -> Figures:
    """`{arm} {figure}`, and the same with `low` and `high`. MeasurementFailed if a figure has no range."""
    figures: Figures = {}
    for arm in compared_arms(experiment):
        for name in SPEEDS:
            comparison = closed_loop(arm, name)
            ratio = comparison.ratio if comparison is not None else None
            if ratio is None or ratio.low is None or ratio.high is None or ratio.low <= 0:
                raise MeasurementFailed(f"{arm.name}: no interval of {name}")
            key = f"{arm.name} {name}"
            figures |= {key: ratio.value, f"{key} low": ratio.low, f"{key} high": ratio.high}
    return figures


def half_widths(runs: Sequence[Figures], key: str) -> list[float]:
    """Of each run, on the scale of logarithms."""
    return [math.log(figures[f"{key} high"] / figures[f"{key} low"]) / 2 for figures in runs]


def together(runs: Sequence[Figures], key: str) -> float:
    """The figure of all hours: the median of the runs'."""
    return statistics.median(figures[key] for figures in runs)


def between(runs: Sequence[Figures], key: str) -> float | None:
    """The standard deviation between hours, as a share of the figure; None of one run.

    The variance of the runs' figures less the mean of their own variances, at least 0 (Hedges and Olkin, Statistical
    Methods for Meta-Analysis, 1985, chapter 9: the estimator without weights).
    """
    if len(runs) < 2:
        return None
    own = statistics.mean((half / NORMAL) ** 2 for half in half_widths(runs, key))
    return math.sqrt(max(0.0, statistics.variance([math.log(figures[key]) for figures in runs]) - own))


def holding(runs: Sequence[Figures], key: str) -> int:
    """How many ranges hold the figure of all hours."""
    figure = together(runs, key)
    return sum(figures[f"{key} low"] <= figure <= figures[f"{key} high"] for figures in runs)


def moment(time: str) -> datetime.datetime:
    """As lines keep it."""
    return datetime.datetime.fromisoformat(time)


def hours(times: Sequence[str]) -> float:
    """Between the first and the last of these."""
    moments = sorted(map(moment, times))
    return (moments[-1] - moments[0]).total_seconds() / 3600 if moments else 0.0


class Hourly(Kept):
    """Each call adds one run, if the last one that counts began an hour ago or earlier."""

    def measure(self, at_most_s: float) -> None:
        """That run, if it has time. One beside other programs is done again by the next call."""
        (case,) = self.cases()
        done = self.done().used
        now = datetime.datetime.now(datetime.UTC)
        left_s = max((APART_S - (now - moment(line.time)).total_seconds() for line in done), default=0.0)
        if left_s > 0:
            say(f"{SECTION}: the next run is due in {left_s / 60:.0f} min")
        elif case.seconds <= at_most_s:
            self.add(case, len(done))


class BetweenHours(Section):
    """One case, which grows."""

    key = SECTION
    heading = "# Between hours"
    asks = "A range of one hour holds in other hours too"
    tells = ("between hours", "ranges that hold it")
    keeps = Hourly

    def cases(self) -> list[Case]:
        """As many runs as there are, and no fewer than there should be."""
        lines = [line for line in read(self.kept.path, Line) if line.machine == self.kept.machine]
        runs = max([RUNS, *(line.number + 1 for line in lines)])
        settings: dict[str, object] = {"suite": SUITE, "experiment": EXPERIMENT, "run_s": RUN_S}
        return [Case(SECTION, EXPERIMENT, run, runs, settings, VERDICTS_STEAL_MOST, seconds=RUN_S + REPORT_S)]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each arm and figure."""
        runs = [line.figures for line in done.used]
        covered = hours([line.time for line in done.used])
        keys = figures_of(runs)
        words = [verdict(runs, key, covered) for key in keys]
        rows = [[*_cells(runs, key), word] for key, word in zip(keys, words, strict=True)]
        after = [f"{count(len(runs), 'run')} over {covered:.1f} hours."] if runs else []
        return [Part([_prose()], COLUMNS, rows, words or [unfinished(0, RUNS)], after)]

    def adds(self, done: Sorted) -> str:
        """How wide the ranges are that hold it."""
        runs = [line.figures for line in done.used]
        widths = [100 * statistics.median(half_widths(runs, key)) for key in figures_of(runs)]
        return f"The ranges are ±{min(widths):.0f} to {max(widths):.0f} % wide." if widths else ""


def figures_of(runs: Sequence[Figures]) -> list[str]:
    """The names of the figures, without those of their ranges' ends; none if nothing has run."""
    return [key for key in (runs[0] if runs else {}) if not key.endswith((" low", " high"))]


def verdict(runs: Sequence[Figures], key: str, covered: float) -> str:
    """Whether enough of the ranges hold the figure of all hours; unfinished before a day and six runs are over."""
    if len(runs) < RUNS or covered < COVERS_H:
        return f"unfinished: {count(len(runs), 'run')} over {covered:.1f} of {COVERS_H:g} hours"
    return "yes" if holding(runs, key) >= HOLD_LEAST * len(runs) else "no"


def _cells(runs: Sequence[Figures], key: str) -> list[str]:
    arm, _, figure = key.partition(" ")
    spread = between(runs, key)
    return [
        figure,
        arm,
        f"{together(runs, key):.3f}",
        f"{100 * statistics.median(half_widths(runs, key)):.1f} %",
        f"{100 * spread:.1f} %" if spread is not None else "",
        f"{holding(runs, key)} of {len(runs)}",
    ]


def _prose() -> str:
    return (
        f"`hopcost run {SUITE} {EXPERIMENT} --time {RUN_S:g}s`, again and again, at least an hour apart: each call of"
        f" `make truth` adds a run. Ratios to the baseline. *All hours* is the median over the runs, *between hours*"
        " the standard deviation of the runs' figures beyond what their own ranges explain. It is rather too"
        " small: the ranges of a run hold for all stacks together, so that each is wider than one alone would be."
        f" A row holds if at least {HOLD_LEAST:.0%} of the ranges hold the figure of all hours, over {RUNS} runs and"
        f" {COVERS_H:g} hours or more. hopcost promises that for one hour only."
    )
