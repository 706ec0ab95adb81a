"""Ratios by slices against runs of one arm at a time: a section of the truth's page, written by `make truth`.

Each repeat takes blocks of slices over all arms, and for every arm a pair of plain runs, it and the baseline, each
started alone, never frozen, in a shuffled order. Both ways measure after the same warm-up, and for as long. The
quotient of the two ratios is taken within a repeat, so that the machine's drift cancels.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from statistics import geometric_mean

from hopcost.plan.method import METHOD
from hopcost.statistics.intervals import Interval, ratio
from tools.truth.form import Form, Runs
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, bracketed, within
from tools.truth.plans import cut_suite, plan_of
from tools.truth.sections.agreement.both_ways import LOADED_S, WARM_UP_NS, alone, lengths, rounds, sliced, warm_up

SECTION = "slices"
RUNS = Runs(full=10, short=8)
SHORT_RUN_S = 40.0  # a block of three arms, and a pair of plain runs
MARGIN = 0.03
WAYS = ("sliced", "alone")
ALL_ARMS = "all"
COLUMNS = ["case", "arm", "by slices:", "alone:", "quotient:", "of CPU per request:", "repeats:", "within ±3 %"]

INTRODUCTION = f"""\
By slices: a block, all its arms started, all but one frozen, as in a full run. Alone: for each arm a pair of plain
runs, it and the baseline, each started alone and never frozen. Both after {WARM_UP_NS / 1e9:g} s of warm-up, and
{METHOD.warm_up_ns_per_connection / 1e6:g} ms for each connection, and both for as long: {LOADED_S:g} s or two visits
of an arm, settling included. The quotient of the two ratios is taken within each repeat; its interval for
throughput (95 %, Student's t over repeats) must lie within {1 - MARGIN:.2f} to {1 + MARGIN:.2f}. CPU per request is
shown beside it. All cases: the geometric mean of the arms of a repeat, over the repeats of all cases."""
AFTER_ANSWER = """
name = "after-answer"
title = "An origin that keeps working after it has answered"
[arms.origin]
hops = [{ program = "origin", link = "http+tcp" }]
[arms.nginx]
hops = [{ program = "nginx", link = "http+tcp" }, { program = "origin", link = "http+tcp" }]
[[experiments]]
name = "one-core"
question = "Does the work after the answer count where it belongs?"
baseline = "origin"
arms = ["origin", "nginx"]
placement = "one-core"
workload = { target = "/?work-after=50us" }
"""
HEAP = """
name = "heap"
title = "Go with 200 MiB alive, of which each request replaces 16 KiB"
[arms.go]
hops = [{ program = "go-hello", link = "http+tcp" }]
[arms.heap]
hops = [{ program = "go-hello", link = "http+tcp", settings = { heap_mib = 200 } }]
[[experiments]]
name = "one-core"
question = "Does the garbage collector work in the arm's own time?"
baseline = "go"
arms = ["go", "heap"]
placement = "one-core"
"""
# With 1000 connections this arm was furthest off: 1.14 by method 2.
UNIX = cut_suite("nginx-go", "one-core", "nginx-http-unix")


def _name(content: str) -> str:
    return {HEAP: "a heap of 200 MiB", AFTER_ANSWER: "work after the answer", UNIX: "over a Unix socket alone"}.get(
        content, content
    )


def run(content: str, connections: int, number: int) -> Figures:
    """Blocks by slices and a pair of plain runs for each arm, in shuffled order: by way and arm its ratio."""
    planned = plan_of(content, "one-core", number, connections)
    experiment_of = {
        arm.name: experiment
        for experiment in planned.experiments
        for arm in experiment.arms
        if arm.name != experiment.baseline and arm.copy_of is None
    }
    arms, experiment = list(experiment_of), planned.experiments[0]
    shuffle = random.Random(f"{_name(content)}/{connections}/{number}")
    loaded_s = rounds(experiment) * (experiment.settle_ns + experiment.slice_ns) / 1e9
    figures: Figures = {}
    for name in shuffle.sample(["", *arms], len(arms) + 1):
        if not name:
            figures |= sliced(planned, arms)
            continue
        experiment = experiment_of[name]
        pair = {side: alone(experiment, side, loaded_s) for side in shuffle.sample([name, experiment.baseline], 2)}
        own, baseline = pair[name], pair[experiment.baseline]
        figures[f"alone {name}"] = own.throughput / baseline.throughput
        figures[f"alone_cpu {name}"] = own.cpu_ns / baseline.cpu_ns
    return figures


class Slices(Section):
    """nginx-go with few and with many connections, a large heap, and work after the answer."""

    key = SECTION
    heading = "# Slices beside runs of one arm at a time"
    asks = "Turns of half a second read what long runs of one stack alone read"
    tells = ("quotient",)
    short_s = 2 * RUNS.short * SHORT_RUN_S

    def cases(self) -> list[Case]:
        """Suites, and how many connections. The short form has nginx before Go over a Unix socket alone."""
        short = [(UNIX, 64), (UNIX, 1000)]
        full = [("nginx-go", 64), ("nginx-go", 1000), ("nginx-go", 5000), (HEAP, 64), (AFTER_ANSWER, 64)]
        is_short = self.form == Form.SHORT
        return [
            Case(
                SECTION,
                f"{_name(content)}, {connections} connections",
                partial(run, content, connections),
                RUNS.of(self.form),
                {
                    "loaded_s": LOADED_S,
                    "warm_up_s": warm_up(connections).least_ns / 1e9,
                    "suite": content,
                    "lengths_ns": list(lengths(content, connections)),
                },
                seconds=SHORT_RUN_S if is_short else 0.0,
            )
            for content, connections in (short if is_short else [*full, *short])
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each arm of each case, and one for all cases together."""
        rows, words = [], []
        every: list[Figures] = []
        for case in self.cases():
            runs = done.of(SECTION, case.name)
            names = arm_names(runs)
            every += [over_arms(figures, names) for figures in runs]
            if not names:
                words.append("unfinished")
                rows.append([case.name, "", "", "", "", "", f"0 of {case.runs}", words[-1]])
            for name in names:
                words.append(within(quotients(runs, name), MARGIN) + (", unfinished" if len(runs) < case.runs else ""))
                ratios = [f"{geometric_mean([figures[f'{way} {name}'] for figures in runs]):.3f}" for way in WAYS]
                rows.append([case.name, name, *ratios, *_cells(runs, name, case.runs), words[-1]])
        total = sum(case.runs for case in self.cases())
        words.append(within(quotients(every, ALL_ARMS), MARGIN) if len(every) >= total else "unfinished")
        rows.append(["all cases", "", "", "", *_cells(every, ALL_ARMS, total), words[-1]])
        return [Part([INTRODUCTION], COLUMNS, rows, words)]

    def adds(self, done: Sorted) -> str:
        """All cases together."""
        every = [over_arms(line.figures, arm_names([line.figures])) for line in done.used]
        shown = [bracketed(quotients(every, ALL_ARMS, end), 3) for end in ("", "_cpu")]
        return f"All cases together: throughput {shown[0]}, CPU per request {shown[1]}." if all(shown) else ""


def _cells(runs: Sequence[Figures], name: str, wanted: int) -> list[str]:
    """The quotients of throughput and of CPU per request, and over how many repeats."""
    shown = (bracketed(quotients(runs, name, end), 3) or "–" for end in ("", "_cpu"))
    return [*shown, f"{len(runs)} of {wanted}"]


def arm_names(runs: Sequence[Figures]) -> list[str]:
    """The arms beside the baseline; none if nothing has run."""
    return [key.removeprefix("alone ") for key in (runs[0] if runs else {}) if key.startswith("alone ")]


def over_arms(figures: Figures, names: Sequence[str]) -> Figures:
    """A repeat's ratios as one by each way: the geometric mean of its arms, which share a baseline."""
    ways = [f"{way}{end}" for way in WAYS for end in ("", "_cpu")]
    return {f"{way} {ALL_ARMS}": geometric_mean([figures[f"{way} {name}"] for name in names]) for way in ways}


def quotients(runs: Sequence[Figures], name: str, end: str = "") -> Interval | None:
    """By slices ÷ alone, over repeats."""
    by_slices, plain = ([run[f"{way}{end} {name}"] for run in runs] for way in WAYS)
    return ratio(by_slices, plain)
