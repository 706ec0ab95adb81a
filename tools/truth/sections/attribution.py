"""CPU time that is read per hop must add up to what was used. A section of the truth's page.

Beside a block's load: the clocks of the hops, the generator and the harness, against the kernel's account of the cgroup
that holds all of them; with those of all others, against the account of every task of the machine; and that against
the time in which the cores did not idle.

Ticks are no truth in a virtual machine: those that come while it does not run are lost. The time in which a core does
not idle is more than its tasks used: interrupts that come while it idles, and waking it up, belong to no task; nor does
what the hypervisor kept and did not say.
"""

from __future__ import annotations

import contextlib
import os
import resource
import time
from functools import partial
from pathlib import Path

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.machine import cpu_time
from hopcost.measure.load.arm import engine_arm
from hopcost.programs.generators import engine
from hopcost.programs.generators.engine_lines import End, Validity
from hopcost.programs.generators.engine_plan import EnginePlan, WarmUp
from hopcost.stacks.client import check
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox.cgroups import find_freezer
from tools.truth import cpu_account
from tools.truth.form import Runs
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Bar, Part, Section, median, spread
from tools.truth.plans import plan_of

SECTION = "attribution"
RUNS, LOAD_S, RUN_S = Runs(full=6, short=3), 8.0, 15.0
# Experiments of nginx-go, and how far the sum may be off.
MARGINS = {"one-core": 0.02, "all-cores": 0.03}
COLUMNS = ["cores", "done:", "hops, s:", "generator:", "harness:", "their account:", "sum ÷ account:", "others, s:"]
COLUMNS += ["all tasks:", "sum ÷ all tasks:", "not idle, s:", "all tasks ÷ not idle:", "in no task:", "runs within:"]
COLUMNS += ["holds"]
WORDS = {"one-core": "apart (one-core)", "all-cores": "shared (all-cores)"}


class Reading(msgspec.Struct, frozen=True):
    """CPU seconds so far: of each part of ours by its own clock, of all of us and of every task by the kernel.

    `every_task` is None if the kernel has no such account. `not_idle`: of all cores, neither idle nor stolen.
    """

    hops: float
    children: float
    harness: float
    account: float
    every_task: float | None
    not_idle: float
    interrupts: float

    @staticmethod
    def now(stacks: list[RunningStack], account: Path) -> Reading:
        """Read at once, the kernel's own figures first and last: the clocks lie between them."""
        every_task_ns, not_idle, interrupts = cpu_account.machine_ns(), _not_idle_s(), _interrupts_s()
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return Reading(
            hops=sum(stack.cpu_ns() for stack in stacks) / 1e9,
            children=ended.ru_utime + ended.ru_stime,
            harness=time.process_time(),
            account=cpu_account.read_ns(account) / 1e9,
            every_task=None if every_task_ns is None else every_task_ns / 1e9,
            not_idle=not_idle,
            interrupts=interrupts,
        )


def _not_idle_s() -> float:
    """Seconds of all cores that they neither idled nor were stolen."""
    cores, now = os.cpu_count() or 1, time.monotonic()
    return now * cores - cpu_account.idle().seconds - cpu_time.steal_ns() / 1e9


def _interrupts_s() -> float:
    """Seconds of all cores in interrupts if the kernel keeps them apart from tasks, else 0."""
    if not cpu_time.irq_time_apart():
        return 0.0
    irq, softirq = Path("/proc/stat").read_text().split(maxsplit=8)[6:8]
    return (int(irq) + int(softirq)) / os.sysconf("SC_CLK_TCK")


def parts(before: Reading, after: Reading) -> Figures:
    """Seconds of each part between two readings, and what they add up to, of what the kernel says.

    Others are what the kernel charged to tasks and not to us: so a busy machine changes no quotient of ours. Figures of
    all tasks are absent if the kernel has no account of them.
    """
    figures = {
        "hops_s": after.hops - before.hops,
        "generator_s": after.children - before.children,
        "harness_s": after.harness - before.harness,
    }
    ours, account = sum(figures.values()), after.account - before.account
    figures |= {"account_s": account, "sum_of_account": ours / account}
    interrupts, not_idle = after.interrupts - before.interrupts, after.not_idle - before.not_idle
    figures |= {"interrupts_s": interrupts, "not_idle_s": not_idle}
    if before.every_task is not None and after.every_task is not None:
        every_task = after.every_task - before.every_task
        others = every_task - account
        figures |= {"others_s": others, "every_task_s": every_task, "sum_of_every_task": (ours + others) / every_task}
        figures["every_task_of_not_idle"] = (every_task + interrupts) / not_idle
    return figures


