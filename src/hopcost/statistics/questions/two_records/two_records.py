"""Two records side by side: A and B, each figure of each arm that both have, B ÷ A.

Each record estimates its own figures, as its report does; the two estimates are independent and are subtracted. An
absolute figure holds whatever the machine did between the two runs; the arm's ratio to its own baseline does not, as
far as both were slowed alike. Verdicts are read off the second, docs/explain/verdicts/compare.md says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import geometric_mean

import msgspec

from hopcost.errors import UsageError
from hopcost.plan.method import METHOD
from hopcost.record import kept_files
from hopcost.record.contents.run import Record
from hopcost.statistics.comparisons import CPU, Metric
from hopcost.statistics.intervals import Interval, exp, of_logs, subtract
from hopcost.statistics.questions.two_records import comparable
from hopcost.statistics.questions.two_records.differences import Difference, diff, differing_files
from hopcost.statistics.questions.two_records.result import (
    ArmChange,
    ExperimentChange,
    FigureChange,
    HopCostChange,
    RecordComparison,
)
from hopcost.statistics.questions.two_records.side import Key, RecordSide, record_sides
from hopcost.statistics.random_effects import Estimate
from hopcost.statistics.summary import hop_cost
from hopcost.statistics.validity.grounds import GENERATOR_FULL
from hopcost.statistics.verdict import judge_interval

ONLY_ABSOLUTE = "nothing takes out what the machine did between the two runs: it may be the program or the machine"


def compare_records(a: Record, b: Record, chosen: Sequence[str] = (), *, anyway: bool = False) -> RecordComparison:
    """All that two records can say of each other; UsageError if they cannot, or should not without `anyway`."""
    if a.path.resolve() == b.path.resolve():
        raise UsageError(f"{a.path}: twice the same record", "name two")
    pairs = comparable.common(a, b, chosen)
    objections = comparable.objections(a, b, pairs)
    if objections and not anyway:
        raise UsageError(
            f"{a.path} and {b.path} cannot be compared: {'; '.join(objections)}",
            "--anyway compares them all the same, and says so on top",
        )
    in_a, in_b = record_sides(a), record_sides(b)
    halves = [(in_a[first.name], in_b[first.name]) for first, _ in pairs]
    intervals = sum(_count(*both) for both in halves)
    error = METHOD.confidence_error / max(1, intervals)
    experiments = [_experiment(*both, error) for both in halves]
    if not any(arm.figures for experiment in experiments for arm in experiment.arms):
        raise UsageError(
            f"{a.path} and {b.path} have no arm in common that was measured in both",
            "`hopcost report` shows what each of them has: valid blocks, and figures in them",
        )
    return RecordComparison(objections, comparable.of_runs(a, b), comparable.alone(a, b), experiments, intervals)


def _shared(a: RecordSide, b: RecordSide) -> list[str]:
    """The arms that both have measured, in the order of A; second runs left out."""
    return [arm.name for arm in a.planned.arms if arm.copy_of is None and a.arms.of(arm.name) and b.arms.of(arm.name)]


def _count(a: RecordSide, b: RecordSide) -> int:
    """How many intervals get a verdict: they share the error."""
    return sum(
        a.relative(name, ask) is not None and b.relative(name, b.asks(name)[key]) is not None
        for name in _shared(a, b)
        for key, ask in a.asks(name).items()
        if key in b.asks(name)
    )


def _experiment(a: RecordSide, b: RecordSide, error: float) -> ExperimentChange:
    changed = _baseline_changed(a, b)
    return ExperimentChange(
        name=a.planned.name,
        question=a.planned.question,
        baseline=a.planned.baseline,
        blocks=(a.summary.blocks, b.summary.blocks),
        differences=comparable.of_experiments(a.planned, b.planned),
        notes=_notes(a, b),
        arms=[_arm(a, b, name, error, changed) for name in _shared(a, b)],
        hop_costs=_hop_costs(a, b, error),
        baseline_changed=changed,
    )


def _arm(a: RecordSide, b: RecordSide, name: str, error: float, changed: str | None) -> ArmChange:
    in_b = b.asks(name)
    figures = [
        _figure(a, b, name, key, (ask, in_b[key]), error, changed) for key, ask in a.asks(name).items() if key in in_b
    ]
    return ArmChange(
        name=name,
        differences=_arm_differences(a, b, name),
        files=_files(a, b, name),
        figures=[change for change in figures if change is not None],
    )


def _figure(
    a: RecordSide, b: RecordSide, name: str, key: Key, asks: tuple[Metric, Metric], error: float, changed: str | None
) -> FigureChange | None:
    """One figure; None if a block of either lacks it: leaving blocks out would choose them by their outcome."""
    in_a, in_b = a.sample(name, asks[0]), b.sample(name, asks[1])
    if in_a is None or in_b is None:
        return None
    relatives = a.relative(name, asks[0]), b.relative(name, asks[1])
    if a.planned.baseline != b.planned.baseline:
        relatives = None, None
    relative = _quotient(*relatives, error)
    why = _no_verdict(a, b, name, key, changed)
    margin = max(a.summary.margin, b.summary.margin)
    return FigureChange(
        figure=key[0],
        load_per_s=key[1],
        a=geometric_mean(in_a),
        b=geometric_mean(in_b),
        ratio=_quotient(a.absolute(name, asks[0]), b.absolute(name, asks[1]), error),
        relative=relative,
        verdict=judge_interval(
            None if why else relative, margin, asks[0].better, narrower=_quotient(*relatives, 2 * error)
        ),
        no_verdict=why,
        share_a=_share(relatives[0]),
        share_b=_share(relatives[1]),
    )


def _quotient(a: Estimate | None, b: Estimate | None, error: float) -> Interval | None:
    """B ÷ A of two independent estimates of logarithms; None without one of them, and without ends from one start."""
    if a is None or b is None or min(a.blocks, b.blocks) == 0:
        return None
    ratio = of_logs(subtract(a.interval(error), b.interval(error)))
    return msgspec.structs.replace(ratio, low=None, high=None) if min(a.blocks, b.blocks) < 2 else ratio


def _share(relative: Estimate | None) -> float | None:
    """Of the baseline's figure."""
    return None if relative is None or relative.blocks == 0 else exp(relative.interval(METHOD.confidence_error).value)


