"""What the engine's batch does to the measured side: ratios between arms of nginx-go; a table for explain/engine.md.

Stacks are started once; the engine goes round them with each batch in turn, many times over, in shuffled order. A
ratio is that of an arm to Go alone within one run of the engine; how it moves with the batch is taken from runs that
stand side by side.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import random
import statistics
from collections.abc import Iterable

import scipy.stats

from hopcost.machine import facts
from hopcost.measure.load.arm import engine_arm
from hopcost.plan.cores import place_cores
from hopcost.programs.generators import engine
from hopcost.programs.generators.engine_lines import ArmTotals, Slice
from hopcost.programs.generators.engine_plan import EnginePlan, WarmUp
from hopcost.record import histogram
from hopcost.stacks.client import check
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.experiments.experiment import Placement
from hopcost.suites.experiments.workload import Workload
from tools import markdown

GO, NGINX = "go-hello", "nginx"
ARMS = {
    "go": Arm(hops=[Hop(program=GO, link=Link.HTTP_TCP)]),
    "nginx-http-tcp": Arm(hops=[Hop(program=NGINX, link=Link.HTTP_TCP), Hop(program=GO, link=Link.HTTP_TCP)]),
    "nginx-fastcgi-unix": Arm(hops=[Hop(program=NGINX, link=Link.HTTP_TCP), Hop(program=GO, link=Link.FASTCGI_UNIX)]),
}
WAYS = {"batch 1": ("uring", 1), "batch 8": ("uring", 8), "batch 16": ("uring", 16), "epoll": ("epoll", 1)}
Figures = dict[str, dict[str, float]]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    raise_open_files()
    cores = place_cores(Placement.ONE_CORE, facts.allowed_cores(), facts.siblings())
    workload = Workload(connections=options.connections)
    shuffle = random.Random(1)
    seen: dict[str, list[Figures]] = {way: [] for way in WAYS}
    host = Local(find_freezer())
    with contextlib.ExitStack() as stacks:
        arms = []
        for name, arm in ARMS.items():
            stack = stacks.enter_context(RunningStack(name, arm, {}, cores, host, label=f"batch-{name}"))
            answer = check.ask(name, stack.prepared.address, workload.target)
            arms.append(engine_arm(stack, workload, [answer]))
        for repeat in range(options.repeats):
            for way in shuffle.sample(list(WAYS), len(WAYS)):
                io, batch = WAYS[way]
                warm_up = WarmUp(least_ns=100_000_000, most_ns=400_000_000)
                plan = EnginePlan(
                    seed=repeat, cores=cores.generator, slice_ns=100_000_000, settle_ns=0, rounds=options.rounds,
                    warm_up=warm_up, arms=arms, io=io, batch=batch,
                )  # fmt: skip
                seen[way].append(figures(engine.run_engine(plan)))
    print(table(seen))


def figures(lines: Iterable[object]) -> Figures:
    """Of each arm: answers per second, CPU of its hops and of the generator per answer, service time."""
    sums = {arm: [0, 0, 0, 0] for arm in ARMS}
    result: Figures = {arm: {} for arm in ARMS}
    for line in lines:
        if isinstance(line, Slice):
            used = sum(ns or 0 for ns in line.cpu_ns.values())
            for index, value in enumerate((line.answers, line.elapsed_ns, used, line.generator_cpu_ns)):
                sums[line.arm][index] += value
        elif isinstance(line, ArmTotals):
            times = histogram.merge([line.service_time])
            result[line.arm] = {f"p{p}": (histogram.quantile(times, p / 100) or 0) / 1000 for p in (50, 99)}
    for arm, (answers, elapsed, used, own) in sums.items():
        result[arm] |= {"rate": answers * 1e9 / elapsed, "cpu": used / answers / 1000, "own": own / answers / 1000}
    return result


def table(seen: dict[str, list[Figures]]) -> str:
    """Markdown: medians; ratios to Go alone and how they moved from batch 1 in percent, with a 95 % interval."""
    columns = ["", "arm", "answers/s:", "CPU µs per request:", "service time p50, p99 µs:", "generator's CPU µs:"]
    columns += ["throughput to go:", "moved:", "CPU to go:", "moved:"]
    rows = []
    for way, runs in seen.items():
        for arm in ARMS:
            rate, cpu, own, p50, p99 = (
                statistics.median(run[arm][key] for run in runs) for key in ("rate", "cpu", "own", "p50", "p99")
            )
            cells = [way, arm, f"{rate:,.0f}", f"{cpu:.2f}", f"{p50:,.0f}, {p99:,.0f}", f"{own:.2f}"]
            for key in ("rate", "cpu"):
                ratios = [run[arm][key] / run["go"][key] for run in runs]
                base = [run[arm][key] / run["go"][key] for run in seen["batch 1"]]
                moves = [100 * math.log(mine / theirs) for mine, theirs in zip(ratios, base, strict=True)]
                t = float(scipy.stats.t.ppf(0.975, len(moves) - 1))
                half = t * statistics.stdev(moves) / math.sqrt(len(moves))
                moved = "" if arm == "go" or way == "batch 1" else f"{statistics.mean(moves):+.1f} ± {half:.1f} %"
                cells += [f"{statistics.median(ratios):.3f}", moved]
            rows.append(cells)
    return markdown.table(columns, rows)


if __name__ == "__main__":
    main()
