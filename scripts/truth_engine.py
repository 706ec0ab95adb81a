"""Whether the load engine tells the truth about time: a section of docs/truth.md, written by `make truth`.

The truth is the embedded origin's own log of requests: when each had arrived and when its answer had left, on the same
clock. Every result is kept as a line; a second call goes on where the first stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from hopcost import binaries, machine

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "records" / "truth" / "engine.jsonl"
REPEATS = 3
BACKENDS = ("uring", "epoll")

STALL_RATE, STALL_S, STALLED_S = 2000, 6, 2.0
STALL_P99_S, STALL_MARGIN = 1.94, 0.02
# With 64 connections and 21.7 ms on average, 2,950 requests/s are the most: this is half of it.
DELAY, DELAY_RATE, DELAY_S, DELAY_CONNECTIONS = "lognormal:20ms:0.4", 1475, 12, 64
DELAY_MARGIN, DELAY_MARGIN_NS = 0.01, 30_000
PACING_RATES, PACING_S = (1000, 5000, 10_000), 3
PACING_MARGIN, LAG_MOST_NS = 0.05, 100_000
BURST_RATE = 50_000
FOREIGN_MOST = 0.02  # of the machine's CPU time, by programs of others: a run beside them is done again


class Result(msgspec.Struct):
    """One run: what it was, and its figures by name."""

    case: str
    number: int
    figures: dict[str, float]


class Origin(msgspec.Struct):
    """A running origin."""

    process: subprocess.Popen[str]
    address: str
    rows: Path

    def requests(self) -> NDArray[np.void]:
        """Ends it; its log of requests."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        fields = np.dtype("<u8,<u8,<u4,<u2,u1,u1")
        return np.fromfile(self.rows, dtype=fields, offset=24)


