"""CPU time that is read per hop must add up to what the machine was busy. A section of docs/truth.md.

Beside a block's load: the hops' clocks, the generator's and the harness's own, every other process's and the kernel's
threads, against what /proc/stat says of all cores in the same stretch of time.

/proc/stat gives it in two ways, neither exact in a virtual machine. Busy time is counted in ticks, and ticks are lost
while the hypervisor does not run the machine. Idle time is measured if the kernel stops the tick of an idle core
(NO_HZ). The rest then holds the time in which a core should have run and did not: 3 to 7 % here.
"""

from __future__ import annotations

import contextlib
import os
import resource
import time
from functools import partial
from pathlib import Path

import msgspec
import psutil

from hopcost.errors import MeasurementFailed
from hopcost.generators import engine
from hopcost.generators.engine_protocol import End, EnginePlan, Validity, WarmUp
from hopcost.machine import cpu_time
from hopcost.measure import engine_load
from hopcost.stacks import check
from hopcost.stacks.host import Local
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.stacks.stack import RunningStack
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.part import Bar, Part, Section, median, spread
from tools.truth.plans import plan_of

SECTION = "attribution"
RUNS, LOAD_S = 6, 8.0
# Experiments of nginx-go, and how far the sum may be off.
MARGINS = {"one-core": 0.02, "all-cores": 0.03}
COLUMNS = ["cores", "done:", "hops, s:", "generator:", "harness:", "others, kernel threads:", "sum:", "/proc/stat:"]
COLUMNS += ["sum ÷ busy:", "sum ÷ not idle:", "not idle, in no column:", "runs within:", "holds"]
WORDS = {"one-core": "apart (one-core)", "all-cores": "shared (all-cores)"}


class Reading(msgspec.Struct, frozen=True):
    """CPU seconds so far: of the machine, and of each part of it. `ticks` is busy time as counted in ticks."""

    busy: float
    ticks: float
    hops: float
    children: float
    harness: float
    others: dict[int, float]
    interrupts: float

    @staticmethod
    def now(stacks: list[RunningStack]) -> Reading:
        """Read at once, /proc/stat first: it is the coarsest."""
        busy, ticks, interrupts = _stat()
        hops = sum(stack.cpu_ns() for stack in stacks) / 1e9
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        ours = {pid for stack in stacks for pids in stack.processes.values() for pid in pids} | {os.getpid()}
        return Reading(
            busy=busy,
            ticks=ticks,
            hops=hops,
            children=ended.ru_utime + ended.ru_stime,
            harness=time.process_time(),
            others=_others(ours),
            interrupts=interrupts,
        )


def _stat() -> tuple[float, float, float]:
    """Seconds of all cores: neither idle nor stolen, busy by ticks, and of interrupts where they are kept apart."""
    lines, now = Path("/proc/stat").read_text().splitlines(), time.monotonic()
    cores = sum(line[:3] == "cpu" and line[3].isdigit() for line in lines)
    per_s = os.sysconf("SC_CLK_TCK")
    user, nice, system, idle, iowait, irq, softirq, steal = (int(field) / per_s for field in lines[0].split()[1:9])
    apart = irq + softirq if cpu_time.irq_time_apart() else 0.0
    return now * cores - idle - iowait - steal, user + nice + system + irq + softirq, apart


def _others(ours: set[int]) -> dict[int, float]:
    """CPU seconds of every other process and thread of the kernel, to the ns (schedstat of each of its threads)."""
    used = {}
    for process in psutil.process_iter():
        if process.pid not in ours:
            with contextlib.suppress(OSError, ValueError):
                tasks = list(Path(f"/proc/{process.pid}/task").iterdir())
                used[process.pid] = sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    return used


def parts(before: Reading, after: Reading) -> Figures:
    """Seconds of each part between two readings, and their sum ÷ busy, by what was not idle and by ticks.

    A process that began or ended in between is not among the others: it has but one reading.
    """
    alike = before.others.keys() & after.others.keys()
    figures = {
        "hops_s": after.hops - before.hops,
        "generator_s": after.children - before.children,
        "harness_s": after.harness - before.harness,
        "others_s": sum(after.others[pid] - before.others[pid] for pid in alike),
        "interrupts_s": after.interrupts - before.interrupts,
    }
    busy, ticks, total = after.busy - before.busy, after.ticks - before.ticks, sum(figures.values())
    return {**figures, "busy_s": busy, "ticks_s": ticks, "sum_of_busy": total / busy, "sum_of_ticks": total / ticks}


