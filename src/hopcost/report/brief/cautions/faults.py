"""What is known to change the reading: of stacks, of the load, of the method as this run used it."""

from __future__ import annotations

import re

from hopcost.plan.method import METHOD
from hopcost.programs.generators.beside import BesideKind
from hopcost.record.contents.run import Record
from hopcost.report import formatting, notation
from hopcost.report.brief.load import Load, carries, has_medians
from hopcost.report.brief.outcome import outcome_of
from hopcost.report.brief.words import baseline_of, listed, others_of, shortened, stack_word
from hopcost.report.notes import servers
from hopcost.report.notes.void_loads import void_load_lines
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.figures import sum_by_kind
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.statistics.validity.moving import MOVED
from hopcost.suites.experiments.sweep import AT

COSTLY = 0.02  # of the throughput: less than this is lost in the noise
UNEVEN = re.compile(r"workers? ")


def known_faults(record: Record, experiment: ExperimentSummary, load: Load) -> list[str]:
    """Sentences without which the figures would be misread, but for what the machine did."""
    plan = experiment.plan
    return [
        *_failures(experiment),
        *servers.server_cautions(experiment),
        *_errors(experiment),
        *_beside(experiment),
        *_load(experiment, load),
        *_no_load(experiment, load),
        *_biases(record, experiment),
        *_workers(experiment),
        *_moving(experiment),
        *(
            [f"Run with {plan.workload.connections} connections; {plan.connections_asked} were asked for."]
            if plan.connections_asked is not None
            else []
        ),
        *_cores(record, experiment),
    ]


def _failures(experiment: ExperimentSummary) -> list[str]:
    """The first failure of each stack, without what its program printed, and what to do."""
    first: dict[str, str] = {}
    for failure in experiment.failures:
        message = (failure.message.splitlines() or [""])[0].removesuffix("; its last lines:").rstrip(":")
        hint = f"; hint: {failure.hint}" if failure.hint else ""
        first.setdefault(failure.arm, f"{failure.arm} failed: {message}{hint}.")
    return list(first.values())


def _errors(experiment: ExperimentSummary) -> list[str]:
    """Errors of stacks that have a verdict all the same; else they are the reason why it has none."""
    few = [arm for arm in experiment.arms if sum(arm.errors.values()) and outcome_of(arm).is_verdict]
    own = [f"{arm.name} had {formatting.count(sum(arm.errors.values()), 'error')}" for arm in few]
    return [f"{listed(own)}: only correct answers count."] if own else []


def _beside(experiment: ExperimentSummary) -> list[str]:
    """Slow clients and idle connections with errors of their own, which no figure of the fast ones has in it."""
    sentences = []
    for kind in BesideKind:
        own = {arm.name: figures.errors for arm in experiment.arms for figures in arm.beside if figures.kind is kind}
        failed = {name: errors for name, errors in own.items() if sum(errors.values())}
        if failed:
            words = [f"{formatting.count(sum(errors.values()), 'error')} at {name}" for name, errors in failed.items()]
            kinds = sum_by_kind(failed.values())
            sentences.append(f"{kind.words.capitalize()} had {listed(words)} ({formatting.errors(kinds)}).")
    return sentences


def _load(experiment: ExperimentSummary, load: Load) -> list[str]:
    unable = [arm.name for arm in experiment.arms if not carries(arm, load)]
    return [f"{shortened(unable)} cannot carry {notation.rate(load.per_s)}/s."] if unable else []


def _no_load(experiment: ExperimentSummary, load: Load) -> list[str]:
    """Why the table has other columns than those of the same run's other experiments."""
    if load.share is None:
        return [f"CPU is that at full load: {line}." for line in void_load_lines(experiment.void_loads)]
    others = others_of(experiment)
    is_measured = all(carries(arm, load) and not arm.cpu_falls for arm in experiment.arms)
    if not is_measured or not others or has_medians(experiment, load):
        return []
    return [f"No median response times {load.words}: too few requests."]