def run(name: str, number: int) -> Figures:
    """One block's load over all arms of nginx-go."""
    planned = plan_of("nginx-go", name, number, time_s=60.0)
    experiment = planned.experiments[0]
    visit_s = (experiment.settle_ns + experiment.slice_ns) / 1e9 * len(experiment.arms)
    host, workload = Local(find_freezer()), experiment.workload
    with contextlib.ExitStack() as running:
        account = running.enter_context(cpu_account.own_account())
        stacks, arms = [], []
        for arm in experiment.arms:
            arguments = (arm.name, arm.arm, experiment.settings, experiment.cores, host)
            stack = running.enter_context(RunningStack(*arguments, label=f"truth-{arm.name}"))
            stacks.append(stack)
            answer = check.ask_as_loaded(arm.name, stack.prepared.address, workload)
            arms.append(engine_arm(stack, workload, [answer]))
        work = EnginePlan(
            seed=number,
            cores=experiment.cores.generator,
            slice_ns=experiment.slice_ns,
            settle_ns=experiment.settle_ns,
            rounds=round(LOAD_S / visit_s),
            warm_up=WarmUp(least_ns=planned.warm_up_least_ns, most_ns=planned.warm_up_most_ns),
            arms=arms,
        )
        before = Reading.now(stacks, account)
        ends = [line for line in engine.run_engine(work) if isinstance(line, End)]
        after = Reading.now(stacks, account)
    if not ends or ends[0].validity == Validity.VOID:
        raise MeasurementFailed(f"the load is void: {ends}")
    return parts(before, after)


def misses(figures: Figures, name: str) -> list[float]:
    """How far off the sums are from the kernel's accounts, as shares of what is allowed."""
    quotients = [figures[key] for key in ("sum_of_account", "sum_of_every_task") if key in figures]
    return [abs(quotient - 1) / MARGINS[name] for quotient in quotients]


class Attribution(Section):
    """Both placements."""

    key = SECTION
    heading = "# CPU time adds up"
    asks = "CPU time adds up to what the kernel charged to tasks"
    tells = ("sum ÷ account", "sum ÷ busy")
    short_s = 120.0

    def cases(self) -> list[Case]:
        """A load of nginx-go's arms in each placement."""
        settings: dict[str, object] = {"suite": "nginx-go", "load_s": LOAD_S, "truth": "accounts of cgroups"}
        return [
            Case(SECTION, name, partial(run, name), RUNS.of(self.form), settings, seconds=RUN_S) for name in MARGINS
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each placement."""
        rows, verdicts = [], []
        for case in self.cases():
            runs = done.of(SECTION, case.name)
            bar = Bar([misses(figures, case.name) for figures in runs], case.runs)
            verdicts.append(bar.verdict())
            figures = _cells(runs) if runs else [""] * (len(COLUMNS) - 4)
            rows.append([WORDS[case.name], f"{len(runs)} of {case.runs}", *figures, bar.within(), bar.verdict()])
        return [Part(_prose(), COLUMNS, rows, verdicts)]


def _prose() -> list[str]:
    bars = ", ".join(f"{margin * 100:g} % with cores {WORDS[name]}" for name, margin in MARGINS.items())
    return [
        f"All arms of nginx-go in slices, {LOAD_S:g} s of load. The CPU clocks of the hops, the generator and the"
        " harness are added up. The kernel charged the same tasks to the cgroup that held all of them: *their account*,"
        " in ns. *Others* is what it charged to every other task. The sum must be within"
        f" {bars}, both of their account and, with the others, of all tasks; median over runs, quartiles in brackets.",
        "*Not idle*: the time of all cores less what cpuidle measured as idle, and less what the hypervisor says it"
        " kept. What of it is *in no task* is missing from every hop. It is interrupts that came while a core idled,"
        " waking cores up, and what the hypervisor kept and did not say. /proc/stat's busy time is no truth here: it is"
        " counted in ticks, and a virtual machine loses those that come while it does not run.",
    ]


def _cells(runs: list[Figures]) -> list[str]:
    """The columns from hops to *in no task*; of all tasks only where every run has them."""
    cells = [f"{median(runs, name):.3f}" for name in ("hops_s", "generator_s", "harness_s", "account_s")]
    cells.append(_quotient(runs, "sum_of_account"))
    if not all("every_task_s" in figures for figures in runs):
        return [*cells, "", "", "", f"{median(runs, 'not_idle_s'):.3f}", "", ""]
    in_no_task = median([{"share": 1 - figures["every_task_of_not_idle"]} for figures in runs], "share")
    return [
        *cells,
        *(f"{median(runs, name):.3f}" for name in ("others_s", "every_task_s")),
        _quotient(runs, "sum_of_every_task"),
        f"{median(runs, 'not_idle_s'):.3f}",
        _quotient(runs, "every_task_of_not_idle"),
        f"{in_no_task * 100:.1f} %",
    ]


def _quotient(runs: list[Figures], name: str) -> str:
    return spread(runs, name, lambda value: f"{value:.4f}")
