"""`hopcost capacity` of the embedded origin with a queue, of known capacity. A section of the truth's page."""

from __future__ import annotations

import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.plan.method import METHOD
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.capacity.result import Kind
from tools.truth.form import Runs
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, median, spread, unfinished
from tools.truth.runs import HOPCOST, VERDICTS_STEAL_MOST
from tools.truth.sections.capacity.servers import SERVERS, SIMULATED_S, known

SECTION = "capacity"
RUNS = Runs(full=20, short=1)
TIME_S, RUN_S = 90.0, 100.0
OFF_MOST = 0.05  # of the capacity
RIGHT_LEAST, COVERED_LEAST = 0.9, 0.85  # of the runs: 18 of 20 near the truth, 17 with it in their range
SERVICES = 20  # of p99's limit
COLUMNS = [
    "server",
    "p99 below",
    "truth",
    "done:",
    "measured:",
    "± of a range:",
    "within 5 %:",
    "in the range:",
    "holds",
]


SUITE = """\
name = "truth-capacity"
title = "A server of known capacity"

[arms.queue]
hops = [{{ program = "origin", link = "http+tcp", settings = {{ {settings} }} }}]

[[experiments]]
name = "queue"
question = "What does it carry?"
baseline = "queue"
arms = ["queue"]
placement = "one-core"
"""


class _Stack(msgspec.Struct):
    """What of a stack in the answer as JSON is read here."""

    outcome: Kind
    capacity_per_s: Interval | None


class _Answer(msgspec.Struct):
    stacks: list[_Stack]


def run(name: str, number: int) -> Figures:
    """One search: what it says, as a share of the truth."""
    server = known(name, SERVICES)
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder) / "capacity.toml"
        suite.write_text(SUITE.format(settings=server.settings), encoding="utf-8")
        words = [HOPCOST, "capacity", suite, "--objective", f"p99<{server.p99_s * 1e3:g}ms", "--time", TIME_S]
        words += ["--seed", number, "--record", Path(folder) / "record", "--json", "--quiet"]
        began = time.monotonic()
        ran = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, cwd=folder)
        seconds = time.monotonic() - began
    try:
        (stack,) = msgspec.json.decode(ran.stdout, type=_Answer).stacks
    except (msgspec.DecodeError, ValueError) as error:
        raise MeasurementFailed(f"hopcost capacity ended with {ran.returncode}: {ran.stderr[-2000:]}") from error
    return {**counted(stack, server.per_s), "seconds": round(seconds, 2)}


def counted(stack: _Stack, truth_per_s: float) -> Figures:
    """What was measured ÷ the truth, the half-width, and whether the range holds the truth; -1 of no range."""
    per_s = stack.capacity_per_s
    if stack.outcome is not Kind.MEASURED or per_s is None:
        raise MeasurementFailed(f"hopcost capacity gave no capacity: {stack.outcome}")
    low, high = per_s.low, per_s.high
    is_known = low is not None and high is not None
    return {
        "quotient": per_s.value / truth_per_s,
        "half_width": per_s.half_width or -1.0,
        "covers": float(is_known and (low or 0.0) <= truth_per_s <= (high or 0.0)),
    }


def verdict(wanted: int, runs: list[Figures]) -> str:
    """No as soon as too many runs are off."""
    off = sum(not _is_near(figures) for figures in runs)
    missed = sum(not figures["covers"] for figures in runs)
    if off > (1 - RIGHT_LEAST) * wanted + 1e-9 or missed > (1 - COVERED_LEAST) * wanted + 1e-9:
        return "no"
    return "yes" if len(runs) >= wanted else unfinished(len(runs), wanted)


def _is_near(figures: Figures) -> bool:
    return abs(figures["quotient"] - 1) <= OFF_MOST


class Capacity(Section):
    """Searches for the capacity of one server, of two, and of one that pauses."""

    key = SECTION
    heading = "# Capacity"
    asks = "`hopcost capacity` finds the capacity of servers with a queue, as the theory of queues has it"
    tells = ("measured", "within 5 %")
    short_s = None

    def cases(self) -> list[Case]:
        """A case for each server."""
        wanted = RUNS.of(self.form)
        return [
            Case(
                SECTION,
                name,
                partial(run, name),
                wanted,
                {"time_s": TIME_S, "settings": server.settings, "p99_s": server.p99_s, "method": METHOD.number},
                VERDICTS_STEAL_MOST,
                seconds=RUN_S,
            )
            for name, server in ((name, known(name, SERVICES)) for name in SERVERS)
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each server."""
        wanted = RUNS.of(self.form)
        rows, words = [], []
        for name in SERVERS:
            server = known(name, SERVICES)
            runs = done.of(SECTION, name)
            words.append(verdict(wanted, runs))
            rows.append(
                [name, f"{server.p99_s * 1e3:g} ms", f"{server.per_s:,.0f}/s", *_cells(runs, wanted), words[-1]]
            )
        return [Part([_prose(wanted)], COLUMNS, rows, words)]


def _prose(wanted: int) -> str:
    return (
        "The embedded origin with virtual servers that take a constant time for each request, one queue before them:"
        " Poisson arrivals make that M/D/1 and M/D/2, whose waiting times are known exactly (Franx 2001). With pauses"
        f" the truth is simulated over {SIMULATED_S:,.0f} s. `hopcost capacity` has {TIME_S:g} s. In"
        f" {100 * RIGHT_LEAST:g} % of {wanted} runs it must be within {100 * OFF_MOST:g} % of the truth, and in"
        f" {100 * COVERED_LEAST:g} % the range must hold it. Measured ÷ truth is shown as median (quartiles)."
    )


def _cells(runs: list[Figures], wanted: int) -> list[str]:
    if not runs:
        return [f"0 of {wanted}", "", "", "", ""]
    return [
        f"{len(runs)} of {wanted}",
        spread(runs, "quotient", lambda quotient: f"{quotient:.3f}"),
        f"{100 * median(runs, 'half_width'):.1f} %",
        str(sum(_is_near(figures) for figures in runs)),
        str(round(sum(figures["covers"] for figures in runs))),
    ]
