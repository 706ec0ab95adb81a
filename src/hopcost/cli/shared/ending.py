"""What a verb that measures ends with, and the line that says why if it is not 0.

1 if something that was measured failed. 4 if there is no answer: not one verdict, or no start of an experiment counted.
With --anyway nobody asks for verdicts. A gate's exit code is its answer.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

from hopcost.errors import HopcostError, MeasurementFailed, NotSettled, printable
from hopcost.plan.plan import PlannedExperiment
from hopcost.plan.turns import Turns
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Failure
from hopcost.record.contents.run import Record, StopReason
from hopcost.report.brief.reasons import plainer
from hopcost.report.notes.scope import of_servers
from hopcost.statistics.comparisons import BUSY_MACHINE
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


class _Part(NamedTuple):
    """An experiment: whether it broke off, the failures of its stacks, and whether a start of it is void."""

    name: str
    has_failed: bool
    failures: list[Failure]
    has_void_starts: bool

    @property
    def is_lost(self) -> bool:
        """Whether it ended because its starts were void: the machine's fault or the instrument's, not a stack's."""
        return self.has_failed and self.has_void_starts and not self.failures


def ending_of(
    record: Record,
    experiments: Sequence[PlannedExperiment] | None = None,
    *,
    well: bool,
    is_answered: bool,
    why_not: str = "there is no verdict",
) -> Ending:
    """How a run ends; `well` if its loop met no failure, `is_answered` if what its verb asked has an answer.

    Without `experiments` all of the record matter. `why_not` says what is lacking if there is no answer.
    """
    asked = record.plan.experiments if experiments is None else experiments
    parts = [_part(record, experiment.name) for experiment in asked]
    lost = [part.name for part in parts if part.is_lost]
    failures = [
        *(f"{left.name} does not run here" for left in record.plan.left_out),
        *(f"{failure.arm} failed in {part.name}" for part in parts for failure in part.failures),
        *(f"{part.name} failed" for part in parts if part.has_failed and not part.failures and not part.is_lost),
    ]
    if failures:
        return Ending(MeasurementFailed.exit_code, "; ".join(dict.fromkeys(failures)))
    if lost:
        return Ending(NotSettled.exit_code, f"too few starts of {', '.join(lost)} count")
    if not well:
        return Ending(MeasurementFailed.exit_code, "something that was measured failed")
    if not is_answered:
        return Ending(NotSettled.exit_code, why_not)
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
    """Not with --anyway, of a single stack, of a soak, of restarts, nor as an article published it."""
    plan = experiment.plan
    stacks = [arm for arm in plan.arms if arm.copy_of is None]
    return (
        len(stacks) > 1
        and plan.turns is not Turns.SOAK
        and plan.restart is None
        and plan.as_published is None
        and experiment.no_verdicts != BUSY_MACHINE
    )


def _part(record: Record, name: str) -> _Part:
    blocks = record.blocks_of(name)
    return _Part(
        name,
        has_failed=any(ending.experiment == name and ending.why is StopReason.FAILED for ending in record.run.endings),
        failures=[failure for block in blocks for failure in block.failures],
        has_void_starts=any(block.validity is Validity.VOID for block in blocks),
    )
