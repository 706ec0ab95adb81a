"""How narrow ranges of slices are beside those of long runs of wrk. A section of the truth's page.

The other protocol is the articles': runs of 30 s, one arm after another, every one started anew and never frozen.
"""

from __future__ import annotations

import itertools
import math
import random
import statistics as plain
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec
from scipy.special import stdtrit

from hopcost.errors import MeasurementFailed
from hopcost.measure.load import peer
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record import reader
from hopcost.record.contents.block import Block
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.figures import throughput
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, median, unfinished
from tools.truth.plans import hop, plan_of, suite_text
from tools.truth.runs import VERDICTS_STEAL_MOST, half_width, run_suite
from tools.truth.sections.agreement.both_ways import stack_alone

SECTION = "beside-wrk"
SLICED_RUNS, PASSES = 2, 4
SLICED_S, LONG_S, WARM_UP_S = 240.0, 30, 2
LEVEL_ERROR = 0.05
# A run ends early if an interval is narrow or clear of the margin. With the least of both the whole time is used.
WHOLE_TIME = ("--precision", 0.05, "--margin", 0.1)
NGINX, GO = hop("nginx"), hop("go-hello")
LINKS = ("http+tcp", "http+unix", "fastcgi+tcp", "fastcgi+unix")
BEHIND_NGINX = {f"nginx-{link.replace('+', '-')}": [NGINX, hop("go-hello", link)] for link in LINKS}
PROXIES = {name: [hop(name), GO] for name in ("nginx", "haproxy", "caddy", "varnish", "go-proxy")}
SETS = {"nginx-go": {"go": [GO], **BEHIND_NGINX}, "proxies": {"go": [GO], **PROXIES}}
COLUMNS = ["suite", "arm", "by slices:", "by wrk:", "quotient:", "wrk for the same, min:", "holds"]


def suite(name: str) -> str:
    """The arms of the suite's experiment on one core, over TCP, without the open loop."""
    return suite_text(name, SETS[name])


def by_slices(name: str, number: int) -> Figures:
    """By arm: half-widths of 95 % intervals, each by itself, of throughput to the baseline's."""
    keep = f"{SECTION}-{name}-{number}"
    _, seconds, figures = run_suite(suite(name), SLICED_S, plain_widths, *WHOLE_TIME, "--seed", number, keep=keep)
    return {**figures, "seconds": round(seconds, 2)}


def plain_widths(folder: Path) -> Figures:
    """Out of a record: the same interval that the other protocol gets, 95 % and neither for several looks nor arms."""
    content = reader.read_record(folder)
    return widths_of(content.plan.experiments[0], content.blocks)


def widths_of(experiment: PlannedExperiment, blocks: Sequence[Block]) -> Figures:
    """Half-widths by arm, without the baseline's second run. MeasurementFailed if an arm has no interval."""
    arms, half_widths = PairedBlocks(experiment, blocks), {}
    for arm in experiment.arms:
        if arm.name != experiment.baseline and arm.copy_of is None:
            half_widths[arm.name] = half_width(arms.ratio(arm.name, throughput, LEVEL_ERROR))
    if not all(map(math.isfinite, half_widths.values())):
        raise MeasurementFailed(f"an arm has no interval: {half_widths}")
    return half_widths


def by_wrk(name: str, number: int) -> Figures:
    """A pass: answers per second of each arm, one run of wrk each, in shuffled order."""
    experiment = plan_of(suite(name), name, number).experiments[0]
    arms = list(SETS[name])
    return {arm: loaded_by_wrk(experiment, arm) for arm in random.Random(number).sample(arms, len(arms))}


def loaded_by_wrk(experiment: PlannedExperiment, arm: str) -> float:
    """Answers per second that wrk counts of one arm, after a warm-up; MeasurementFailed if one was wrong."""
    with stack_alone(experiment, arm) as stack:
        drive = peer.driver(*peer.find("wrk"), stack, experiment.cores.generator)
        load = peer.to_load(experiment.workload, peer.url_of(stack, experiment.workload.target))
        for seconds in (WARM_UP_S, LONG_S):
            run = drive(msgspec.structs.replace(load, seconds=seconds), 3 * LONG_S)
            if run.errors or not run.answers:
                raise MeasurementFailed(f"{arm} under wrk: {run.answers} answers, errors {run.errors}")
    return run.answers * 1e9 / run.elapsed_ns


