"""One start of all arms of a screening, in as many rounds as the time holds."""

from __future__ import annotations

from hopcost.measure.blocks.block import measure_block
from hopcost.measure.load.context import BlockContext
from hopcost.measure.protocols.conf.growing import ReadyPhase
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_lines import Validity
from hopcost.programs.generators.engine_plan import WarmUp
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Ending, StopReason
from hopcost.statistics.validity.reasons import shorten_reasons

START_S = 0.5  # of an arm: made keys, `nginx -t`, its start, its check, its end
WARM_UP_NS = METHOD.min_warm_up_ns  # of an arm; nginx compiles nothing as it runs
LEAST_ROUNDS, MOST_ROUNDS = 4, 60
ATTEMPTS = 2  # a void start says nothing


def screen(phase: ReadyPhase, seconds: float) -> None:
    """Measure its one experiment, once more if the start was void; why it ended goes into the record."""
    planned = phase.plan.experiments[0]
    context = BlockContext(phase.plan, planned, phase.rig, phase.writer, phase.watcher)
    phase.watcher.experiment_begins(planned)
    if len(phase.plan.experiments) > 1 or not planned.turns.interleave:
        _end(phase, StopReason.FAILED, "not all arms fit side by side here: fewer --connections")
        return
    rounds = rounds_in(seconds, planned)
    for number in range(ATTEMPTS):
        block = measure_block(context, planned.arms, number, rounds, warm_up=WarmUp(WARM_UP_NS, WARM_UP_NS))
        context.finish(block)
        if block.validity is not Validity.VOID:
            _end(phase, StopReason.BLOCKS, f"one start of {rounds} rounds")
            return
    _end(phase, StopReason.FAILED, f"void: {_why(block)}")


def rounds_in(seconds: float, planned: PlannedExperiment) -> int:
    """How many rounds of all arms the time holds, after their start and warm-up; never fewer than a range takes."""
    arms = len(planned.arms)
    left_s = seconds - arms * (START_S + WARM_UP_NS / 1e9)
    round_s = arms * (planned.settle_ns + planned.slice_ns) / 1e9 * METHOD.slice_edges
    return min(MOST_ROUNDS, max(LEAST_ROUNDS, int(left_s / round_s)))


def _why(block: Block) -> str:
    failures = [failure.message for failure in block.failures]
    return shorten_reasons(block.reasons) if block.reasons else "; ".join(failures)


def _end(phase: ReadyPhase, why: StopReason, detail: str) -> None:
    ending = Ending(experiment=phase.plan.experiments[0].suite_name, why=why, detail=detail)
    phase.writer.end_experiment(ending)
    phase.watcher.experiment_ends(ending)
