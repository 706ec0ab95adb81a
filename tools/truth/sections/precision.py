"""How soon intervals are narrow, and how much narrower than those of long runs in turn. A section of docs/truth.md.

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

from hopcost import comparison, doctor_spread, record
from hopcost.method import METHOD
from hopcost.plan import PlannedExperiment
from hopcost.statistics import Interval, ratio
from tools.truth.kept import Kept, aside
from tools.truth.lines import FOLDER, Case, Figures, Sorted, median, row
from tools.truth.runs import SPEEDS, VERDICTS_STEAL_MOST, Experiment, read_nothing, run_suite
from tools.truth.sections import slices

SECTION = "precision"
PAIR_RUNS, FIVE_RUNS, PASSES = 4, 2, 4
TARGET = 0.01
QUIET_SPREAD, QUIET_S, NOISY_TIMES = 0.08, 60.0, 1.5
BUDGET_MOST_S = 900.0
NEVER_S = 1e6  # stands for no prediction
FIVE_S, LONG_S = 240.0, 30.0
FIVE = """
name = "five"
title = "The arms of nginx-go"
[arms.go]
hops = [{ program = "go-hello", link = "http+tcp" }]
[arms.nginx-http-tcp]
hops = [{ program = "nginx", link = "http+tcp" }, { program = "go-hello", link = "http+tcp" }]
[arms.nginx-http-unix]
hops = [{ program = "nginx", link = "http+tcp" }, { program = "go-hello", link = "http+unix" }]
[arms.nginx-fastcgi-tcp]
hops = [{ program = "nginx", link = "http+tcp" }, { program = "go-hello", link = "fastcgi+tcp" }]
[arms.nginx-fastcgi-unix]
hops = [{ program = "nginx", link = "http+tcp" }, { program = "go-hello", link = "fastcgi+unix" }]
[[experiments]]
name = "one-core"
question = "How narrow in four minutes?"
baseline = "go"
arms = ["go", "nginx-http-tcp", "nginx-http-unix", "nginx-fastcgi-tcp", "nginx-fastcgi-unix"]
placement = "one-core"
open_loop = false
"""
LEVEL_ERROR = 0.05
# A run ends early where an interval is clear of the margin, however wide. With the least margin the baseline's own
# second run, whose ratio is 1, must come within the target; with the least target the whole time is used.
LEAST_MARGIN, LEAST_TARGET = ("--margin", 0.1), ("--target", 0.05)
PAIRS = {
    "origin beside itself": ('{ program = "origin", link = "http+tcp" }', '{ program = "origin", link = "http+tcp" }'),
    "nginx before go over TCP and over a Unix socket": (
        '{ program = "nginx", link = "http+tcp" }, { program = "go-hello", link = "http+tcp" }',
        '{ program = "nginx", link = "http+tcp" }, { program = "go-hello", link = "http+unix" }',
    ),
}


def cases() -> list[Case]:
    """Pairs of arms, five arms by slices, and the same five one after another."""
    method: dict[str, object] = {"method": METHOD}
    steal = VERDICTS_STEAL_MOST
    found = [Case(SECTION, name, partial(run_pair, name), PAIR_RUNS, method, steal, is_decided) for name in PAIRS]
    found.append(Case(SECTION, "five arms", run_five, FIVE_RUNS, {**method, "budget_s": FIVE_S}, steal))
    found.append(Case(SECTION, "one after another", one_after_another, PASSES, {"seconds": LONG_S}))
    return found


KEPT = Kept(FOLDER / "precision.jsonl", cases)


def suite(name: str) -> str:
    """The two arms, one core for the stack."""
    arms = "".join(f"[arms.{arm}]\nhops = [{hops}]\n" for arm, hops in zip(("one", "other"), PAIRS[name], strict=True))
    return (
        f'name = "precision"\ntitle = "Two arms"\n{arms}[[experiments]]\nname = "two"\nquestion = "How far apart?"\n'
        'baseline = "one"\narms = ["one", "other"]\nplacement = "one-core"\nopen_loop = false\n'
    )


def allowed_s(spread: float, predicted_s: float) -> float:
    """How long ±1 % may take; no prediction (infinite) allows the longest run.

    >>> allowed_s(0.07, 100), allowed_s(0.08, 100), allowed_s(0.08, math.inf)
    (60.0, 150.0, 900.0)
    """
    return QUIET_S if spread < QUIET_SPREAD else min(BUDGET_MOST_S, max(QUIET_S, NOISY_TIMES * predicted_s))


def run_pair(name: str, number: int) -> Figures:
    """Two arms in the time that the spread of pairs just before allows."""
    look = doctor_spread.look()
    predicted_s = look.forecast.seconds if look.forecast is not None else math.inf
    budget = allowed_s(look.throughput, predicted_s)
    options, keep = (*LEAST_MARGIN, "--seed", number), f"{name}-{number}".replace(" ", "-")
    experiment, seconds, _ = run_suite(suite(name), budget, read_nothing, *options, keep=keep)
    figures = {"spread": look.throughput, "predicted_s": min(predicted_s, NEVER_S), "allowed_s": budget}
    return {**figures, "seconds": round(seconds, 2), "blocks": experiment.blocks, **widths(experiment, "other")}


def widths(experiment: Experiment, arm: str) -> Figures:
    """Half-widths of the printed intervals of an arm in the closed loop; -1 where there is none."""
    found: Figures = {
        "stopped_on_precision": float(experiment.ending is not None and experiment.ending.why == "precision")
    }
    for name in SPEEDS:
        each = experiment.of(arm).of(name)
        width = each.ratio.half_width() if each is not None and each.ratio is not None else math.inf
        found[f"{name}_width"] = width if math.isfinite(width) else -1.0
    return found


def is_narrow(figures: Figures) -> bool:
    """Whether both intervals reached the target in the time allowed."""
    return all(0 <= figures[f"{name}_width"] <= TARGET for name in SPEEDS)


def run_five(number: int) -> Figures:
    """Five arms by slices: half-widths of 95 % intervals, each by itself, of the arms' throughput to the baseline's."""
    options, keep = (*LEAST_TARGET, *LEAST_MARGIN, "--seed", number), f"five-{number}"
    _, seconds, found = run_suite(FIVE, FIVE_S, plain_widths, *options, keep=keep)
    return {**found, "seconds": round(seconds, 2)}


def plain_widths(folder: Path) -> Figures:
    """Out of a record: the same interval that the other protocol gets, 95 % and neither for several looks nor arms."""
    content = record.read(folder)
    return widths_of(content.plan.experiments[0], content.blocks)


def widths_of(experiment: PlannedExperiment, blocks: Sequence[record.Block]) -> Figures:
    """Half-widths by arm, without the baseline's second run."""
    arms, found = comparison.Arms(experiment, blocks), {}
    for arm in experiment.arms:
        if arm.name != experiment.baseline and arm.copy_of is None:
            found[arm.name] = _width(arms.ratio(arm.name, comparison.throughput, LEVEL_ERROR))
    return found


