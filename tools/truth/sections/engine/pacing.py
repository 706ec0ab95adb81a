"""Requests must leave when they are due: gaps between sends and their lag, beside a loop that only looks at the clock.

What the bare loop does not reach on a core, no load generator reaches there: its figures are the machine's own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tools.truth.lines import Case, Figures, Sorted, unseeded
from tools.truth.made_with import ROOT
from tools.truth.page.part import Bar, Part, Section, median, spread
from tools.truth.server import BACKENDS, generator_core, load, measured, origin, origin_core, quantile

SECTION = "pacing"
RATES, BURST_RATE, SECONDS, CONNECTIONS = (1000, 5000, 10_000), 50_000, 1, 16
ARRIVALS = {"constant": 0.0, "poisson": 1.0}  # and the gaps' coefficient of variation
MARGIN, LAG_MOST_NS = 0.05, 100_000
RUNS = 12
# With the other core asleep, and with a program on it that wakes as often, as the origin does beside the engine.
BARE, BARE_BESIDE = "bare-loop", "bare-loop-beside"
COLUMNS = [
    "arrivals",
    "rate:",
    "by",
    "gaps:",
    "at origin:",
    "lag p50, µs:",
    "lag p99, µs:",
    "per ms:",
    "CPU:",
    "runs within:",
    "holds",
]


def run(io: str, arrivals: str, rate: int, number: int) -> Figures:
    """How even, or how random, requests leave and arrive at the origin, and how late they were sent."""
    with origin() as server:
        result = load(
            f"http://{server.address}/hello",
            *("--io", io, "-c", CONNECTIONS, "-r", rate, "-d", f"{SECONDS}s", "--arrivals", arrivals),
            *("--seed", number),
        )
        arrived = measured(server.requests(), result)["f0"].astype(float)
    # An open loop on one thread has a variation.
    figures = {"gap_cv": float(result["send_gap_variation"]), "arrival_gap_cv": variation(arrived)}
    figures |= {f"lag_{name}_ns": float(result["send_lag_ns"][name] or 0) for name in ("p50", "p99")}
    figures |= {f"{name}_share": result[f"generator_{name}_ns"] / result["elapsed_ns"] for name in ("cpu", "spin")}
    return figures | per_ms(arrived)


def variation(times: NDArray[np.float64]) -> float:
    """The coefficient of variation of the gaps between ascending times."""
    gaps = np.diff(times)
    return float(np.std(gaps) / np.mean(gaps))


def per_ms(times: NDArray[np.float64]) -> Figures:
    """How many of these times (ns, ascending) fall into a millisecond, but the first and the last."""
    counts = np.bincount(((times - times[0]) // 1e6).astype(int))[1:-1]
    return {"per_ms_mean": float(np.mean(counts)), "per_ms_deviation": float(np.std(counts))}


def bare_loop(rate: int) -> Figures:
    """The same of a loop that does nothing but look at the clock: what this machine's core allows at all."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {generator_core()})
    try:
        gap, read, seen = 1_000_000_000 // rate, time.monotonic_ns, []
        began = read() + 1_000_000
        for number in range(rate * SECONDS):
            due = began + number * gap
            while (now := read()) < due:
                pass
            seen.append(now)
    finally:
        os.sched_setaffinity(0, allowed)
    times = np.array(seen, dtype=float)
    lags = times - began - np.arange(len(seen), dtype=float) * gap
    figures = {"gap_cv": variation(times), "lag_p50_ns": quantile(lags, 0.5), "lag_p99_ns": quantile(lags, 0.99)}
    return figures | per_ms(times)


def bare_loop_beside(rate: int) -> Figures:
    """The bare loop while the other core is in use."""
    with subprocess.Popen([sys.executable, "-m", "tools.truth.sections.engine.pacing", str(rate)], cwd=ROOT) as beside:
        try:
            time.sleep(0.2)  # until it has begun
            return bare_loop(rate)
        finally:
            beside.kill()


