"""What a verb that measures ends with, and the line that says why if it is not 0.

1 if something that was measured failed. 4 if there is no answer: not one verdict, or no start of an experiment counted.
With --anyway nobody asks for verdicts. A gate's exit code is its answer.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

from hopcost.errors import HopcostError, MeasurementFailed, NotSettled, printable
from hopcost.plan.turns import Turns
from hopcost.record.contents.run import Record, StopReason
from hopcost.report.brief.reasons import plainer
from hopcost.report.notes.scope import of_servers
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.statistics.verdict import NO_VERDICT, NOT_SETTLED


class Ending(NamedTuple):
    """An exit code, and why it is not 0."""

    exit_code: int
    why: str


WELL = Ending(0, "")


def end_with(ending: Ending) -> int:
    """Say why it is not 0, on standard error; the exit code."""
    if ending.exit_code:
        print(f"exit code {ending.exit_code}: {printable(ending.why)}", file=sys.stderr)
    return ending.exit_code


def ending_of(record: Record, experiments: Sequence[ExperimentSummary], *, well: bool, is_answered: bool) -> Ending:
    """How a run ends; `well` if its loop met no failure, `is_answered` if what its verb asked has an answer."""
    lost = [experiment for experiment in experiments if _is_lost(experiment)]
    failures = [
        *(f"{left.name} does not run here" for left in record.plan.left_out),
        *(
            f"{failure.arm} failed in {experiment.plan.name}"
            for experiment in experiments
            for failure in experiment.failures
        ),
        *(
            f"{experiment.plan.name} failed"
            for experiment in experiments
            if _has_failed(experiment) and not experiment.failures and experiment not in lost
        ),
    ]
    if failures:
        return Ending(MeasurementFailed.exit_code, "; ".join(dict.fromkeys(failures)))
    if lost:
        names = ", ".join(experiment.plan.name for experiment in lost)
        return Ending(NotSettled.exit_code, f"too few starts of {names} count")
    if not well:
        return Ending(MeasurementFailed.exit_code, "something that was measured failed")
    if not is_answered and not record.plan.on_busy_machine:
        return Ending(NotSettled.exit_code, "there is no verdict")
    return WELL


def error_of(ending: Ending, why: str, hint: str | None) -> HopcostError:
    """The error for servers that could not be measured to the end, with the ending's exit code."""
    kind = NotSettled if ending.exit_code == NotSettled.exit_code else MeasurementFailed
    return kind(of_servers(plainer(why)), hint)


def has_verdict(experiments: Sequence[ExperimentSummary]) -> bool:
    """Whether any stack has a verdict in any figure, or no experiment asks for one."""
    asked = [experiment for experiment in experiments if _asks_for_verdicts(experiment)]
    return not asked or any(
        comparison.no_verdict is None and comparison.verdict.word not in (NO_VERDICT, NOT_SETTLED)
        for experiment in asked
        for arm in experiment.arms
        for comparison in arm.comparisons
    )


def _asks_for_verdicts(experiment: ExperimentSummary) -> bool:
    """Not of a single stack, of a soak, nor as an article published it."""
    plan = experiment.plan
    stacks = [arm for arm in plan.arms if arm.copy_of is None]
    return len(stacks) > 1 and plan.turns is not Turns.SOAK and plan.as_published is None


def _has_failed(experiment: ExperimentSummary) -> bool:
    return experiment.ending is not None and experiment.ending.why is StopReason.FAILED


def _is_lost(experiment: ExperimentSummary) -> bool:
    """Whether it ended because its starts were void: the machine's fault or the instrument's, not a stack's."""
    return _has_failed(experiment) and bool(experiment.void) and not experiment.failures
