"""How soon intervals are narrow, and how much narrower than those of long runs in turn. A section of the truth's page.

The other protocol: runs of 30 s, one arm after another, every one started anew and never frozen.
"""

from __future__ import annotations

import itertools
import math
import random
import statistics as plain
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from scipy.special import stdtrit

from hopcost.measure.protocols.spread import measure_spread
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record import reader
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import StopReason
from hopcost.report.formats.json_schema import ReportedExperiment
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.figures import throughput
from hopcost.statistics.intervals import ratio
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, median, unfinished
from tools.truth.plans import hop, plan_of, suite_text
from tools.truth.runs import SPEEDS, VERDICTS_STEAL_MOST, arm_of, closed_loop, half_width, read_nothing, run_suite
from tools.truth.sections.agreement.both_ways import alone

SECTION = "precision"
PAIR_RUNS, FIVE_RUNS, PASSES = 4, 2, 4
TARGET = 0.01
QUIET_SPREAD, QUIET_S, NOISY_TIMES = 0.08, 60.0, 1.5
TIME_MOST_S = 900.0
NEVER_S = 1e6  # stands for no prediction
FIVE_S, LONG_S = 240.0, 30.0
NGINX, GO = hop("nginx"), hop("go-hello")
LINKS = ("http+tcp", "http+unix", "fastcgi+tcp", "fastcgi+unix")
BEHIND_NGINX = {f"nginx-{link.replace('+', '-')}": [NGINX, hop("go-hello", link)] for link in LINKS}
FIVE = suite_text("five", {"go": [GO], **BEHIND_NGINX})
PAIR_COLUMNS = ["arms", "run:", "spread of pairs:", "predicted, s:", "allowed:", "taken:", "blocks:", "± predicted:"]
PAIR_COLUMNS += ["± throughput:", "± CPU:", "within"]
FIVE_COLUMNS = ["arm", "by slices:", "long runs:", "quotient:", "long runs, their own two:", "holds"]
LEVEL_ERROR = 0.05
# A run ends early if an interval is clear of the margin, however wide. With the least margin the baseline's own
# second run, whose ratio is 1, must come within the target; with the least target the whole time is used.
LEAST_MARGIN, LEAST_PRECISION, TO_TARGET = ("--margin", 0.1), ("--precision", 0.05), ("--precision", 100 * TARGET)
PAIRS = {
    "origin beside itself": ([hop("origin")], [hop("origin")]),
    "nginx before go over TCP and over a Unix socket": ([NGINX, GO], [NGINX, hop("go-hello", "http+unix")]),
}


def suite(name: str) -> str:
    """The two arms, one core for the stack."""
    return suite_text("precision", dict(zip(("one", "other"), PAIRS[name], strict=True)))


def allowed_s(spread: float, predicted_s: float) -> float:
    """How long ±1 % may take; no prediction (infinite) allows the longest run.

    >>> allowed_s(0.07, 100), allowed_s(0.08, 100), allowed_s(0.08, math.inf)
    (60.0, 150.0, 900.0)
    """
    return QUIET_S if spread < QUIET_SPREAD else min(TIME_MOST_S, max(QUIET_S, NOISY_TIMES * predicted_s))


def for_target_s(predicted_s: float, precision: float = METHOD.precision) -> float:
    """A prediction of a run's own precision, for the target of this section: time goes as one over the square.

    >>> for_target_s(20.0, precision=0.03)
    180.0
    """
    return round(predicted_s * (precision / TARGET) ** 2, 6)


def predicted_width(predicted_s: float, seconds: float) -> float:
    """The half-width that a prediction for the target of this section gives for a run of so many seconds.

    >>> predicted_width(900.0, 225.0)
    0.02
    """
    return TARGET * math.sqrt(predicted_s / seconds)


def run_pair(name: str, number: int) -> Figures:
    """Two arms in the time that the spread of pairs just before allows."""
    look = measure_spread()
    predicted_s = for_target_s(look.forecasts[0].seconds)
    allowed = allowed_s(look.throughput, predicted_s)
    options, keep = (*TO_TARGET, *LEAST_MARGIN, "--seed", number), f"{name}-{number}".replace(" ", "-")
    experiment, seconds, _ = run_suite(suite(name), allowed, read_nothing, *options, keep=keep)
    figures = {"spread": look.throughput, "predicted_s": min(predicted_s, NEVER_S), "allowed_s": allowed}
    return {**figures, "seconds": round(seconds, 2), "blocks": experiment.blocks, **widths(experiment, "other")}


