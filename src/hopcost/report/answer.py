"""What an experiment answers, in one sentence: what stands above all tables, and what people will quote."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hopcost.errors import printable
from hopcost.report.formatting import count, number
from hopcost.report.notes.soak import FIGURES
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.hop_cost import HopCost
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary
from hopcost.statistics.verdict import SAME, UNKNOWN

WIDE = 0.1  # a half-width, relative to the value, from which on the ends say more than "±"
USELESS = 5  # one from which on they say nothing


@dataclass(frozen=True)
class AnswerSentence:
    """A sentence in its parts: what comes first, a clause for each arm, and what limits them."""

    lead: str
    clauses: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        said = self.lead + (f" {'; '.join(self.clauses)}." if self.clauses else "")
        return " ".join([said, *self.limits])


def answer_experiment(each: ExperimentSummary) -> AnswerSentence:
    """All arms beside the baseline; where there can be no verdict, the reason comes first."""
    if each.repeats:
        return AnswerSentence("The article's own protocol: figures without intervals, so no verdict on speed.")
    if each.soak:
        courses = [f"{course.arm}'s {FIGURES[course.figure]}: {course.word}" for course in each.soak]
        return AnswerSentence("Over the soak,", [printable(course) for course in courses])
    baseline = next((arm for arm in each.arms if arm.name == each.plan.baseline), None)
    others = [arm for arm in each.arms if arm.name != each.plan.baseline]
    if baseline is None or not others:
        return AnswerSentence(
            printable(f"No result: {each.ending.detail if each.ending else 'the run did not get that far'}.")
        )
    clauses = [
        f"{_name(arm)} {' and '.join(part for part in (_throughput(each, arm), _cost(each, arm)) if part)}"
        for arm in others
    ]
    lead = f"Beside {_name(baseline)},"
    if each.no_verdicts is not None:
        lead = f"No verdicts: {each.no_verdicts}. As measured: beside {_name(baseline)},"
    return AnswerSentence(
        printable(lead), [printable(one) for one in clauses], [printable(one) for one in _withheld(each, others)]
    )


def sentence(each: ExperimentSummary) -> str:
    """The answer in one piece."""
    return str(answer_experiment(each))


def _withheld(each: ExperimentSummary, arms: list[ArmSummary]) -> list[str]:
    """Why the throughput of some arms has no verdict, each reason once."""
    if each.no_verdicts is not None:
        return []
    reasons: dict[str, list[str]] = {}
    for arm in arms:
        compared = arm.comparison(THROUGHPUT)
        if compared is not None and compared.no_verdict is not None:
            reasons.setdefault(compared.no_verdict, []).append(arm.name)
    return [
        f"No verdict on the throughput{'' if len(names) == len(arms) else ' of ' + ', '.join(names)}: {reason}."
        for reason, names in reasons.items()
    ]


def _throughput(each: ExperimentSummary, arm: ArmSummary) -> str:
    """`keeps 39% ± 1% of the throughput`, and what is to be thought of it."""
    if arm.ratio is None:
        return f"gives no comparable throughput ({count(sum(arm.errors.values()), 'error')})"
    compared = arm.comparison(THROUGHPUT)
    verdict = compared.verdict if compared is not None and compared.no_verdict is None else None
    share = around(arm.ratio, 100, "%")
    if verdict is not None and verdict.word == SAME and verdict.margin is not None:
        return f"keeps the throughput within the margin of ±{verdict.margin:.1%} ({share})"
    if verdict is not None and verdict.word == UNKNOWN:
        return f"may keep {share} of the throughput"
    text = f"keeps {share} of the throughput" if arm.ratio.value < 1 else f"gives {share} of the throughput"
    if each.no_verdicts is None and compared is not None and compared.no_verdict is not None:
        return f"as measured {text}"
    return f"{text} (negligible)" if verdict is not None and verdict.negligible else text


def _cost(each: ExperimentSummary, arm: ArmSummary) -> str:
    """What its hop adds to the baseline, at the highest load that tells; else its CPU per request as a ratio."""
    own = [cost for cost in each.hop_costs if (cost.arm, cost.without) == (arm.name, each.plan.baseline)]
    costs = [cost for cost in own if cost.cpu_ns is not None]
    offered = [cost for cost in costs if cost.load_per_s is not None]
    telling = [cost for cost in offered if _leaves_zero_out(cost)]
    chosen = next(iter([*reversed(telling), *reversed(costs)]), None)  # saturation is the last one
    if chosen is not None and chosen.cpu_ns is not None:
        load = "at saturation" if chosen.load_per_s is None else f"at {number(chosen.load_per_s)}/s"
        amount = f"{around(chosen.cpu_ns, 1e-3, ' µs')} of CPU per request {load}"
        if _leaves_zero_out(chosen) or chosen.cpu_ns.low is None:
            return f"adds {amount}"
        return f"adds {amount}, not told from none"
    compared = arm.comparison(CPU)
    if compared is None or compared.ratio is None or compared.verdict.word == UNKNOWN:
        return ""
    if compared.verdict.word == SAME:
        return "takes the same CPU per request"
    return f"takes {around(compared.ratio, 100, '%')} of the CPU per request"


def _leaves_zero_out(cost: HopCost) -> bool:
    """Whether the interval of its CPU time leaves 0 out."""
    found = cost.cpu_ns
    return found is not None and found.low is not None and found.high is not None and found.low * found.high > 0


def around(value: Interval, scale: float, unit: str) -> str:
    """`39% ± 1%`; `47% (32 to 68%)` where the interval is wide; the value alone, and that said, where there is none.

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
    """Two digits that count; whole from 10 on."""
    return f"{value:,.0f}" if abs(value) >= 10 or value == round(value) else f"{value:.2g}"


def _name(arm: ArmSummary) -> str:
    """Its title; what stands behind it in brackets left out, what stands behind a comma in brackets."""
    title = re.sub(r" \([^()]*\)$", "", arm.title) or arm.name
    return re.sub(r"^([^,()]+), ([^()]+)$", r"\1 (\2)", title)