def deviation(passes: Sequence[Figures], arm: str, baseline: str) -> float | None:
    """The standard deviation of the logarithm of the two arms' ratio, over passes; None with fewer than two."""
    logs = [math.log(figures[arm] / figures[baseline]) for figures in passes]
    return plain.stdev(logs) if len(logs) > 1 else None


def width_of_two(spread: float, passes: int) -> float:
    """The half-width that two passes have at their best: with the deviation, and its degrees of freedom, of them all.

    >>> round(width_of_two(0.1, passes=4), 3)
    0.225
    """
    return float(stdtrit(passes - 1, 1 - LEVEL_ERROR / 2)) * spread / math.sqrt(2)


def passes_for(width: float, spread: float) -> int:
    """How many passes Student's interval needs for this half-width.

    >>> passes_for(0.1, spread=0.1), passes_for(0.01, spread=0.1)
    (7, 387)
    """
    quantile = 1 - LEVEL_ERROR / 2
    return next(n for n in itertools.count(2) if stdtrit(n - 1, quantile) * spread / math.sqrt(n) <= width)


class BesideWrk(Section):
    """The five arms of nginx-go, and the proxies."""

    key = SECTION
    heading = "# Beside long runs of wrk"
    asks = "Ranges of slices are at most half as wide as those of wrk's long runs in as much time"
    tells = ("quotient",)

    def cases(self) -> list[Case]:
        """Whole runs, and passes over all arms."""
        sliced: dict[str, object] = {"method": METHOD.number, "time_s": SLICED_S}
        passes: dict[str, object] = {"generator": "wrk", "seconds": LONG_S, "warm_up_s": WARM_UP_S}
        return [
            case
            for name in SETS
            for case in (
                Case(SECTION, f"{name} by slices", partial(by_slices, name), SLICED_RUNS, sliced, VERDICTS_STEAL_MOST),
                Case(SECTION, f"{name} by wrk", partial(by_wrk, name), PASSES, passes),
            )
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each arm but the baseline."""
        prose = (
            "All arms on one core, without the open loop, 64 connections. By slices: a run of"
            f" {SLICED_S:g} s, the median of {SLICED_RUNS} such runs. By wrk: {PASSES} passes of runs of {LONG_S} s,"
            " one arm after another in shuffled order, each started anew and never frozen. Half-widths of 95 %"
            f" intervals of throughput to Go's, each by itself. In {SLICED_S:g} s wrk has not two runs of each arm:"
            f" it is given two, and the standard deviation of all {PASSES} passes. The slices' must be at most half"
            " as wide. *wrk for the same*: how long its runs of all arms take until Student's interval, by that"
            " deviation, is as narrow as the slices'; without starts and warm-ups."
        )
        cells = [_cells(name, arm, done) for name, arms in SETS.items() for arm in list(arms)[1:]]
        return [Part([prose], COLUMNS, cells, [row[-1] for row in cells])]


def _cells(name: str, arm: str, done: Sorted) -> list[str]:
    """The row of one arm."""
    runs, passes = done.of(SECTION, f"{name} by slices"), done.of(SECTION, f"{name} by wrk")
    spread = deviation(passes, arm, next(iter(SETS[name])))
    if len(runs) < SLICED_RUNS or len(passes) < PASSES or spread is None:
        return [name, arm, "", "", "", "", unfinished(len(runs) + len(passes), SLICED_RUNS + PASSES)]
    own, long = median(runs, arm), width_of_two(spread, len(passes))
    minutes = passes_for(own, spread) * len(SETS[name]) * LONG_S / 60
    shown = [f"{own * 100:.1f} %", f"{long * 100:.1f} %", f"{own / long:.2f}", f"{minutes:.0f}"]
    return [name, arm, *shown, "yes" if own <= long / 2 else "no"]
