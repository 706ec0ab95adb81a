"""`hopcost gate`: one arm before and after a change, both as arms of one interleaved experiment, and the decision."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost.errors import MeasurementFailed, NotSettled, UsageError
from hopcost.measure import run
from hopcost.measure.run import Measured
from hopcost.measure.watcher import RunWatcher
from hopcost.plan.options import RunOptions
from hopcost.programs import changes
from hopcost.record.contents.question import Verb, keep
from hopcost.record.secrets import mask_words
from hopcost.statistics.questions.gate.decision import AFTER, BEFORE
from hopcost.statistics.questions.gate.gate import EXPERIMENT, GateQuestion
from hopcost.suites import names
from hopcost.suites.arms.arm import Arm
from hopcost.suites.experiments.experiment import Experiment
from hopcost.suites.suite import Suite

ANALYSIS = (
    "A gate: did {path} get more than {margin:.3g} % slower, or does it need more CPU? Both sides take turns in one"
    " experiment, and the side before runs twice."
)


def gate_suite(question: GateQuestion) -> Suite:
    """The arm's experiment with two arms, before and after; UsageError for an unknown setting."""
    content, experiment, name = names.locate(question.path)
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


def question_to_keep(question: GateQuestion, suite: Suite) -> GateQuestion:
    """The question as records and answers have it: secrets masked, and whether both sides of its suite are alike."""
    return msgspec.structs.replace(
        question,
        before=mask_words(question.before),
        after=mask_words(question.after),
        is_same=suite.arms[BEFORE].hops == suite.arms[AFTER].hops,
    )


def measure_gate(question: GateQuestion, suite: Suite, options: RunOptions, run_watcher: RunWatcher) -> Measured:
    """Measure the suite, and keep the question in its record. NotSettled if the measurement breaks."""
    options = msgspec.structs.replace(options, margin=question.margin)
    try:
        return run.measure(suite, [], options, run_watcher, keep(Verb.GATE, question))
    except MeasurementFailed as error:
        raise NotSettled(f"not settled: {error.message}", error.hint) from error


def _side(arm: Arm, words: Sequence[str], option: str) -> Arm:
    title = ", ".join(mask_words(words)) or "as the suite has it"
    return msgspec.structs.replace(changes.change_settings(arm, words, option), title=title, stand_in=False)


def _with_all_settings(arm: Arm, experiment: Experiment) -> Arm:
    """The arm with the experiment's settings laid under its hops' own: the gate's experiment has none."""
    hops = [msgspec.structs.replace(hop, settings=hop.settings_over(experiment.settings)) for hop in arm.hops]
    return msgspec.structs.replace(arm, hops=hops, settings={})
