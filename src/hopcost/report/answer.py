"""The answer of an experiment in one sentence. It stands above all tables; people will quote it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hopcost.errors import printable
from hopcost.plan.method import METHOD
from hopcost.report.formatting import count, number
from hopcost.report.notes.soak import FIGURES
from hopcost.report.notes.verdicts import group_reasons
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.hop_cost import HopCost
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary
from hopcost.statistics.verdict import NO_VERDICT, NOT_SETTLED, SAME, Size, Verdict

WIDE = 0.1  # from this relative half-width on, the sentence gives the ends instead of "±"
INVISIBLE = 5e-4  # of a unit: less is the rounding of a quantile
USELESS = 5  # from this one on, it gives neither
SIZES = {Size.NEGLIGIBLE: " (negligible: within {margin})", Size.OPEN: " (not settled whether by more than {margin})"}


@dataclass(frozen=True)
class AnswerSentence:
    """The sentence in parts: its beginning, a clause for each arm, and the limits of both."""

    lead: str
    clauses: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        answer = self.lead + (f" {'; '.join(self.clauses)}." if self.clauses else "")
        return " ".join([answer, *self.limits])


def answer_experiment(experiment: ExperimentSummary) -> AnswerSentence:
    """All arms beside the baseline. If there can be no verdict, the reason comes first."""
    if experiment.repeats:
        return AnswerSentence("The article's own protocol: figures without intervals, so no verdict on speed.")
    if experiment.soak:
        courses = [printable(f"{course.arm}'s {FIGURES[course.figure]}: {course.word}") for course in experiment.soak]
        return AnswerSentence("Over the soak,", courses)
    baseline = next((arm for arm in experiment.arms if arm.name == experiment.plan.baseline), None)
    others = [arm for arm in experiment.arms if arm.name != experiment.plan.baseline]
    if baseline is None or not others:
        reason = experiment.ending.detail if experiment.ending else "the run did not get that far"
        return AnswerSentence(printable(f"No result: {reason}."))
    clauses = [
        f"{_name(arm)} {' and '.join(filter(None, (_throughput(experiment, arm), _cost(experiment, arm))))}"
        for arm in others
    ]
    lead = f"Beside {_name(baseline)},"
    if experiment.no_verdicts is not None:
        lead = f"No verdicts: {experiment.no_verdicts}. As measured: beside {_name(baseline)},"
    limits = _missing_verdicts(experiment, others)
    return AnswerSentence(printable(lead), list(map(printable, clauses)), list(map(printable, limits)))


def sentence(experiment: ExperimentSummary) -> str:
    """The answer as one string."""
    return str(answer_experiment(experiment))


def _missing_verdicts(experiment: ExperimentSummary, arms: list[ArmSummary]) -> list[str]:
    """Why the throughput of some arms has no verdict. Each reason comes once."""
    if experiment.no_verdicts is not None:
        return []
    comparisons = [(arm.comparison(THROUGHPUT), arm.name) for arm in arms]
    reasons = group_reasons([(comparison.no_verdict if comparison else None, name) for comparison, name in comparisons])
    return [
        f"No verdict on the throughput{' of ' + names if names else ''}: {reason}." for reason, names in reasons.items()
    ]


def _throughput(experiment: ExperimentSummary, arm: ArmSummary) -> str:
    """`keeps 39% ± 1% of the throughput`, in words that fit the verdict."""
    if arm.ratio is None:
        return f"gives no comparable throughput ({count(sum(arm.errors.values()), 'error')})"
    comparison = arm.comparison(THROUGHPUT)
    verdict = comparison.verdict if comparison is not None and comparison.no_verdict is None else None
    share = around(arm.ratio, 100, "%")
    if verdict is not None and verdict.word == SAME:
        return f"keeps the throughput within the margin of ±{verdict.margin:.1%} ({share})"
    if verdict is not None and verdict.word == NOT_SETTLED:
        return f"may keep {share} of the throughput"
    text = f"keeps {share} of the throughput" if arm.ratio.value < 1 else f"gives {share} of the throughput"
    if experiment.no_verdicts is None and comparison is not None and comparison.no_verdict is not None:
        return f"as measured {text}"
    return text + _size(verdict)


def _size(verdict: Verdict | None) -> str:
    """What stands after a throughput whose size is not clear of the margin."""
    if verdict is None or verdict.size is None:
        return ""
    return SIZES.get(verdict.size, "").format(margin=f"±{verdict.margin:.1%}")


def _cost(experiment: ExperimentSummary, arm: ArmSummary) -> str:
    """CPU time that its hop adds to the baseline, at the highest offered load at which it differs from 0.

    If it differs at none, that of the highest offered load; at saturation only if no load was offered. Without a hop
    in front of the baseline: its CPU per request as a ratio.
    """
    own = [cost for cost in experiment.hop_costs if (cost.arm, cost.without) == (arm.name, experiment.plan.baseline)]
    costs = [cost for cost in own if cost.cpu_ns is not None]
    few = {load.share for load in experiment.void_loads if load.starts - len(load.void) < METHOD.min_blocks}
    costs = [cost for cost in costs if cost.share not in few]
    offered = [cost for cost in reversed(costs) if cost.load_per_s is not None]
    clear = [cost for cost in offered if _excludes_zero(cost)]
    cost = next(iter([*clear, *offered, *costs]), None)
    if cost is not None and cost.cpu_ns is not None:
        load = "at saturation" if cost.load_per_s is None else f"at {number(cost.load_per_s)}/s"
        amount = f"{around(cost.cpu_ns, 1e-3, ' µs')} of CPU per request {load}"
        if _excludes_zero(cost) or cost.cpu_ns.low is None:
            return f"adds {amount}"
        return f"adds {amount}, not told from none"
    comparison = arm.comparison(CPU)
    if comparison is None or comparison.ratio is None or comparison.verdict.word in (NO_VERDICT, NOT_SETTLED):
        return ""
    if comparison.verdict.word == SAME:
        return "takes the same CPU per request"
    return f"takes {around(comparison.ratio, 100, '%')} of the CPU per request"


def _excludes_zero(cost: HopCost) -> bool:
    """Whether 0 lies outside the interval of its CPU time."""
    cpu = cost.cpu_ns
    return cpu is not None and cpu.low is not None and cpu.high is not None and cpu.low * cpu.high > 0


def around(value: Interval, scale: float, unit: str) -> str:
    """`39% ± 1%`, or `47% (32 to 68%)` if the interval is wide. A value without an interval says so.

    >>> around(Interval(value=0.39, low=0.38, high=0.4), 100, "%")
    '39% ± 1%'
    >>> around(Interval(value=0.466, low=0.318, high=0.683), 100, "%")
    '47% (32 to 68%)'
    >>> around(Interval(value=43_600, low=41_000, high=46_200), 1e-3, " µs")
    '44 ± 2.6 µs'
    >>> around(Interval(value=0.5, low=None, high=None), 100, "%")
    '50% (no interval)'
    """
    middle = value.value * scale
    if value.low is None or value.high is None:
        return f"{_short(middle)}{unit} (no interval)"
    low, high = value.low * scale, value.high * scale
    half = (high - low) / 2
    if half > USELESS * abs(middle):
        return f"{_short(middle)}{unit} (interval too wide)"
    if half > WIDE * abs(middle):
        return f"{_short(middle)}{unit} ({_short(low)} to {_short(high)}{unit})"
    if unit.startswith(" "):
        return f"{_short(middle)} ± {_short(half)}{unit}"
    return f"{_short(middle)}{unit} ± {_short(half)}{unit}"


def _short(value: float) -> str:
    """Two significant digits; a whole number from 10 on; 0 if nothing of it would be seen."""
    if abs(value) < INVISIBLE:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 10 or value == round(value) else f"{value:.2g}"


def _name(arm: ArmSummary) -> str:
    """Its title without words in brackets at the end. Words after a comma get brackets."""
    title = re.sub(r" \([^()]*\)$", "", arm.title) or arm.name
    return re.sub(r"^([^,()]+), ([^()]+)$", r"\1 (\2)", title)