def one_after_another(number: int) -> Figures:
    """Answers per second of each of the five arms, a run of 30 s each, in shuffled order."""
    experiment = slices.plan_of("nginx-go", "one-core", number).experiments[0]
    names = [arm.name for arm in experiment.arms if arm.copy_of is None]
    return {
        name: slices.alone(experiment, name, LONG_S).throughput
        for name in random.Random(number).sample(names, len(names))
    }


def long_runs_width(passes: Sequence[Figures], arm: str, baseline: str) -> float | None:
    """The half-width that 30 s runs have after 240 s, at its best.

    In 240 s fit eight runs: 1.6 passes over five arms. No interval can be had from 1.6 pairs, so they are given two,
    which take 300 s, and the standard deviation of all passes that were ever made: Student's t with its degrees of
    freedom over the square root of two. None with fewer than two passes.
    """
    if len(passes) < 2:
        return None
    logs = [math.log(each[arm] / each[baseline]) for each in passes]
    return float(stdtrit(len(logs) - 1, 1 - LEVEL_ERROR / 2)) * plain.stdev(logs) / math.sqrt(2)


def two_passes_width(passes: Sequence[Figures], arm: str, baseline: str) -> float | None:
    """The half-width as it really comes out of two passes, median over neighbouring ones; None with fewer."""
    found = [
        _width(ratio([one[arm], other[arm]], [one[baseline], other[baseline]], LEVEL_ERROR))
        for one, other in itertools.pairwise(passes)
    ]
    return plain.median(found) if found else None


def _width(interval: Interval | None) -> float:
    width = interval.half_width if interval is not None else None
    return math.inf if width is None else width


def section(done: Sorted) -> tuple[list[str], bool]:
    """The lines of the page, and whether all of them hold."""
    pairs, holds_pairs = _pairs(done)
    five, holds_five = _five(done)
    return ["# Narrow in time", "", *pairs, "", *five, "", *aside(done)], holds_pairs and holds_five


