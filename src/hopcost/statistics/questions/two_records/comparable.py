"""Whether two records can be put beside each other, and what differs between them before any figure does.

An objection is a difference that moves figures by itself, so that no program could be made answerable for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost.errors import UsageError, nearest
from hopcost.plan.plan import PlannedArm, PlannedExperiment
from hopcost.record.contents.run import Record
from hopcost.statistics.questions.two_records import differences
from hopcost.statistics.questions.two_records.differences import Difference

VOLATILE = ("load_average_1min", "swap_used_bytes", "cgroup")  # of the environment: new with every run
OF_THE_RUN = (
    "quick",
    "margin",
    "precision",
    "warm_up_least_ns",
    "warm_up_most_ns",
    "peer",
    "as_published",
    "on_busy_machine",
    "on_mixed_hosts",
)
WORDS = (  # of an experiment: they move no figure, or stand elsewhere
    "name",
    "question",
    "arms",
    "left_out",
    "notes",
    "published",
    "published_conditions",
    "control",
    "point",
)

SHORT_SLICES = "short slices misread hops and garbage collectors"

Pair = tuple[PlannedExperiment, PlannedExperiment]


def common(a: Record, b: Record, chosen: Sequence[str]) -> list[Pair]:
    """The experiments of both records, or those of them that were chosen; UsageError if there is none."""
    in_b = {experiment.name: experiment for experiment in b.plan.experiments}
    both = [(experiment, in_b[experiment.name]) for experiment in a.plan.experiments if experiment.name in in_b]
    names = [experiment.name for experiment, _ in both]
    if not both:
        listed = [", ".join(experiment.name for experiment in record.plan.experiments) or "none" for record in (a, b)]
        raise UsageError(
            f"{a.path} and {b.path} have no experiment in common: {a.plan.suite} has {listed[0]}, {b.plan.suite} has"
            f" {listed[1]}",
            "two records of one suite have",
        )
    for name in chosen:
        if name not in names:
            raise UsageError(f"no experiment '{name}' in both records", nearest(name, names))
    return [pair for pair in both if not chosen or pair[0].name in chosen]


def alone(a: Record, b: Record) -> dict[str, list[str]]:
    """By "A" and "B" the experiments that only this one has."""
    names = [[experiment.name for experiment in record.plan.experiments] for record in (a, b)]
    alone = {
        "A": [name for name in names[0] if name not in names[1]],
        "B": [name for name in names[1] if name not in names[0]],
    }
    return {word: own for word, own in alone.items() if own}


def objections(a: Record, b: Record, pairs: Sequence[Pair]) -> list[str]:
    """Why the two should not be compared, in sentences; empty if nothing speaks against it."""
    reasons = []
    if a.run.method != b.run.method:
        reasons.append(f"other methods: {a.run.method} and {b.run.method}; the same stack would read otherwise")
    if a.environment.get("cpu") != b.environment.get("cpu"):
        reasons.append(f"other CPUs: {_cpu(a)} and {_cpu(b)}")
    if a.plan.suite != b.plan.suite:
        reasons.append(f"other suites: {a.plan.suite} and {b.plan.suite}")
    if a.plan.peer != b.plan.peer or a.plan.as_published != b.plan.as_published:
        reasons.append(f"other generators: {_generator(a)} and {_generator(b)}")
    reasons += _other_slices(a, b, pairs)
    for first, second in pairs:
        reasons += [f"{first.name}: {reason}" for reason in _measured_otherwise(first, second)]
    return reasons


def of_runs(a: Record, b: Record) -> list[Difference]:
    """Versions, the way of measuring, and the environment."""
    return [
        *differences.diff(
            {"hopcost": a.run.hopcost, "method": a.run.method}, {"hopcost": b.run.hopcost, "method": b.run.method}
        ),
        *differences.diff({"suite": a.plan.suite}, {"suite": b.plan.suite}),
        *differences.diff(_of_the_run(a), _of_the_run(b)),
        *differences.diff(a.environment, b.environment, but=VOLATILE),
    ]


def of_experiments(a: PlannedExperiment, b: PlannedExperiment) -> list[Difference]:
    """Workload, settings, cores and the order of measuring; arms stand apart."""
    return differences.diff(a, b, but=WORDS)


def of_arms(a: PlannedArm, b: PlannedArm) -> list[Difference]:
    """Its stack, its settings, its surroundings."""
    return differences.diff(a.arm, b.arm, but=("title", "stand_in"))


def _measured_otherwise(a: PlannedExperiment, b: PlannedExperiment) -> list[str]:
    """Ways of measuring that give the same stack other figures (docs/explain/method-why.md); slices stand apart."""
    reasons = []
    if a.scope is not b.scope:
        reasons.append(f"other scopes: one is of {a.scope.value}, the other of {b.scope.value}; a start moves figures")
    if a.turns is not b.turns:
        reasons.append(f"arms took turns otherwise: {a.turns.value} and {b.turns.value}")
    cores = [(len(planned.cores.stack), len(planned.cores.generator), planned.cores.shared) for planned in (a, b)]
    machines = [planned.cores.generator_machine for planned in (a, b)]
    if (machines[0] is None) != (machines[1] is None):
        reasons.append("the generator of one is on a machine of its own, that of the other on the stacks'")
    if cores[0] != cores[1]:
        words = [f"{stack} for the stack, {generator} for the generator" for stack, generator, _ in cores]
        reasons.append(f"other cores: {words[0]}, and {words[1]}")
    return reasons


def _other_slices(a: Record, b: Record, pairs: Sequence[Pair]) -> list[str]:
    """Slices of other lengths: once for all experiments if one run is quick and the other one is not."""
    others = [
        (first, second)
        for first, second in pairs
        if first.turns is second.turns and (first.settle_ns, first.slice_ns) != (second.settle_ns, second.slice_ns)
    ]
    if others and a.plan.quick is not b.plan.quick:
        return [f"one is a quick run, one a full run: {SHORT_SLICES}"]
    return [
        f"{first.name}: slices of {first.slice_ns / 1e9:g} s after {first.settle_ns / 1e9:g} s and of"
        f" {second.slice_ns / 1e9:g} s after {second.settle_ns / 1e9:g} s: {SHORT_SLICES}"
        for first, second in others
    ]


def _of_the_run(record: Record) -> dict[str, object]:
    plan = msgspec.structs.asdict(record.plan)
    return {key: plan[key] for key in OF_THE_RUN}


def _cpu(record: Record) -> str:
    return str(record.environment.get("cpu") or "an unknown one")


def _generator(record: Record) -> str:
    return "the articles' own protocols" if record.plan.as_published else record.plan.peer or "hopcost's engine"
