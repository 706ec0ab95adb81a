"""Arms measured both ways: by slices, as `hopcost run` does, and alone, started by themselves and never frozen."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from hopcost.errors import CannotMeasure, MeasurementFailed
from hopcost.measure.blocks import block
from hopcost.measure.load.arm import engine_arm
from hopcost.measure.load.context import BlockContext
from hopcost.measure.rig import RealRig
from hopcost.measure.watcher import Silent
from hopcost.plan.method import METHOD
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.programs.generators import engine
from hopcost.programs.generators.engine_lines import Slice, Validity
from hopcost.programs.generators.engine_plan import EnginePlan, WarmUp
from hopcost.record.writer import Writer
from hopcost.stacks.client import check
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox.cgroups import Freezer, FreezerKind, find_freezer
from hopcost.statistics import figures as statistics_figures
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.validity.reasons import sentences
from hopcost.suites.suite import Suite
from tools.truth.lines import Figures
from tools.truth.plans import plan_of

WARM_UP_NS = 2_000_000_000  # a garbage collector's heap has to grow to its size
LOADED_S = 4.0  # of an arm, settling included


class Rates(msgspec.Struct, frozen=True):
    """Answers per second, and CPU ns per request of all hops."""

    throughput: float
    cpu_ns: float


@functools.cache
def lengths(content: str, connections: int) -> tuple[float, ...]:
    """Settling, slice (ns) and its jitter: older runs with others stand aside. Empty where it cannot run here."""
    try:
        planned = plan_of(content, "one-core", connections=connections).experiments[0]
    except CannotMeasure:
        return ()
    return planned.settle_ns, planned.slice_ns, planned.slice_jitter


def warm_up(connections: int) -> WarmUp:
    """As long for both ways."""
    length_ns = WARM_UP_NS + METHOD.warm_up_ns_per_connection * connections
    return WarmUp(least_ns=length_ns, most_ns=length_ns)


def rounds(experiment: PlannedExperiment) -> int:
    """Of slices, so that each arm is loaded for about as long as it is to be."""
    return max(2, round(LOADED_S / ((experiment.settle_ns + experiment.slice_ns) / 1e9)))


def sliced(planned: Plan, wanted: Sequence[str]) -> Figures:
    """Blocks as `hopcost run` measures them, one for each group of arms."""
    figures: Figures = {}
    content = Suite(name=planned.suite, title=planned.title, arms={}, experiments=[])
    with tempfile.TemporaryDirectory() as folder, Writer(Path(folder), content, planned, {}, []) as writer:
        for number, experiment in enumerate(planned.experiments):
            closed = msgspec.structs.replace(experiment, open_loop_shares=[])
            setting = BlockContext(
                plan=planned, experiment=closed, rig=RealRig(Local(find_freezer())), writer=writer, watcher=Silent()
            )
            done = block.measure_block(
                setting, closed.arms, number, rounds(closed), warm_up=warm_up(closed.workload.connections)
            )
            if done.validity == Validity.VOID or done.failures:
                words = [*sentences(done.reasons), *map(str, done.failures)]
                raise MeasurementFailed(f"the block by slices is {done.validity}: {'; '.join(words)}")
            beside = PairedBlocks(closed, [done])
            for key, figure in (
                ("sliced", statistics_figures.throughput),
                ("sliced_cpu", statistics_figures.cpu_per_request),
            ):
                ratios = ((arm.name, beside.ratio(arm.name, figure, 0.05)) for arm in closed.arms if arm.name in wanted)
                figures |= {f"{key} {name}": interval.value for name, interval in ratios if interval is not None}
    return figures


def stack_alone(experiment: PlannedExperiment, name: str) -> RunningStack:
    """One arm to run by itself, on a host that freezes nobody."""
    arm = next(arm for arm in experiment.arms if arm.name == name)
    never = Local(Freezer(kind=FreezerKind.SIGNAL, parent=None))
    return RunningStack(name, arm.arm, experiment.settings, experiment.cores, never, label="alone")


def alone(experiment: PlannedExperiment, name: str, seconds: float) -> Rates:
    """One arm that runs alone and is never frozen, after the same warm-up; answers per second of it, and CPU."""
    with stack_alone(experiment, name) as stack:
        answer = check.ask_as_loaded(name, stack.prepared.address, experiment.workload)
        only = msgspec.structs.replace(engine_arm(stack, experiment.workload, [answer]), freeze=None)
        load = EnginePlan(
            seed=0,
            cores=experiment.cores.generator,
            slice_ns=round(seconds * 1e9),
            settle_ns=0,
            rounds=1,
            warm_up=warm_up(experiment.workload.connections),
            arms=[only],
        )
        slices = [line for line in engine.run_engine(load) if isinstance(line, Slice)]
    used = statistics_figures.total(slices[0].cpu_ns.values())
    if sum(slices[0].errors.values()) or not used or not slices[0].answers:
        raise MeasurementFailed(f"{name} alone had errors, or no figures: {slices[0]}")
    return Rates(
        throughput=slices[0].answers * 1e9 / slices[0].elapsed_ns,
        cpu_ns=used / slices[0].answers,
    )
