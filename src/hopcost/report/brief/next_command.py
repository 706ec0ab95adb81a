"""The last lines of a record's report: where it is, and the one command that helps most now."""

from __future__ import annotations

import math
import shlex

from hopcost.errors import printable
from hopcost.record.run import Record
from hopcost.report.brief.outcome import Outcome, outcome_of
from hopcost.report.brief.words import others_of
from hopcost.report.notes.verdicts import WANTED
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.precision import Settling
from hopcost.statistics.summary.summary import ExperimentSummary

MOST_S = 3600.0  # nobody waits longer without having asked for it
RECORDS = "records"


def last_lines(record: Record, experiments: list[ExperimentSummary]) -> list[str]:
    """Both lines."""
    return [printable(f"record  {record.path}"), printable(f"next    {_next(record, experiments)}")]


def _next(record: Record, experiments: list[ExperimentSummary]) -> str:
    """Measure again if nothing came out; for longer if that settles something; otherwise look at everything."""
    again = f"hopcost run {shlex.quote(_suite(record))}"
    if not any(experiment.arms or experiment.repeats for experiment in experiments):
        return again
    open_experiments = [(experiment, worst) for experiment in experiments if (worst := _longest(experiment))]
    if open_experiments:
        experiment, settling = max(open_experiments, key=lambda item: item[1].seconds)
        name = shlex.quote(experiment.plan.suite_name)
        done_s = sum(block.end.elapsed_ns / 1e9 for block in record.blocks_of(experiment.plan.name) if block.end)
        minutes = math.ceil((done_s + settling.seconds) * 1.2 / 60)
        if minutes * 60 <= MOST_S:
            return f"{again} {name} --time {minutes}m"
    return f"hopcost report {shlex.quote(_record(record))} --html"


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
