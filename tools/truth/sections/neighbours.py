"""Beside a neighbour that takes little, hopcost must still give the quiet direction. A section of the truth's page.

The neighbour computes in bursts of random length, on whatever core the kernel gives it, and takes a share of the time
of all allowed cores. It is below the 10 % that void a block, so that the run is not refused. Runs without a neighbour
stand beside them: they tell what the neighbour hides from what so short a run hides.
"""

from __future__ import annotations

import contextlib
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial

import psutil

from hopcost.machine import facts
from hopcost.report.formats.json_schema import ReportedExperiment
from tools.truth.form import Form, Runs
from tools.truth.lines import Case, Figures, Sorted, open_to_the_end
from tools.truth.page.part import Part, Section, median, unfinished
from tools.truth.plans import hop, suite_text
from tools.truth.runs import VERDICTS_STEAL_MOST, arm_of, closed_loop, read_nothing, run_suite, width_to_keep

SECTION = "neighbours"
NOTHING = "nothing"  # not judged, and not in the short form
SHARES = {"2 %": 0.02, "5 %": 0.05, "8 %": 0.08}
RUNS = Runs(full=20, short=3)
RIGHT_LEAST = 0.9  # of the runs: 18 of 20
TIME_S, RUN_S = 30.0, 45.0
WORK_ROUNDS = 500  # about 1 µs of arithmetic before each answer: some 15 % of a request
QUIET = {"throughput": "slower", "cpu_per_request": "dearer"}
OPPOSITE = {"throughput": "faster", "cpu_per_request": "cheaper"}
DECIDES = "cpu_per_request"
COLUMNS = [
    "neighbour takes",
    "it took:",
    "done:",
    "dearer:",
    "slower:",
    "cheaper or faster:",
    "ratio of CPU:",
    "±:",
    "holds",
]
NEIGHBOUR = """
import random, sys, time
share, dice, began = float(sys.argv[1]), random.Random(int(sys.argv[2])), time.monotonic()
while True:
    used = time.process_time()
    burst = dice.expovariate(1 / 0.02)
    while time.process_time() < used + burst:
        pass
    time.sleep(max(0.001, time.process_time() / share - (time.monotonic() - began)))
"""


@contextlib.contextmanager
def neighbour(share: float, seed: int) -> Iterator[int]:
    """A program of another session that takes this share of all allowed cores; its pid."""
    of_one_core = share * len(facts.allowed_cores())
    words = [sys.executable, "-c", NEIGHBOUR, str(of_one_core), str(seed)]
    with subprocess.Popen(words, start_new_session=True) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def cpu_s(pid: int) -> float:
    """CPU seconds of a process so far."""
    used = psutil.Process(pid).cpu_times()
    return float(used.user + used.system)


def suite() -> str:
    """The origin, and the origin with work: how they differ is known."""
    worked = hop("origin", settings=f"{{ work_rounds = {WORK_ROUNDS} }}")
    return suite_text("neighbours", {"plain": [hop("origin")], "worked": [worked]})


def run(name: str, number: int) -> Figures:
    """One experiment beside the neighbour, and what the neighbour really took."""
    if name == NOTHING:
        return {**measured(number), "took": 0.0}
    with neighbour(SHARES[name], number) as pid:
        began, used_s = time.monotonic(), cpu_s(pid)
        figures = measured(number)
        took = (cpu_s(pid) - used_s) / (time.monotonic() - began) / len(facts.allowed_cores())
    return {**figures, "took": round(took, 4)}


def measured(number: int) -> Figures:
    """One experiment through hopcost."""
    experiment, seconds, _ = run_suite(suite(), TIME_S, read_nothing, "--seed", number)
    return {**told(experiment), "blocks": experiment.blocks, "seconds": round(seconds, 2)}


def told(experiment: ReportedExperiment) -> Figures:
    """Which figures have the quiet direction, how many the opposite one; the ratio of CPU, 0 without one, and its
    half-width, -1 without a range.
    """
    figures: Figures = {"opposite": 0.0, "ratio": 0.0, "half_width": -1.0}
    for name, word in QUIET.items():
        comparison = closed_loop(arm_of(experiment, "worked"), name)
        verdict = "" if comparison is None else comparison.verdict
        figures[word] = float(verdict == word)
        figures["opposite"] += verdict == OPPOSITE[name]
        if name == DECIDES and comparison is not None and comparison.ratio is not None:
            figures["ratio"] = comparison.ratio.value
            figures["half_width"] = width_to_keep(comparison.ratio)
    return figures