def _biases(record: Record, experiment: ExperimentSummary) -> list[str]:
    """What is known to push a figure one way, beside the figure."""
    plan, sentences = experiment.plan, []
    baseline = baseline_of(experiment)
    if (
        plan.turns.interleave
        and plan.slice_ns < METHOD.min_slice_ns
        and any(cost.without == plan.baseline for cost in experiment.hop_costs)
    ):
        sentences.append(f"Visits of {plan.slice_ns / 1e6:.0f} ms flatter hops by 4–8 % in throughput.")
    if plan.cores.generator_machine is not None:
        sentences.append(
            f"Load came over the network from {plan.cores.generator_machine}: on loopback each side does some of the"
            " other's network work."
        )
    if plan.cores.shared and not servers.run_elsewhere(experiment):
        sentences.append("The load generator shares a core: throughput includes its CPU.")
    if baseline is not None and baseline.throughput_is_a_bound:
        sentences.append(
            f"The load generator was full while {stack_word(baseline)} idled (≥): shares of it are upper bounds (≤)."
        )
    asked = _asked_baseline(record, experiment)
    if baseline is not None and asked not in {arm.name for arm in plan.arms}:
        sentences.append(f"{asked} is not there; {baseline.name} takes its place.")
    elif baseline is not None and asked != baseline.name:
        sentences.append(f"All beside {baseline.name} on request; the suite asks for {asked}.")
    if experiment.arms and any(arm.peer is not None for arm in experiment.arms):
        tool = next(arm.peer for arm in experiment.arms if arm.peer is not None)
        sentences.append(f"{tool} drove the stacks: counts and times are its own, and no body was compared.")
    return sentences


def _asked_baseline(record: Record, experiment: ExperimentSummary) -> str:
    """The suite's; that in use if the suite does not have the experiment."""
    name = experiment.plan.suite_name.partition(AT)[0]
    return next((asked.baseline for asked in record.suite.experiments if asked.name == name), experiment.plan.baseline)


def _workers(experiment: ExperimentSummary) -> list[str]:
    """Workers that got unlike shares of the load: each sentence once, with its stacks if not all have it."""
    lucky = [
        own for own in experiment.workers_luck if own.one_got_everything and (own.throughput_change or 0) < -COSTLY
    ]
    if lucky:
        worst = min(lucky, key=lambda own: own.throughput_change or 0)
        change = round(-100 * (worst.throughput_change or 0))
        openings = f"{worst.one_got_everything} of {worst.openings} openings"
        return [f"In {openings} one of {worst.hop}'s {worst.workers} workers got every request: {change} % less."]
    faults = [(fault, arm.name) for arm in experiment.arms for fault in arm.faults if UNEVEN.search(fault)]
    short = [(fault.partition(" (in ")[0], name) for fault, name in faults]
    stacks: dict[str, list[str]] = {}
    for fault, name in short:
        stacks.setdefault(fault, []).append(name)
    return [f"{fault[0].upper()}{fault[1:]} ({shortened(names)})." for fault, names in stacks.items()]


def _moving(experiment: ExperimentSummary) -> list[str]:
    """Stacks that were not alike from start to start: their ranges take starts as alike."""
    throughputs = {arm.name: arm.comparison(THROUGHPUT) for arm in experiment.arms}
    moving = [name for name, throughput in throughputs.items() if throughput and MOVED in throughput.caveats]
    return [f"{shortened(moving)} moved during the run: the range may be too narrow."] if moving else []


def _cores(record: Record, experiment: ExperimentSummary) -> list[str]:
    """Fewer cores than the article's figures come from."""
    name, allowed = experiment.plan.suite_name.partition(AT)[0], record.environment.get("allowed_cores")
    needed = next((asked.needs_cores for asked in record.suite.experiments if asked.name == name), 0)
    if not isinstance(allowed, list) or needed <= len(allowed):
        return []
    return [f"The article had {needed} cores; here stack and load share {len(allowed)}."]
