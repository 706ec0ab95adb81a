"""The last lines of a record's report: where it is, and the one command that helps most now."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Sequence

from hopcost.errors import printable
from hopcost.record.contents.run import Record
from hopcost.report.brief.outcome import Outcome, outcome_of
from hopcost.report.brief.words import others_of
from hopcost.report.notes.scope import is_of_servers
from hopcost.report.notes.verdicts import WANTED
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.precision.precision import Settling
from hopcost.statistics.summary.summary import ExperimentSummary

MOST_S = 3600.0  # nobody waits longer without having asked for it
RECORDS = "records"


def last_lines(record: Record, experiments: list[ExperimentSummary]) -> list[str]:
    """Both lines."""
    return [printable(f"record  {record.path}"), printable(f"next    {_next(record, experiments)}")]


def _next(record: Record, experiments: list[ExperimentSummary]) -> str:
    """Measure again if nothing came out; the same if every start was disturbed; for longer if that settles something.

    Otherwise look at everything.
    """
    if is_of_servers(record.plan):
        return _next_of_servers(record, experiments)
    again = f"hopcost run {shlex.quote(_suite(record))}"
    if not any(experiment.arms or experiment.repeats for experiment in experiments):
        return _same(record) or again
    if _is_all_disturbed(experiments):
        return _same(record) or again  # more time beside other programs settles nothing
    open_experiments = [(experiment, worst) for experiment in experiments if (worst := _longest(experiment))]
    if open_experiments:
        experiment, settling = max(open_experiments, key=lambda item: item[1].seconds)
        name = shlex.quote(experiment.plan.suite_name)
        done_s = sum(block.end.elapsed_ns / 1e9 for block in record.blocks_of(experiment.plan.name) if block.end)
        minutes = math.ceil((done_s + settling.seconds) * 1.2 / 60)
        if minutes * 60 <= MOST_S:
            return f"{again} {name} --time {minutes}m"
    return f"hopcost report {shlex.quote(_record(record))} --html"


def _next_of_servers(record: Record, experiments: list[ExperimentSummary]) -> str:
    """The same command with more time, if that settles something."""
    again = shlex.join(_without_options(record.run.command, ("--time", "--record", "--output", "-o")))
    settlings = [settling for experiment in experiments if (settling := _longest(experiment))]
    if not any(experiment.arms for experiment in experiments):
        return again
    if settlings:
        done_s = sum(block.end.elapsed_ns / 1e9 for block in record.blocks if block.end)
        minutes = math.ceil((done_s + max(settling.seconds for settling in settlings)) * 1.2 / 60)
        if minutes * 60 <= MOST_S:
            return f"{again} --time {minutes}m"
    if _is_all_disturbed(experiments):
        return _same(record)
    return f"hopcost report {shlex.quote(_record(record))} --details"


def _is_all_disturbed(experiments: Sequence[ExperimentSummary]) -> bool:
    """Whether there is an experiment without a start that nothing disturbed; a soak has one start, and no say."""
    in_turns = [experiment for experiment in experiments if not experiment.soak]
    return any(experiment.blocks and len(experiment.suspect) == experiment.blocks for experiment in in_turns)


def _same(record: Record) -> str:
    """The run's own command, on a quiet machine and into another record; empty if the record does not have it."""
    words = _without_options(record.run.command, ("--record", "--seed"))
    return shlex.join(word for word in words if word != "--anyway")


def _without_options(command: Sequence[str], options: Collection[str]) -> list[str]:
    """The command without these options and their values.

    >>> _without_options(["hopcost", "vs", ":1", "--time", "9", ":2", "--record=x"], ("--time", "--record"))
    ['hopcost', 'vs', ':1', ':2']
    """
    words, skip = [], False
    for word in command:
        if not skip and word.partition("=")[0] not in options:
            words.append(word)
        skip = not skip and word in options
    return words


def _longest(experiment: ExperimentSummary) -> Settling | None:
    """What the slowest unsettled stack of an experiment still takes, if that is a time to wait for."""
    settlings = [
        comparison.to_settle
        for arm in others_of(experiment)
        if outcome_of(arm) is Outcome.NOT_SETTLED
        and (comparison := arm.comparison(THROUGHPUT)) is not None
        and comparison.to_settle is not None
        and comparison.to_settle.target <= WANTED
    ]
    return max(settlings, key=lambda settling: settling.seconds, default=None)


def _suite(record: Record) -> str:
    """As the run's command named it: a suite's file keeps its path."""
    words = record.run.command[2:]
    file = next((word for word in words if word.partition(".toml")[1]), None)
    return record.plan.suite if file is None else f"{file.partition('.toml')[0]}.toml"


def _record(record: Record) -> str:
    """Its name, if it lies where records lie."""
    return record.path.name if record.path.parent.name == RECORDS else str(record.path)