def _pairs(done: Sorted) -> tuple[list[str], bool]:
    lines = [
        "Two arms, one core for the stack, 64 connections. The printed intervals of throughput and CPU per request"
        f" must be within ±{TARGET * 100:g} % after {QUIET_S:g} s where the spread of pairs (`hopcost doctor"
        f" --spread`, just before) is below {QUIET_SPREAD * 100:g} %, else after {NOISY_TIMES:g} × the time that it"
        f" predicts, {BUDGET_MOST_S:g} s at most (*never*: not within the last look, as it says). It holds where"
        " more than half of the runs do.",
        "",
        "| arms | run | spread of pairs | predicted, s | allowed | taken | blocks | ± throughput | ± CPU | within |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for name in PAIRS:
        lines += [_pair_row(name, number, each) for number, each in enumerate(done.of(SECTION, name), start=1)]
    words = {name: pair_verdict(done.of(SECTION, name)) for name in PAIRS}
    lines += ["", "Holds: " + "; ".join(f"{name}: {word}" for name, word in words.items()) + "."]
    return lines, set(words.values()) == {"yes"}


def _pair_row(name: str, number: int, run: Figures) -> str:
    predicted = "never" if run["predicted_s"] >= NEVER_S else f"{run['predicted_s']:.0f}"
    seconds = [f"{run[key]:.0f}" for key in ("allowed_s", "seconds", "blocks")]
    widths = [f"{run[f'{figure}_width'] * 100:.2f} %" if run[f"{figure}_width"] >= 0 else "–" for figure in SPEEDS]
    spread = f"{run['spread'] * 100:.1f} %"
    return row([name, str(number), spread, predicted, *seconds, *widths, "yes" if is_narrow(run) else "no"])


def is_decided(runs: Sequence[Figures]) -> bool:
    """Whether the runs to come cannot change the verdict."""
    narrow = sum(map(is_narrow, runs))
    return narrow > PAIR_RUNS / 2 or len(runs) - narrow >= PAIR_RUNS / 2


def pair_verdict(runs: Sequence[Figures]) -> str:
    """Whether more than half of the runs were narrow in time."""
    if not is_decided(runs):
        return f"unfinished: {len(runs)} of {PAIR_RUNS} runs"
    return "yes" if sum(map(is_narrow, runs)) > PAIR_RUNS / 2 else "no"


def _five(done: Sorted) -> tuple[list[str], bool]:
    """Five arms by slices beside long runs in turn."""
    runs, passes = done.of(SECTION, "five arms"), done.of(SECTION, "one after another")
    arms = [name for name in (runs[0] if runs else {}) if name != "seconds"]
    baseline = next((name for name in (passes[0] if passes else {}) if name not in arms), "")
    lines = [
        f"Five arms (those of nginx-go, one-core, without the open loop) in {FIVE_S:g} s, {len(runs)} of {FIVE_RUNS}"
        f" done, beside runs of {LONG_S:g} s one after another, {len(passes)} of {PASSES} passes done. Half-widths of"
        f" 95 % intervals of throughput to {baseline or 'the baseline'}, each by itself. Eight such runs fit into"
        f" {FIVE_S:g} s, which is no two for each arm: they are given two each, and the standard deviation of all"
        " passes (with only two values the interval is the one in the last column but one). The slices' must be at"
        " most half as wide.",
        "",
        "| arm | by slices | long runs | quotient | long runs, their own two | holds |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    words = []
    for arm in arms:
        own, other, two = median(runs, arm), *(of(passes, arm, baseline) for of in (long_runs_width, two_passes_width))
        complete = len(runs) >= FIVE_RUNS and len(passes) >= PASSES
        if other is None or two is None or not complete:
            words.append("unfinished")
        else:
            words.append("yes" if own <= other / 2 else "no")
        cells = [arm, f"{own * 100:.2f} %"]
        cells += (
            ["", "", ""]
            if other is None or two is None
            else [f"{other * 100:.1f} %", f"{own / other:.2f}", f"{two * 100:.0f} %"]
        )
        lines.append(row([*cells, words[-1]]))
    if not arms:
        lines.append(row(["unfinished", "", "", "", "", f"unfinished: 0 of {FIVE_RUNS} runs"]))
    return lines, bool(words) and all(word == "yes" for word in words)
