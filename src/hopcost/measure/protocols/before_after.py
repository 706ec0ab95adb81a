"""`hopcost gate`: one arm before and after a change, both as arms of one interleaved experiment, and the decision."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console

from hopcost.errors import MeasurementFailed, Undecided, UsageError
from hopcost.measure import run
from hopcost.measure.run import Watch
from hopcost.plan.options import RunOptions
from hopcost.programs import changes
from hopcost.statistics.questions.gate import (
    AFTER,
    BEFORE,
    EXPERIMENT,
    TARGET_SHARE,
    GateQuestion,
    GateResult,
    read_gate,
)
from hopcost.suites import read
from hopcost.suites.arm import Arm
from hopcost.suites.experiment import Experiment
from hopcost.suites.suite import Suite

ANALYSIS = (
    "A gate: is the arm {path} slower or dearer than before by more than {margin:.3g} %? Both sides take turns in one"
    " experiment, and the side before runs twice."
)


def gate_suite(question: GateQuestion) -> Suite:
    """The arm's experiment with two arms, before and after; UsageError for a word that fits nothing."""
    content, experiment, name = read.locate(question.path)
    if experiment.sweep is not None:
        values = [str(value) for value in experiment.sweep.values]
        raise UsageError(
            f"{question.path}: {experiment.name} is a sweep over {experiment.sweep.key}",
            f"name one of its values: {experiment.name}@{values[0]} ({', '.join(values)})",
        )
    arm = _with_all_settings(experiment.surrounded(content.arms[name]), experiment)
    return Suite(
        name=f"gate-{content.name}",
        title=f"Gate: {question.path}",
        arms={
            BEFORE: _side(arm, question.before, "--before"),
            AFTER: _side(arm, question.after, "--after"),
        },
        experiments=[
            Experiment(
                name=EXPERIMENT,
                question=f"Does {question.path} cost more after the change than before?",
                baseline=BEFORE,
                arms=[BEFORE, AFTER],
                placement=experiment.placement,
                workload=experiment.workload,
                slices=experiment.slices,
                slice_s=experiment.slice_s,
                open_loop=False,
            )
        ],
        analysis=ANALYSIS.format(path=question.path, margin=100 * question.margin),
    )


def ask_gate(question: GateQuestion, wishes: RunOptions, console: Console, watch: Watch) -> GateResult:
    """Measure, and decide. Undecided where the measurement broke; KeyboardInterrupt where it was stopped."""
    made = gate_suite(question)
    is_same = made.arms[BEFORE].hops == made.arms[AFTER].hops
    if is_same:
        said = "both sides are the same: an A/A gate, which tells what this machine makes of no difference"
        console.print(said, soft_wrap=True)
    wishes = msgspec.structs.replace(wishes, margin=question.margin, target_width=question.margin * TARGET_SHARE)
    try:
        measured = run.measure(made, [], wishes, console, watch)
    except MeasurementFailed as error:
        raise Undecided(f"undecided: {error.message}", error.hint) from error
    if measured.interrupted:
        raise KeyboardInterrupt
    return read_gate(question, measured.record, is_same)


def refuse_unwritable(paths: Sequence[Path | None]) -> None:
    """UsageError for a summary's file that could not be written after all the measuring."""
    for path in paths:
        if path is not None and (path.is_dir() or not path.resolve().parent.is_dir()):
            raise UsageError(f"{path}: cannot be written there", "name a file in a directory that exists")


def _side(arm: Arm, words: Sequence[str], option: str) -> Arm:
    title = ", ".join(words) or "as the suite has it"
    return msgspec.structs.replace(changes.change_settings(arm, words, option), title=title, stand_in=False)


def _with_all_settings(arm: Arm, experiment: Experiment) -> Arm:
    """The arm with the experiment's settings laid under its hops' own: the gate's experiment has none."""
    hops = [msgspec.structs.replace(hop, settings=hop.settings_over(experiment.settings)) for hop in arm.hops]
    return msgspec.structs.replace(arm, hops=hops, settings={})