def widths(experiment: ReportedExperiment, arm: str) -> Figures:
    """Half-widths of the printed intervals of an arm in the closed loop; -1 where there is none."""
    figures: Figures = {
        "stopped_on_precision": float(experiment.ending is not None and experiment.ending.why == StopReason.PRECISION)
    }
    for name in SPEEDS:
        beside = closed_loop(arm_of(experiment, arm), name)
        width = half_width(beside.ratio if beside is not None else None)
        figures[f"{name}_width"] = width if math.isfinite(width) else -1.0
    return figures


def is_narrow(figures: Figures) -> bool:
    """Whether both intervals reached the target in the time allowed."""
    return all(0 <= figures[f"{name}_width"] <= TARGET for name in SPEEDS)


def run_five(number: int) -> Figures:
    """Five arms by slices: half-widths of 95 % intervals, each by itself, of the arms' throughput to the baseline's."""
    options, keep = (*LEAST_PRECISION, *LEAST_MARGIN, "--seed", number), f"five-{number}"
    _, seconds, figures = run_suite(FIVE, FIVE_S, plain_widths, *options, keep=keep)
    return {**figures, "seconds": round(seconds, 2)}


def plain_widths(folder: Path) -> Figures:
    """Out of a record: the same interval that the other protocol gets, 95 % and neither for several looks nor arms."""
    content = reader.read_record(folder)
    return widths_of(content.plan.experiments[0], content.blocks)


def widths_of(experiment: PlannedExperiment, blocks: Sequence[Block]) -> Figures:
    """Half-widths by arm, without the baseline's second run."""
    arms, half_widths = PairedBlocks(experiment, blocks), {}
    for arm in experiment.arms:
        if arm.name != experiment.baseline and arm.copy_of is None:
            half_widths[arm.name] = half_width(arms.ratio(arm.name, throughput, LEVEL_ERROR))
    return half_widths


def one_after_another(number: int) -> Figures:
    """Answers per second of each of the five arms, a run of 30 s each, in shuffled order."""
    experiment = plan_of("nginx-go", "one-core", number).experiments[0]
    names = [arm.name for arm in experiment.arms if arm.copy_of is None]
    return {
        name: alone(experiment, name, LONG_S).throughput for name in random.Random(number).sample(names, len(names))
    }


def long_runs_width(passes: Sequence[Figures], arm: str, baseline: str) -> float | None:
    """The half-width that 30 s runs have after 240 s, at its best.

    In 240 s fit eight runs: 1.6 passes over five arms. No interval can be had from 1.6 pairs, so they are given two,
    which take 300 s, and the standard deviation of all passes that were ever made: Student's t with its degrees of
    freedom over the square root of two. None with fewer than two passes.
    """
    if len(passes) < 2:
        return None
    logs = [math.log(figures[arm] / figures[baseline]) for figures in passes]
    return float(stdtrit(len(logs) - 1, 1 - LEVEL_ERROR / 2)) * plain.stdev(logs) / math.sqrt(2)


def two_passes_width(passes: Sequence[Figures], arm: str, baseline: str) -> float | None:
    """The half-width as it really comes out of two passes, median over neighbouring ones; None with fewer."""
    widths = [
        half_width(ratio([earlier[arm], other[arm]], [earlier[baseline], other[baseline]], LEVEL_ERROR))
        for earlier, other in itertools.pairwise(passes)
    ]
    return plain.median(widths) if widths else None


def _pair_row(name: str, number: int, run: Figures) -> list[str]:
    predicted, width = "never", "–"
    if run["predicted_s"] < NEVER_S:
        predicted = f"{run['predicted_s']:.0f}"
        width = f"{predicted_width(run['predicted_s'], run['seconds']) * 100:.2f} %"
    seconds = [f"{run[key]:.0f}" for key in ("allowed_s", "seconds", "blocks")]
    widths = [f"{run[f'{figure}_width'] * 100:.2f} %" if run[f"{figure}_width"] >= 0 else "–" for figure in SPEEDS]
    spread = f"{run['spread'] * 100:.1f} %"
    return [name, str(number), spread, predicted, *seconds, width, *widths, "yes" if is_narrow(run) else "no"]


def is_decided(runs: Sequence[Figures]) -> bool:
    """Whether the runs to come cannot change the verdict."""
    narrow = sum(map(is_narrow, runs))
    return narrow > PAIR_RUNS / 2 or len(runs) - narrow >= PAIR_RUNS / 2


