"""Measure the machine's spread: the embedded origin runs twice, and the slices of a round make a pair.

Both runs use one core if the machine has two, as the two runs of a baseline do. Programs start once, so the spread
holds nothing of a restart. Other programs void nothing here: the spread holds what they do.
statistics/questions/machine_spread.py judges the pairs.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.machine import facts
from hopcost.measure.blocks import block
from hopcost.measure.load.context import BlockContext
from hopcost.measure.rig import RealRig
from hopcost.measure.watcher import Silent
from hopcost.plan.make import make_plan
from hopcost.plan.method import METHOD
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.programs import receipt
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.writer import Writer
from hopcost.stacks.host import Local
from hopcost.stacks.sandbox import leftovers, network
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.stacks.sandbox.leftovers import CGROUP_PREFIX
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.statistics.questions.machine_spread import SECONDS, SETTLE_NS, SLICE_NS, MachineSpread, judge
from hopcost.statistics.validity.reasons import sentences
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.experiments.experiment import Experiment, Placement
from hopcost.suites.suite import Suite


def measure_spread(seconds: float = SECONDS) -> MachineSpread:
    """Measure for about so many seconds; MeasurementFailed or CannotMeasure when that does not work out."""
    suite = _suite()
    limits = MachineLimits(
        installed={"origin": receipt.installed("origin")},
        allowed_cores=facts.allowed_cores(),
        siblings=facts.siblings(),
        open_files=raise_open_files(),
    )
    planned = make_plan(suite, [], RunOptions(quick=True, time_s=seconds, seed=0, on_busy_machine=True), limits)
    experiment = msgspec.structs.replace(
        planned.experiments[0], slice_ns=SLICE_NS, settle_ns=SETTLE_NS, slice_jitter=0.0
    )
    round_s = 2 * (SLICE_NS + SETTLE_NS) / 1e9 * METHOD.slice_edges
    own = f"{CGROUP_PREFIX}{leftovers.owner()}-spread-"  # killed, it is found by its owner
    with tempfile.TemporaryDirectory(prefix=own) as folder, Writer(Path(folder), suite, planned, {}, []) as writer:
        context = BlockContext(
            plan=planned,
            experiment=experiment,
            rig=RealRig(Local(find_freezer(), network.find_network())),
            writer=writer,
            watcher=Silent(),
        )
        finished = block.measure_block(context, experiment.arms, 0, max(3, round(seconds / round_s)))
    if finished.validity == Validity.VOID or finished.failures:
        words = [*sentences(finished.reasons), *(failure.message for failure in finished.failures)]
        raise MeasurementFailed(f"the spread could not be measured: {'; '.join(words)}")
    return judge(finished, experiment)


def _suite() -> Suite:
    return Suite(
        name="spread",
        title="The embedded origin beside itself",
        arms={"origin": Arm(hops=[Hop(program="origin", link=Link.HTTP_TCP)])},
        experiments=[
            Experiment(
                name="spread",
                question="How far apart are two slices of the same server?",
                baseline="origin",
                arms=["origin"],
                placement=Placement.ONE_CORE if len(facts.allowed_cores()) > 1 else Placement.ALL_CORES,
            )
        ],
    )