def wake(rate: int) -> None:
    """Wakes so many times a second, for ever, on the origin's core; each time for as long as a request takes there."""
    os.sched_setaffinity(0, {origin_core()})
    while True:
        time.sleep(1 / rate)
        until = time.monotonic_ns() + 20_000
        while time.monotonic_ns() < until:
            pass


def misses(figures: Figures, arrivals: str) -> list[float]:
    """How far off the gaps and the lag are, as shares of what is allowed."""
    return [abs(figures["gap_cv"] - ARRIVALS[arrivals]) / MARGIN, figures["lag_p99_ns"] / LAG_MOST_NS]


class Pacing(Section):
    """Both backends at every rate; the bare loop if there are bars, at constant rates."""

    key = SECTION
    heading = "## Requests leave when they are due"

    def cases(self) -> list[Case]:
        """Both backends at every rate; the bare loop where there are bars, at constant rates."""
        settings: dict[str, object] = {"seconds": SECONDS, "connections": CONNECTIONS}
        cases = []
        for arrivals in ARRIVALS:
            for rate in (*RATES, BURST_RATE):
                runs: dict[str, Callable[[int], Figures]] = {io: partial(run, io, arrivals, rate) for io in BACKENDS}
                if arrivals == "constant" and rate in RATES:
                    runs |= {
                        BARE: unseeded(partial(bare_loop, rate)),
                        BARE_BESIDE: unseeded(partial(bare_loop_beside, rate)),
                    }
                drawn = {"seed": "the number of the run"} if arrivals == "poisson" else {}
                cases += [
                    Case(SECTION, f"{by} {arrivals} {rate}", call, RUNS, settings | drawn) for by, call in runs.items()
                ]
        return cases

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each loop at each rate. The bare loop's are judged, and decide nothing."""
        prose = (
            f"{SECONDS} s over {CONNECTIONS} connections. Gaps between sends: their coefficient of variation must be"
            f" within {MARGIN} of 0 (constant) or 1 (Poisson), the p99 of the send lag below {LAG_MOST_NS // 1000} µs,"
            f" up to {max(RATES):,} requests/s; above, they are shown. The bare loop does nothing but look at the"
            " clock, all the time, on the same core, between the other runs; beside: while a program on the origin's"
            " core wakes as often. A bar that the loop beside misses too is likely missed by the machine. At the"
            " origin: the gaps between arrivals by its own log, which have its wake-ups in them. CPU: of the"
            " generator's core, and the part of it that is polling for the next due request."
        )
        rows, verdicts = [], []
        for case in self.cases():
            runs = done.of(SECTION, case.name)
            by, arrivals, rate = case.name.split()
            bar = Bar([misses(figures, arrivals) for figures in runs], case.runs)
            judged = int(rate) in RATES
            if judged and by in BACKENDS:
                verdicts.append(bar.verdict())
            verdict = "" if not judged else bar.verdict() if by in BACKENDS else f"({bar.verdict()})"
            cells = [arrivals, f"{int(rate):,}", by, *(_figures(runs) if runs else [""] * 6)]
            rows.append([*cells, bar.within() if judged else f"{len(runs)} runs", verdict])
        return [Part([prose], COLUMNS, rows, verdicts)]


def _figures(runs: list[Figures]) -> list[str]:
    is_load = "arrival_gap_cv" in runs[0]
    return [
        spread(runs, "gap_cv", lambda value: f"{value:.3f}"),
        f"{median(runs, 'arrival_gap_cv'):.3f}" if is_load else "",
        f"{median(runs, 'lag_p50_ns') / 1e3:.1f}",
        spread(runs, "lag_p99_ns", lambda value: f"{value / 1e3:.1f}"),
        f"{median(runs, 'per_ms_mean'):.1f} ± {median(runs, 'per_ms_deviation'):.1f}",
        f"{median(runs, 'cpu_share') * 100:.0f} % ({median(runs, 'spin_share') * 100:.0f} %)" if is_load else "",
    ]


if __name__ == "__main__":
    wake(int(sys.argv[1]))