def pair_verdict(runs: Sequence[Figures]) -> str:
    """Whether more than half of the runs were narrow in time."""
    if not is_decided(runs):
        return unfinished(len(runs), PAIR_RUNS)
    return "yes" if sum(map(is_narrow, runs)) > PAIR_RUNS / 2 else "no"


class Precision(Section):
    """Pairs of arms, five arms by slices, and the same five one after another."""

    key = SECTION
    heading = "# Narrow in time"
    asks = "Ranges are narrow as soon as promised"
    tells = ("± throughput", "± CPU", "quotient")

    def cases(self) -> list[Case]:
        """Whole runs, and passes over five arms."""
        method: dict[str, object] = {"method": METHOD.number}
        steal = VERDICTS_STEAL_MOST
        pairs = [Case(SECTION, name, partial(run_pair, name), PAIR_RUNS, method, steal, is_decided) for name in PAIRS]
        return [
            *pairs,
            Case(SECTION, "five arms", run_five, FIVE_RUNS, {**method, "time_s": FIVE_S}, steal),
            Case(SECTION, "one after another", one_after_another, PASSES, {"seconds": LONG_S}),
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """Pairs run by run, and the five arms."""
        return [_pairs(done), _five(done)]


def _pairs(done: Sorted) -> Part:
    prose = (
        "Two arms, one core for the stack, 64 connections. The printed intervals of throughput and CPU per request"
        f" must be within ±{TARGET * 100:g} % after {QUIET_S:g} s if the spread of pairs (`hopcost doctor"
        f" --spread`, just before) is below {QUIET_SPREAD * 100:g} %, else after {NOISY_TIMES:g} × the time that it"
        f" predicts, {TIME_MOST_S:g} s at most (*never*: not within the last look, as it says). It holds if"
        " more than half of the runs do. *± predicted* is the half-width that the prediction gives for the time taken."
        f" The bars of {QUIET_S:g} s and {TIME_MOST_S:g} s are older than method 3. Its ranges hold that starts of a"
        " stack differ, and its predictions do too. If a prediction is longer than the time allowed, the bar asks for"
        " more than hopcost promises."
    )
    rows = [
        _pair_row(name, number, run) for name in PAIRS for number, run in enumerate(done.of(SECTION, name), start=1)
    ]
    words = {name: pair_verdict(done.of(SECTION, name)) for name in PAIRS}
    after = "Holds: " + "; ".join(f"{name}: {word}" for name, word in words.items()) + "."
    return Part([prose], PAIR_COLUMNS, rows, list(words.values()), [after])


def _five(done: Sorted) -> Part:
    """Five arms by slices beside long runs in turn."""
    runs, passes = done.of(SECTION, "five arms"), done.of(SECTION, "one after another")
    arms = [name for name in (runs[0] if runs else {}) if name != "seconds"]
    baseline = next((name for name in (passes[0] if passes else {}) if name not in arms), "")
    prose = (
        f"Five arms (those of nginx-go, one-core, without the open loop) in {FIVE_S:g} s, {len(runs)} of {FIVE_RUNS}"
        f" done, beside runs of {LONG_S:g} s one after another, {len(passes)} of {PASSES} passes done. Half-widths of"
        f" 95 % intervals of throughput to {baseline or 'the baseline'}, each by itself. Eight such runs fit into"
        f" {FIVE_S:g} s, which is no two for each arm: they are given two each, and the standard deviation of all"
        " passes (with only two values the interval is the one in the last column but one). The slices' must be at"
        " most half as wide."
    )
    rows, words = [], []
    for arm in arms:
        own = median(runs, arm)
        long, two = (width(passes, arm, baseline) for width in (long_runs_width, two_passes_width))
        cells, word = ["", "", ""], "unfinished"
        if long is not None and two is not None:
            cells = [f"{long * 100:.1f} %", f"{own / long:.2f}", f"{two * 100:.0f} %"]
            if len(runs) >= FIVE_RUNS and len(passes) >= PASSES:
                word = "yes" if own <= long / 2 else "no"
        words.append(word)
        rows.append([arm, f"{own * 100:.2f} %", *cells, word])
    if not arms:
        rows.append(["unfinished", "", "", "", "", unfinished(0, FIVE_RUNS)])
    return Part([prose], FIVE_COLUMNS, rows, words)