def run(name: str, number: int) -> Figures:
    """One block's load over all arms of nginx-go."""
    planned = plan_of("nginx-go", name, number, time_s=60.0)
    experiment = planned.experiments[0]
    visit_s = (experiment.settle_ns + experiment.slice_ns) / 1e9 * len(experiment.arms)
    host, workload = Local(find_freezer()), experiment.workload
    with contextlib.ExitStack() as running:
        stacks, arms = [], []
        for arm in experiment.arms:
            arguments = (arm.name, arm.arm, experiment.settings, experiment.cores, host)
            stack = running.enter_context(RunningStack(*arguments, label=f"truth-{arm.name}"))
            stacks.append(stack)
            answer = check.ask_as_loaded(arm.name, stack.prepared.address, workload)
            arms.append(engine_load.engine_arm(stack, workload, answer))
        work = EnginePlan(
            seed=number,
            cores=experiment.cores.generator,
            slice_ns=experiment.slice_ns,
            settle_ns=experiment.settle_ns,
            rounds=round(LOAD_S / visit_s),
            warm_up=WarmUp(least_ns=planned.warm_up_least_ns, most_ns=planned.warm_up_most_ns),
            arms=arms,
        )
        before = Reading.now(stacks)
        ends = [line for line in engine.run_engine(work) if isinstance(line, End)]
        after = Reading.now(stacks)
    if not ends or ends[0].validity == Validity.VOID:
        raise MeasurementFailed(f"the load is void: {ends}")
    return parts(before, after)


def miss(figures: Figures, name: str) -> float:
    """How far off the sum is from the busy time by ticks, as a share of what is allowed."""
    return abs(figures["sum_of_ticks"] - 1) / MARGINS[name]


class Attribution(Section):
    """Both placements."""

    key = SECTION
    heading = "# CPU time adds up"

    def cases(self) -> list[Case]:
        """A load of nginx-go's arms in each placement."""
        settings: dict[str, object] = {"suite": "nginx-go", "load_s": LOAD_S}
        return [Case(SECTION, name, partial(run, name), RUNS, settings) for name in MARGINS]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each placement."""
        rows, verdicts = [], []
        for case in self.cases():
            runs = done.of(SECTION, case.name)
            bar = Bar([[miss(figures, case.name)] for figures in runs], case.runs)
            verdicts.append(bar.verdict())
            figures = _cells(runs) if runs else [""] * 9
            rows.append([WORDS[case.name], f"{len(runs)} of {case.runs}", *figures, bar.within(), bar.verdict()])
        prose = (
            f"All arms of nginx-go in slices, {LOAD_S:g} s of load: the CPU clocks of the hops, the generator's and the"
            " harness's own, and those of every other process and kernel thread, added up and divided by the busy time"
            " of all cores in /proc/stat. That is counted in ticks, of which a virtual machine loses those that come"
            " while it is not run; the quotient by what /proc/stat does not call idle, iowait or steal stands beside,"
            " which holds that time too. By the busy time the sum must be within "
            + ", ".join(f"{margin * 100:g} % with cores {WORDS[name]}" for name, margin in MARGINS.items())
            + "; median over runs, quartiles in brackets."
        )
        return [Part([prose], COLUMNS, rows, verdicts)]


def _cells(runs: list[Figures]) -> list[str]:
    total = [{"s": figures["sum_of_busy"] * figures["busy_s"]} for figures in runs]
    lost = [{"share": 1 - figures["ticks_s"] / figures["busy_s"]} for figures in runs]
    return [
        *(f"{median(runs, name):.3f}" for name in ("hops_s", "generator_s", "harness_s", "others_s")),
        f"{median(total, 's'):.3f}",
        f"{median(runs, 'ticks_s'):.2f}",
        *(spread(runs, name, lambda value: f"{value:.4f}") for name in ("sum_of_ticks", "sum_of_busy")),
        f"{median(lost, 'share') * 100:.1f} %",
    ]
