"""Restarts in short: what visitors and kept connections notice while all copies of a program are restarted once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hopcost.errors import printable
from hopcost.record.contents.restart import RestartRun
from hopcost.report import notation
from hopcost.report.brief.cautions.cautions import disturbed
from hopcost.report.document import Table
from hopcost.report.formatting import count
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary

BELOW = (
    "failed: visits, each on a new connection; gap: longest time without an answer to one, in the middle start and in"
    " all; broken: requests on kept connections"
)


def restart_sentence(experiment: ExperimentSummary) -> str:
    """`Longest time without an answer while express restarts: express 601 ms, nginx 12 ms.`"""
    restart = experiment.plan.restart
    assert restart is not None, "asked for an experiment with restarts"
    arms = [arm for arm in experiment.arms if arm.restarts]
    if not arms:
        return "No result: no start counts."
    gaps = [f"{arm.name} {notation.time(max(run.longest_gap_ns for run in arm.restarts))}" for arm in arms]
    return printable(f"Longest time without an answer while {restart.program} restarts: {', '.join(gaps)}.")


def restart_table(experiment: ExperimentSummary) -> Table:
    """A row for each stack."""
    header = ["", "restart", "failed", "gap", "longest", "broken"]
    return Table(header, [[arm.name, *_cells(arm)] for arm in experiment.arms if arm.restarts], "", [BELOW])


def restart_cautions(experiment: ExperimentSummary) -> list[str]:
    """How many starts there were, which kinds of failures, and what went wrong."""
    entries = [f"! {sentence}" for sentence in disturbed([experiment])]
    kinds: dict[str, int] = {}
    for run in (run for arm in experiment.arms for run in arm.restarts):
        for kind, number in run.failed.items():
            kinds[kind] = kinds.get(kind, 0) + number
    for arm in experiment.arms:
        entries += [f"! {arm.name}: {note}" for note in arm.notes]
    entries += [f"! {failure.arm} failed: {failure.message.splitlines()[0]}" for failure in experiment.failures[:1]]
    entries += [f"? not measured: {left.words()}" for left in experiment.plan.left_out]
    if kinds:
        told = ", ".join(f"{notation.rate(number)} {kind}" for kind, number in kinds.items())
        entries.append(f"Of the failed visits: {told}.")
    restart = experiment.plan.restart
    assert restart is not None, "asked for an experiment with restarts"
    load = f"{notation.rate(restart.rate_per_s)} requests/s on {experiment.plan.workload.connections} connections"
    entries.append(f"{count(experiment.blocks, 'start')} of each stack, {load}; no verdicts.")
    return [printable(entry) for entry in entries]


def _cells(arm: ArmSummary) -> list[str]:
    runs = arm.restarts
    gaps = sorted(run.longest_gap_ns for run in runs)
    failed, visits = (_mean(numbers) for numbers in (_failed(runs), (run.visits for run in runs)))
    took = [copy.stopping_ns + copy.starting_ns for run in runs for copy in run.copies]
    return [
        notation.time(_mean(took)) if took else notation.ABSENT,
        f"{notation.rate(failed)} of {notation.rate(visits)}",
        notation.time(gaps[len(gaps) // 2]),
        notation.time(gaps[-1]),
        f"{notation.rate(_mean(run.broken for run in runs))} of {notation.rate(_mean(run.sent for run in runs))}",
    ]


def _failed(runs: Sequence[RestartRun]) -> list[int]:
    return [sum(run.failed.values()) for run in runs]


def _mean(numbers: Iterable[int]) -> float:
    known = list(numbers)
    return sum(known) / len(known)
