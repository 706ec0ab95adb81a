"""A server that stands still must be seen: the engine's response times beside a replay of its schedule.

The replay knows the rate and the origin's own log, and nothing that the engine says.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from contextlib import nullcontext
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hopcost.errors import MeasurementFailed
from tools.truth import http2
from tools.truth.lines import Case, Figures, Sorted, unseeded
from tools.truth.page.part import Bar, Part, Section, median, spread
from tools.truth.server import BACKENDS, command, generator_core, measured, origin, quantile

SECTION = "stall"
RATE, SECONDS, STALLED_S = 2000, 6, 2.0
# 4,000 of the 12,000 requests are due while it stands still and wait for 0 to 2 s: all but 120 of them less than this.
P99_S, MARGIN = 1.94, 0.02
RUNS, PEER_RUNS = 12, 3
PEERS = {
    "wrk": ["wrk", "-t1", "-c64", f"-d{SECONDS}s", "--latency", "http://{}/hello"],
    "h2load": ["h2load", "--h1", "-t1", "-c64", f"-D{SECONDS}", "http://{}/hello"],
}
COLUMNS = ["generator", "mean:", "replay:", "p90:", "replay:", "p99:", "replay:", "runs within:", "holds"]


def replay(arrived: NDArray[np.float64], sent: NDArray[np.float64], rate_per_s: float) -> NDArray[np.float64]:
    """Response times, ascending, of requests at a constant rate, from when they arrived and when answers left (ns).

    The n-th to arrive was due n gaps after the first. When that was is not known here: so that the one that came least
    late was on time.
    """
    gap_ns = 1e9 / rate_per_s
    due = np.arange(len(arrived)) * gap_ns
    began_ns = np.min(np.sort(arrived) - due)
    return np.sort(np.sort(sent) - began_ns - due)


def stalled(generator: list[str], *, over_http2: bool = False) -> tuple[str, NDArray[np.void]]:
    """The output of a generator whose origin (`{}` in its arguments) stands still for two seconds in the middle."""
    with origin() as server, http2.way_to(server) if over_http2 else nullcontext(server.address) as address:
        arguments = [argument.replace("{}", address) for argument in generator]
        with subprocess.Popen(
            ["taskset", "--cpu-list", str(generator_core()), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            time.sleep((SECONDS - STALLED_S) / 2)
            stopped = time.monotonic()
            os.kill(server.process.pid, signal.SIGSTOP)
            time.sleep(max(0.0, stopped + STALLED_S - time.monotonic()))
            os.kill(server.process.pid, signal.SIGCONT)
            text = process.communicate(timeout=SECONDS + 20)[0]
        return text, server.requests()


def run(io: str, *, over_http2: bool = False) -> Figures:
    """The engine's response times across a stall, beside the replay."""
    over = http2.OPTIONS if over_http2 else ("-c", 64)
    generator = command("http://{}/hello", "--io", io, *over, "-r", RATE, "-d", f"{SECONDS}s")
    text, rows = stalled(generator, over_http2=over_http2)
    result = json.loads(text)
    response = result["response_time_ns"]
    load = measured(rows, result)
    replayed = replay(load["f0"].astype(float), load["f1"].astype(float), RATE)
    figures = {f"{name}_ns": float(response[name] or 0) for name in ("mean", "p90", "p99")}
    figures |= {f"replay_{name}_ns": quantile(replayed, share) for name, share in (("p90", 0.9), ("p99", 0.99))}
    return figures | {"replay_mean_ns": float(np.mean(replayed)), "answers": result["answers"]}


def run_peer(name: str) -> Figures:
    """What another generator says about the same stall."""
    text, _ = stalled(PEERS[name])
    if name == "wrk":
        return {"p99_ns": _time_ns(r"99%\s+(\S+)", text), "mean_ns": _time_ns(r"Latency\s+(\S+)", text)}
    return {"mean_ns": _time_ns(r"time for request:\s+\S+\s+\S+\s+(\S+)", text)}


def _time_ns(pattern: str, text: str) -> float:
    match = re.search(pattern, text)
    parts = match and re.fullmatch(r"([\d.]+)(us|ms|s)", match[1])
    if not parts:
        raise MeasurementFailed(f"no {pattern} in:\n{text}")
    return float(parts[1]) * {"us": 1e3, "ms": 1e6, "s": 1e9}[parts[2]]


def misses(figures: Figures) -> list[float]:
    """How far off p99, mean and p90 are, as shares of what is allowed."""
    off = [figures["p99_ns"] / 1e9 / P99_S - 1]
    off += [figures[f"{name}_ns"] / figures[f"replay_{name}_ns"] - 1 for name in ("mean", "p90")]
    return [abs(share) / MARGIN for share in off]


class Stall(Section):
    """Both backends over HTTP/1.1 and HTTP/2, and the peers that are installed."""

    key = SECTION
    heading = "## A server that stands still is seen"

    def cases(self) -> list[Case]:
        """Both backends over HTTP/1.1 and HTTP/2, and the peers that are installed."""
        settings: dict[str, object] = {"rate_per_s": RATE, "seconds": SECONDS, "stalled_s": STALLED_S}
        cases = [Case(SECTION, io, unseeded(partial(run, io)), RUNS, settings) for io in BACKENDS]
        over_http2 = settings | http2.SETTINGS
        cases += [
            Case(SECTION, io + http2.SUFFIX, unseeded(partial(run, io, over_http2=True)), RUNS, over_http2)
            for io in BACKENDS
        ]
        return cases + [
            Case(SECTION, peer, unseeded(partial(run_peer, peer)), PEER_RUNS, settings)
            for peer in PEERS
            if shutil.which(peer)
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each generator."""
        prose = (
            f"{RATE:,} requests/s for {SECONDS} s over 64 connections, the origin stopped for {STALLED_S:g} s in the"
            f" middle. p99 must be within {MARGIN * 100:g} % of {P99_S} s, mean and p90 within {MARGIN * 100:g} % of a"
            " replay: the same schedule against the origin's own log. Beside it wrk and h2load, closed loops. Seconds."
            f" {http2.WORDS}"
        )
        rows, verdicts = [], []
        for case in self.cases():
            runs = done.of(SECTION, case.name)
            cells = [case.name]
            for name in ("mean", "p90", "p99"):
                has = {which: bool(runs) and f"{which}{name}_ns" in runs[0] for which in ("", "replay_")}
                cells.append(spread(runs, f"{name}_ns", _seconds) if has[""] else "")
                cells.append(_seconds(median(runs, f"replay_{name}_ns")) if has["replay_"] else "")
            if case.name in PEERS:
                rows.append([*cells, f"{len(runs)} runs", ""])
                continue
            bar = Bar([misses(figures) for figures in runs], case.runs)
            verdicts.append(bar.verdict())
            rows.append([*cells, bar.within(), bar.verdict()])
        return [Part([prose], COLUMNS, rows, verdicts)]


def _seconds(value_ns: float) -> str:
    return f"{value_ns / 1e9:.4g}"