def _no_verdict(a: RecordSide, b: RecordSide, name: str, key: Key, changed: str | None) -> str | None:
    """Why a figure gets no verdict; None if it may have one."""
    if name in (a.planned.baseline, b.planned.baseline):
        return changed or ONLY_ABSOLUTE
    for word, half in zip("AB", (a, b), strict=True):
        comparison = half.comparison(name, key)
        why = half.summary.no_verdicts or (None if comparison is None else comparison.no_verdict)
        if why is None and half.is_bound(name, key):
            why = GENERATOR_FULL
        if why is not None:
            return f"{word}: {why}"
    return changed


def _baseline_changed(a: RecordSide, b: RecordSide) -> str | None:
    """What is not the same of the baseline, so that a ratio to it moves by itself; None if all is."""
    name = a.planned.baseline
    if name != b.planned.baseline:
        return f"the baseline is {name} in A and {b.planned.baseline} in B"
    changes = [f"{difference.key}: {difference.a} → {difference.b}" for difference in _arm_differences(a, b, name)]
    changes += [f"{file}: {lines[0]}" for file, lines in _files(a, b, name).items()]
    return f"the baseline {name} is not the same in both ({changes[0]})" if changes else None


def _arm_differences(a: RecordSide, b: RecordSide, name: str) -> list[Difference]:
    """Of an arm's stack, and of its programs' versions."""
    planned = [next(arm for arm in half.planned.arms if arm.name == name) for half in (a, b)]
    versions = [half.versions(name) for half in (a, b)]
    return [*comparable.of_arms(planned[0], planned[1]), *diff(versions[0], versions[1], prefix="version")]


def _files(a: RecordSide, b: RecordSide, name: str) -> dict[str, list[str]]:
    """The lines that differ in commands and generated files; nothing if one of the records has none."""
    first, second = (kept_files.kept_files(half.record.path, half.planned.name, name) for half in (a, b))
    return differing_files(first, second)


def _notes(a: RecordSide, b: RecordSide) -> list[str]:
    """What of the experiment is in one record alone, and why figures are missing."""
    notes = []
    for word, half, other in (("A", a, b), ("B", b, a)):
        names = {arm.name for arm in other.planned.arms if other.arms.of(arm.name)}
        own = [arm.name for arm in half.planned.arms if arm.copy_of is None and half.arms.of(arm.name)]
        alone = [name for name in own if name not in names]
        if alone:
            notes.append(f"measured in {word} alone: {', '.join(alone)}")
    rates = [half.rates for half in (a, b)]
    if rates[0] != rates[1]:
        listed = [", ".join(f"{rate:,.0f}/s" for rate in sorted(side)) or "none" for side in rates]
        notes.append(
            f"offered loads: A {listed[0]}; B {listed[1]}: response times and hop costs are compared at equal ones only"
        )
    return notes


def _hop_costs(a: RecordSide, b: RecordSide, error: float) -> list[HopCostChange]:
    """The costs of hops that stand in front of the same arm in both records."""
    hops_b = hop_cost.pairs(b.planned)
    changes = []
    for arm, without, hop in hop_cost.pairs(a.planned):
        if (arm, without, hop) not in hops_b or not {arm, without} <= set(_shared(a, b)):
            continue
        metrics_b = b.asks(arm)
        for key, metric in a.asks(arm).items():
            if key[0] != CPU or key not in metrics_b:
                continue
            sides = ((a, metric), (b, metrics_b[key]))
            costs = [side.arms.difference(arm, asked.figure, error, without) for side, asked in sides]
            if costs[0] is None or costs[1] is None:
                continue
            difference = subtract(costs[0], costs[1])
            if min(side.arms.count(arm, asked.figure, without) for side, asked in sides) < METHOD.min_blocks:
                difference = msgspec.structs.replace(difference, low=None, high=None)  # one start shows no spread
            changes.append(HopCostChange(arm, without, hop, key[1], costs[0].value, costs[1].value, difference))
    return changes
