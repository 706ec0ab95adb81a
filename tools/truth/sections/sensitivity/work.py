"""What an amount of work costs an origin, measured without hopcost's slices.

Whole loads of a counted number of requests, the origins never frozen, their process CPU clocks read before and after.
"""

from __future__ import annotations

import contextlib
import json
import random
import statistics
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence

from hopcost.machine import binaries
from tools.truth.lines import Figures
from tools.truth.server import generator_core, load, origin_core

CONNECTIONS, REQUESTS = 64, 50_000
STARTS = 40  # of a calibration
NEAR = (40, 100)  # rounds, about as many as are needed


@contextlib.contextmanager
def origin(work_rounds: int) -> Iterator[tuple[int, str]]:
    """An origin on the stack's core, as hopcost starts it: its pid and address."""
    command = ["taskset", "--cpu-list", str(origin_core()), str(binaries.require("hopcost-origin"))]
    command += ["--listen", "http+tcp:127.0.0.1:0", "--work-rounds", str(work_rounds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None, "a pipe was asked for"
            yield process.pid, json.loads(process.stdout.readline())["listeners"][0]["address"]
        finally:
            process.kill()


def cpu_ns(pid: int) -> int:
    """The process CPU clock, as clock_getcpuclockid(3) makes its number."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def costs(rounds: Sequence[int], starts: int, seed: int) -> list[float]:
    """CPU ns per request of an origin for each of these rounds, loaded in turn, in shuffled order.

    They are started anew for each turn, as hopcost's blocks start them.
    """
    shuffle = random.Random(seed)
    by_start: list[list[float]] = []
    for _ in range(starts):
        with contextlib.ExitStack() as stack:
            running = {work: stack.enter_context(origin(work)) for work in rounds}
            used = {}
            for work in shuffle.sample(list(running), len(running)):
                pid, address = running[work]
                before = cpu_ns(pid)
                load(f"http://{address}/", "-c", CONNECTIONS, "-n", REQUESTS, "--cores", generator_core())
                used[work] = (cpu_ns(pid) - before) / REQUESTS
        by_start.append([used[work] for work in rounds])
    return in_pairs(by_start)


def in_pairs(by_start: Sequence[Sequence[float]]) -> list[float]:
    """The first's median over starts, and that plus each other's median distance from it within a start.

    A start in a slow second makes all its loads dearer, and a burst only one of them: neither moves these.

    >>> in_pairs([[4000.0, 4070.0], [4000.0, 4080.0], [6000.0, 6080.0], [4000.0, 9000.0]])
    [4000.0, 4080.0]
    """
    first = statistics.median(costs[0] for costs in by_start)
    others = range(1, len(by_start[0]))
    return [first, *(first + statistics.median(costs[k] - costs[0] for costs in by_start) for k in others)]


def calibrate(number: int) -> Figures:
    """CPU ns per request, plain and with so many rounds."""
    plain_ns, *dearer_ns = costs([0, *NEAR], STARTS, number)
    return {"plain_ns": plain_ns, **{f"{rounds}_ns": cost for rounds, cost in zip(NEAR, dearer_ns, strict=True)}}


def round_ns(calibrations: Iterable[Figures], runs: Iterable[Figures]) -> float:
    """What a round costs by all calibrations and runs so far: least squares of what the work cost, through 0."""
    seen: list[tuple[float, float]] = []
    for run in calibrations:
        seen += [(rounds, run[f"{rounds}_ns"] - run["plain_ns"]) for rounds in NEAR]
    seen += [(run["rounds"], (run["truly"] - 1) * run["plain_ns"]) for run in runs]
    return sum(rounds * cost for rounds, cost in seen) / sum(rounds**2 for rounds, _ in seen)


def rounds_for(share: float, plain_ns: float, round_ns: float) -> int:
    """The rounds that cost this share of a plain request.

    >>> rounds_for(0.02, 4000.0, 2.0)
    40
    """
    return round(share * plain_ns / round_ns)