def has_failed(wanted: int, runs: list[Figures]) -> bool:
    """Whether one has the opposite direction, or so many have none that the bar is out of reach."""
    missed = sum(not figures[QUIET[DECIDES]] for figures in runs)
    return any(figures["opposite"] for figures in runs) or missed > round(wanted * (1 - RIGHT_LEAST), 6)


def verdict(name: str, wanted: int, runs: list[Figures]) -> str:
    """No as soon as it cannot hold any more; empty of all runs without a neighbour."""
    if name != NOTHING and has_failed(wanted, runs):
        return "no"
    if len(runs) < wanted:
        return unfinished(len(runs), wanted)
    return "" if name == NOTHING else "yes"


class Neighbours(Section):
    """Runs beside programs that take 2, 5 and 8 %, and beside none."""

    key = SECTION
    heading = "# Beside a neighbour"
    asks = "Beside a program that takes a little, a dearer server is called dearer"
    tells = ("dearer", "done")
    short_s = len(SHARES) * RUNS.short * RUN_S

    def shares(self) -> list[str]:
        """How much a neighbour takes: the names of the rows."""
        return [*SHARES, NOTHING] if self.form == Form.FULL else list(SHARES)

    def cases(self) -> list[Case]:
        """A case for each share."""
        wanted = RUNS.of(self.form)
        settings: dict[str, object] = {"time_s": TIME_S, "work_rounds": WORK_ROUNDS}
        return [
            Case(
                SECTION,
                name,
                partial(run, name),
                wanted,
                settings,
                VERDICTS_STEAL_MOST,
                open_to_the_end if name == NOTHING else partial(has_failed, wanted),
                seconds=RUN_S,
            )
            for name in self.shares()
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each share."""
        wanted = RUNS.of(self.form)
        rows, words, why = [], [], []
        for name in self.shares():
            runs = done.of(SECTION, name)
            words.append(verdict(name, wanted, runs))
            rows.append([name, *_cells(runs, wanted), words[-1]])
            why += _why_missed(name, runs) if words[-1] == "no" else []
        return [Part([_prose(wanted)], COLUMNS, rows, [word for word in words if word], why)]

    def adds(self, done: Sorted) -> str:
        """How often it is seen without a neighbour and beside one; nothing before all runs without one are done."""
        without = done.of(SECTION, NOTHING)
        beside = [run for name in SHARES for run in done.of(SECTION, name)]
        if len(without) < RUNS.full or not beside:
            return ""
        seen, seen_beside = (sum(run[QUIET[DECIDES]] for run in runs) for runs in (without, beside))
        words = (
            f"Without a neighbour {seen:g} of {len(without)} runs called it *dearer*, beside one {seen_beside:g} of"
            f" {len(beside)}."
        )
        if seen < RIGHT_LEAST * len(without) and seen_beside * len(without) >= seen * len(beside):
            words += f" What misses is likely the {TIME_S:g} s, not the neighbour."
        return words


def _prose(wanted: int) -> str:
    return (
        "Two arms, the embedded origin and the same with some arithmetic before each answer, one core for the stack,"
        f" `hopcost run` for {TIME_S:g} s, beside a program that computes in bursts and takes a share of all allowed"
        " cores. The second arm is dearer and slower by construction. hopcost must call it *dearer* in CPU per request"
        f" (closed loop) in at least {100 * RIGHT_LEAST:g} % of {wanted} runs, and never cheaper or faster."
        f" The row *{NOTHING}*, in the full form, is without such a program and not judged: it tells how often"
        f" {TIME_S:g} s show the difference at all."
    )


def _why_missed(name: str, runs: list[Figures]) -> list[str]:
    """How wide the ranges are of the runs that did not see it; nothing if a run had the opposite direction."""
    widths = [run["half_width"] for run in runs if not run[QUIET[DECIDES]] and run.get("half_width", -1.0) > 0]
    if not widths or any(run["opposite"] for run in runs):
        return []
    return [
        f"Why {name} is missed: the runs that did not see it have ranges of ±{statistics.median(widths) * 100:.0f} % at"
        f" the median. It would likely take more starts than {TIME_S:g} s hold."
    ]


def _cells(runs: list[Figures], wanted: int) -> list[str]:
    if not runs:
        return ["", f"0 of {wanted}", "", "", "", "", ""]
    with_range = [figures for figures in runs if figures.get("half_width", -1.0) > 0]
    known = [figures for figures in runs if figures["ratio"] > 0]
    return [
        f"{100 * median(runs, 'took'):.1f} %",
        f"{len(runs)} of {wanted}",
        *(str(int(sum(figures[word] for figures in runs))) for word in ("dearer", "slower", "opposite")),
        f"{median(known, 'ratio'):.3f}" if known else "",
        f"{100 * median(with_range, 'half_width'):.1f} %" if with_range else "",
    ]
