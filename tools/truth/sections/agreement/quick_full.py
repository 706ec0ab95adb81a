"""A quick run must read what a full one reads. A section of the truth's page.

Of each suite one arm beside its baseline: a run with `--quick` and one without, one after the other, in an order drawn
for each repeat. Suites are cut down to the two arms, so that the time goes to them.
"""

from __future__ import annotations

import math
import random
import tomllib
from collections.abc import Sequence
from functools import cache, partial

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.programs import receipt
from hopcost.statistics.intervals import Interval
from tools.truth.form import Runs
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, bracketed, unfinished, within
from tools.truth.plans import cut_suite
from tools.truth.runs import VERDICTS_STEAL_MOST, arm_of, closed_loop, read_nothing, run_suite

SECTION = "quick-full"
RUNS = Runs(full=6, short=1)
QUICK_S, FULL_S, REPORTS_S = 25.0, 40.0, 8.0
QUICK, FULL = "quick", "full"
LEAST_PRECISION = ("--precision", 0.05)  # so that the whole time is used
MARGIN = 0.03
COLUMNS = ["suite", "arm", "quick ratio:", "full ratio:", "quick ÷ full:", "repeats:", "within ±3 %"]


class Pick(msgspec.Struct, frozen=True):
    """The arm of a suite that is measured, and the experiment; of a sweep, the value of its point."""

    experiment: str
    arm: str
    value: object = None


PICKS = {
    "nginx-go": Pick("one-core", "nginx-http-unix"),
    "nginx-go-512": Pick("nginx-before-go", "nginx-go", 100),
    "hello": Pick("one-core", "fasthttp"),
    "proxies": Pick("tcp", "haproxy"),
    "nginx-express": Pick("express-pm2", "express-pm2"),
    "work": Pick("one-core", "nginx-tcp", 50),
    "static": Pick("sizes", "go", "/files/1k"),
    "upload": Pick("post", "buffered", 65536),
    "balance": Pick("copies", "over-4"),
    "http2": Pick("streams-nginx", "nginx-http2", 10),
    "worth": Pick("tls-express", "nginx-tls-express"),
}


def suite(name: str) -> str:
    """The shipped suite, cut down to the arm and its baseline, as a suite file. Without the open loop."""
    pick = PICKS[name]
    return cut_suite(name, pick.experiment, pick.arm, pick.value)


@cache
def can_run(name: str) -> bool:
    """Whether all its programs are installed here."""
    arms = tomllib.loads(suite(name))["arms"].values()
    return all(receipt.installed(hop["program"]).path for arm in arms for hop in arm["hops"])


def run(name: str, number: int) -> Figures:
    """Both forms of a run: the ratio of throughput, and the half-width of its interval on the log scale."""
    figures: Figures = {}
    for form in random.Random(f"{name}/{number}").sample([QUICK, FULL], 2):
        options = ("--quick",) if form == QUICK else LEAST_PRECISION
        seconds = QUICK_S if form == QUICK else FULL_S
        keep = f"{SECTION}-{name}-{form}-{number}"
        experiment, _, _ = run_suite(suite(name), seconds, read_nothing, *options, "--seed", number, keep=keep)
        beside = closed_loop(arm_of(experiment, PICKS[name].arm), "throughput")
        ratio = beside.ratio if beside is not None else None
        if ratio is None or ratio.low is None or ratio.high is None or ratio.low <= 0:
            raise MeasurementFailed(f"{name}, {form}: no interval of throughput")
        figures |= {form: ratio.value, f"{form}_log_half": math.log(ratio.high / ratio.low) / 2}
        figures[f"{form}_blocks"] = experiment.blocks
    return figures


def quotient(runs: Sequence[Figures]) -> Interval | None:
    """Quick ÷ full, over repeats: the mean of the logarithms, with the half-widths that the runs themselves gave.

    They are independent, so that their squares add up.
    """
    if not runs:
        return None
    logs = [math.log(figures[QUICK] / figures[FULL]) for figures in runs]
    squares = [figures[f"{form}_log_half"] ** 2 for figures in runs for form in (QUICK, FULL)]
    mean, half = sum(logs) / len(runs), math.sqrt(sum(squares)) / len(runs)
    return Interval(value=math.exp(mean), low=math.exp(mean - half), high=math.exp(mean + half))


class QuickFull(Section):
    """An arm of every suite that can run here."""

    key = SECTION
    heading = "# Quick runs beside full ones"
    asks = "A quick run reads what a full run reads"
    tells = ("quick ÷ full",)
    short_s = 805.0

    def cases(self) -> list[Case]:
        """A pair of runs for each suite."""
        return [
            Case(
                SECTION,
                name,
                partial(run, name),
                RUNS.of(self.form),
                {"quick_s": QUICK_S, "full_s": FULL_S, "suite": suite(name)},
                VERDICTS_STEAL_MOST,
                seconds=QUICK_S + FULL_S + REPORTS_S,
            )
            for name in PICKS
            if can_run(name)
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each suite, and one for all of them together."""
        rows, words, every = [], [], []
        cases = self.cases()
        for case in cases:
            runs = done.of(SECTION, case.name)
            every += runs
            words.append(within(quotient(runs), MARGIN) if len(runs) >= case.runs else unfinished(len(runs), case.runs))
            rows.append([case.name, PICKS[case.name].arm, *_cells(runs), f"{len(runs)} of {case.runs}", words[-1]])
        total = sum(case.runs for case in cases)
        word = within(quotient(every), MARGIN) if len(every) >= total else unfinished(len(every), total)
        together = bracketed(quotient(every), 3)
        rows.append(["all suites", "", "", "", together, f"{len(every)} of {total}", word])
        left_out = [name for name in PICKS if not can_run(name)]
        after = [f"Not here, since programs are missing: {', '.join(left_out)}."] if left_out else []
        return [Part([_prose()], COLUMNS, rows, [*words, word], after)]

    def adds(self, done: Sorted) -> str:
        """All suites together."""
        together = bracketed(quotient([line.figures for line in done.used]), 3)
        return f"All suites together: {together}." if together else ""


def _prose() -> str:
    return (
        f"Of each suite one arm beside its baseline, once with `--quick` in {QUICK_S:g} s and once without in"
        f" {FULL_S:g} s, one after the other. The suites are cut down to these two arms, without the open loop. The"
        f" ratio of throughput by the quick run ÷ that by the full one must be within ±{MARGIN * 100:g} %. Its 95 %"
        " interval comes from those of the two runs, whose half-widths add up in squares. The row holds if the whole"
        f" interval lies within ±{MARGIN * 100:g} %, does not if all of it lies beyond, and is undecided else."
    )


def _cells(runs: Sequence[Figures]) -> list[str]:
    if not runs:
        return ["", "", ""]
    means = [math.exp(sum(math.log(figures[form]) for figures in runs) / len(runs)) for form in (QUICK, FULL)]
    return [*(f"{mean:.3f}" for mean in means), bracketed(quotient(runs), 3)]