@contextmanager
def origin() -> Iterator[Origin]:
    """The embedded origin on the first core; the load has the last one."""
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows"
        first = str(min(machine.allowed_cores()))
        command = ["taskset", "--cpu-list", first, str(binaries.require("hopcost-origin"))]
        command += ["--listen", "http+tcp:127.0.0.1:0", "--log-requests", str(rows)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None, "a pipe was asked for"
                address = json.loads(process.stdout.readline())["listeners"][0]["address"]
                yield Origin(process=process, address=address, rows=rows)
            finally:
                process.kill()


def command(target: str, *options: object) -> list[str]:
    """`hopcost-engine load` with JSON as its result."""
    return [str(binaries.require("hopcost-engine")), "load", "--json", *map(str, options), target]


def load(target: str, *options: object) -> dict[str, dict[str, float]]:
    """Load to its end; what it says. Exit code 4 is a run that calls itself suspect: the figures will show it."""
    done = subprocess.run(command(target, *options), capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        sys.exit(f"error: the load engine ended with {done.returncode}: {done.stderr}")
    content: dict[str, dict[str, float]] = json.loads(done.stdout)
    return content


def stalled(generator: list[str]) -> tuple[str, NDArray[np.void]]:
    """The output of a generator whose origin (`{}` in its arguments) stands still for two seconds in the middle."""
    with origin() as server:
        arguments = [each.replace("{}", server.address) for each in generator]
        last = str(max(machine.allowed_cores()))
        with subprocess.Popen(
            ["taskset", "--cpu-list", last, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            began = time.monotonic()
            time.sleep((STALL_S - STALLED_S) / 2)
            stopped = time.monotonic()
            os.kill(server.process.pid, signal.SIGSTOP)
            time.sleep(max(0.0, stopped + STALLED_S - time.monotonic()))
            os.kill(server.process.pid, signal.SIGCONT)
            text = process.communicate(timeout=STALL_S + 20)[0]
        assert time.monotonic() - began >= STALL_S, "it ran for the time that it was given"
        return text, server.requests()


def stall(io: str) -> dict[str, float]:
    """The engine's response times across a stall, beside a replay of its schedule against the origin's log."""
    text, rows = stalled(command("http://{}/hello", "--io", io, "-c", 64, "-r", STALL_RATE, "-d", f"{STALL_S}s"))
    said = json.loads(text)
    arrived, sent = np.sort(rows["f0"]).astype(float), np.sort(rows["f1"]).astype(float)
    gap = 1e9 / STALL_RATE
    numbers = np.arange(len(arrived))
    began = np.min(arrived - numbers * gap)  # the least late request was on time
    replayed = np.sort(sent - (began + numbers * gap))
    response = said["response_time_ns"]
    return {
        "p99_ns": response["p99"] or 0,
        "p90_ns": response["p90"] or 0,
        "mean_ns": response["mean"] or 0,
        "replay_p99_ns": float(np.quantile(replayed, 0.99)),
        "replay_p90_ns": float(np.quantile(replayed, 0.90)),
        "replay_mean_ns": float(np.mean(replayed)),
        "answers": said["answers"],
        "origin_answers": len(rows),
    }


def stall_of_peer(name: str) -> dict[str, float]:
    """What another generator says about the same stall."""
    if name == "wrk":
        text, _ = stalled(["wrk", "-t1", "-c64", f"-d{STALL_S}s", "--latency", "http://{}/hello"])
        return {"p99_ns": _time_ns(r"99%\s+(\S+)", text), "mean_ns": _time_ns(r"Latency\s+(\S+)", text)}
    text, _ = stalled(["h2load", "--h1", "-t1", "-c64", f"-D{STALL_S}", "http://{}/hello"])
    return {"mean_ns": _time_ns(r"time for request:\s+\S+\s+\S+\s+(\S+)", text)}


def _time_ns(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    if found is None:
        sys.exit(f"error: no {pattern} in:\n{text}")
    number, unit = re.fullmatch(r"([\d.]+)(\D+)", found[1]).groups()  # type: ignore[union-attr]
    return float(number) * {"us": 1e3, "ms": 1e6, "s": 1e9}[unit]


def delay(io: str) -> dict[str, float]:
    """Quantiles of the service time, beside the time that the origin took by its own log."""
    with origin() as server:
        target = f"http://{server.address}/hello?delay={DELAY}"
        said = load(
            target, "--io", io, "-c", DELAY_CONNECTIONS, "-r", DELAY_RATE, "-d", f"{DELAY_S}s", "--arrivals", "poisson"
        )
        busy_s = sum(os_times(server.process.pid))
        rows = server.requests()
    took = (rows["f1"] - rows["f0"]).astype(float)
    figures = {f"{name}_ns": said["service_time_ns"][name] or 0 for name in ("p50", "p90", "p99", "p999")}
    for name, quantile in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)):
        figures[f"origin_{name}_ns"] = float(np.quantile(took, quantile, method="inverted_cdf"))
    return figures | {"origin_busy": busy_s / DELAY_S}


def os_times(process: int) -> tuple[float, float]:
    """User and system CPU seconds of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return int(fields[11]) / ticks, int(fields[12]) / ticks


def pacing(io: str, arrivals: str, rate: int) -> dict[str, float]:
    """How even, or how random, requests arrive at the origin, and how late they were sent."""
    with origin() as server:
        said = load(
            f"http://{server.address}/hello",
            *("--io", io, "-c", 16, "-r", rate, "-d", f"{PACING_S}s", "--arrivals", arrivals),
        )
        arrived = np.sort(server.requests()["f0"]).astype(float)
    gaps = np.diff(arrived)
    per_ms = np.bincount(((arrived - arrived[0]) // 1e6).astype(int))[1:-1]
    lag = said["send_lag_ns"]
    return {
        "gap_cv": float(np.std(gaps) / np.mean(gaps)),
        "lag_p50_ns": lag["p50"] or 0,
        "lag_p99_ns": lag["p99"] or 0,
        "per_ms_mean": float(np.mean(per_ms)),
        "per_ms_deviation": float(np.std(per_ms)),
    }


def cases() -> dict[str, Callable[[], dict[str, float]]]:
    """Every run by its name."""
    found: dict[str, Callable[[], dict[str, float]]] = {}
    for io in BACKENDS:
        found[f"stall {io}"] = lambda io=io: stall(io)
    for peer in ("wrk", "h2load"):
        if shutil.which(peer):
            found[f"stall {peer}"] = lambda peer=peer: stall_of_peer(peer)
    for io in BACKENDS:
        found[f"delay {io}"] = lambda io=io: delay(io)
        for arrivals in ("constant", "poisson"):
            for rate in (*PACING_RATES, BURST_RATE):
                found[f"pacing {io} {arrivals} {rate}"] = lambda io=io, arrivals=arrivals, rate=rate: pacing(
                    io, arrivals, rate
                )
    return found


def kept() -> list[Result]:
    """What earlier calls have measured."""
    if not KEPT.exists():
        return []
    return [msgspec.json.decode(line, type=Result) for line in KEPT.read_text().splitlines()]


def measure(at_most_s: float = float("inf")) -> list[Result]:
    """Everything that is missing, as far as the time goes."""
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    done = kept()
    began = time.monotonic()
    for number in range(REPEATS):
        for name, run in cases().items():
            if any(each.case == name and each.number == number for each in done):
                continue
            if time.monotonic() - began > at_most_s:
                return done
            figures, foreign = watched(run)
            print(f"{name}: {number + 1} of {REPEATS}: {foreign:.1%} by others: {figures}", file=sys.stderr)
            if foreign > FOREIGN_MOST:
                continue  # it is missing, and the next call measures it
            done.append(Result(case=name, number=number, figures=figures))
            with KEPT.open("ab") as file:
                file.write(msgspec.json.encode(done[-1]) + b"\n")
    return done


def watched(run: Callable[[], dict[str, float]]) -> tuple[dict[str, float], float]:
    """What a run came to, and the share of the machine's CPU time that programs of others took meanwhile."""

    def others_ns() -> float:
        own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return machine.busy_ns(machine.allowed_cores()) - 1e9 * sum(each.ru_utime + each.ru_stime for each in own)

    others, began = others_ns(), time.monotonic_ns()
    figures = run()
    elapsed = time.monotonic_ns() - began
    return figures, (others_ns() - others) / elapsed / len(machine.allowed_cores())


def section(done: list[Result]) -> tuple[list[str], bool]:
    """The lines of the page, and whether all of them hold. Figures are medians over repeats."""
    by_case: dict[str, list[dict[str, float]]] = {}
    for each in done:
        by_case.setdefault(each.case, []).append(each.figures)
    middle = {
        case: {name: statistics.median(each[name] for each in runs) for name in runs[0]}
        for case, runs in by_case.items()
    }
    lines, verdicts = [], []
    for part in (_stall_lines, _delay_lines, _pacing_lines):
        text, holds = part(middle)
        lines += text
        verdicts.append(holds)
    return lines, all(verdicts)


def _stall_lines(middle: dict[str, dict[str, float]]) -> tuple[list[str], bool]:
    lines = [
        "## A server that stands still is seen",
        "",
        f"{STALL_RATE:,} requests/s for {STALL_S} s, the origin stopped for {STALLED_S:g} s in the middle. Replay: the"
        " same schedule against the origin's own log. p99 must be within 2 % of"
        f" {STALL_P99_S} s, mean and p90 within 2 % of the replay. Beside it wrk and h2load, closed loops.",
        "",
        "| generator | mean, s | replay | p90, s | replay | p99, s | replay | holds |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    verdicts = []
    for case, figures in middle.items():
        if not case.startswith("stall "):
            continue
        cells = [case.removeprefix("stall ")]
        for name in ("mean", "p90", "p99"):
            cells += [_seconds(figures.get(f"{name}_ns")), _seconds(figures.get(f"replay_{name}_ns"))]
        verdict = ""
        if "replay_mean_ns" in figures:
            near = [abs(figures["p99_ns"] / 1e9 / STALL_P99_S - 1)]
            near += [abs(figures[f"{name}_ns"] / figures[f"replay_{name}_ns"] - 1) for name in ("mean", "p90")]
            verdicts.append(max(near) <= STALL_MARGIN)
            verdict = _yes(verdicts[-1])
        lines.append("| " + " | ".join([*cells, verdict]) + " |")
    return [*lines, ""], all(verdicts)


def _delay_lines(middle: dict[str, dict[str, float]]) -> tuple[list[str], bool]:
    lines = [
        "## A known delay comes back",
        "",
        f"The origin delays its answers (`{DELAY}`); {DELAY_RATE:,} requests/s, Poisson, half of what"
        f" {DELAY_CONNECTIONS} connections can carry. Service time, in ms, beside the origin's own log (request read to"
        " answer sent), must be within 1 % or 30 µs.",
        "",
        "| backend | p50 | log | p90 | log | p99 | log | p99.9 | log | origin's core in use | holds |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    verdicts = []
    for case, figures in middle.items():
        if not case.startswith("delay "):
            continue
        cells = [case.removeprefix("delay ")]
        near = []
        for name in ("p50", "p90", "p99", "p999"):
            value, log = figures[f"{name}_ns"], figures[f"origin_{name}_ns"]
            cells += [f"{value / 1e6:.3f}", f"{log / 1e6:.3f}"]
            near.append(abs(value - log) <= max(DELAY_MARGIN * log, DELAY_MARGIN_NS))
        verdicts.append(all(near))
        cells += [f"{figures['origin_busy']:.0%}", _yes(verdicts[-1])]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""], all(verdicts)


def _pacing_lines(middle: dict[str, dict[str, float]]) -> tuple[list[str], bool]:
    lines = [
        "## Requests leave when they are due",
        "",
        "Gaps between arrivals at the origin: their coefficient of variation must be within 0.05 of 0 (constant) or"
        f" 1 (Poisson), the p99 of the send lag below 100 µs, up to {max(PACING_RATES):,} requests/s."
        " Above, they are shown.",
        "",
        "| backend, arrivals, rate | variation of gaps | send lag p50, µs | p99, µs | per ms, mean ± dev. | holds |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    verdicts = []
    for case, figures in middle.items():
        if not case.startswith("pacing "):
            continue
        _, _, arrivals, rate = case.split()
        verdict = ""
        if int(rate) in PACING_RATES:
            even = abs(figures["gap_cv"] - (arrivals == "poisson")) <= PACING_MARGIN
            verdicts.append(even and figures["lag_p99_ns"] < LAG_MOST_NS)
            verdict = _yes(verdicts[-1])
        cells = [case.removeprefix("pacing "), f"{figures['gap_cv']:.3f}"]
        cells += [f"{figures[f'lag_{name}_ns'] / 1e3:.1f}" for name in ("p50", "p99")]
        cells += [f"{figures['per_ms_mean']:.2f} ± {figures['per_ms_deviation']:.2f}", verdict]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""], all(verdicts)


def _seconds(value_ns: float | None) -> str:
    return "" if value_ns is None else f"{value_ns / 1e9:.4g}"


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def main() -> None:
    """Measure what is missing and print the section."""
    parser = argparse.ArgumentParser(description="The engine's part of docs/truth.md.")
    parser.add_argument("--at-most-s", type=float, default=float("inf"), help="begin no run after so many seconds")
    lines, holds = section(measure(parser.parse_args().at_most_s))
    print("\n".join(lines))
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
