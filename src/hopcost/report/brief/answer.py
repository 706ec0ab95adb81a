"""The answer of an experiment in a sentence or two, for people who will quote it: what a hop adds, what it leaves.

The cost of a hop at an equal offered load comes first: that is the load of whoever reads it. A sentence names figures
of single stacks, and ranks two of them only if their ranges, which hold together, do not overlap.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from hopcost.errors import printable
from hopcost.report import notation
from hopcost.report.brief.forms.restart import restart_sentence
from hopcost.report.brief.forms.soak import soak_sentence
from hopcost.report.brief.load import Load, cost_of, load_shown
from hopcost.report.brief.outcome import Outcome, has_size, outcome_of, share_of
from hopcost.report.brief.reasons import plainer
from hopcost.report.brief.words import baseline_of, hop_words, listed, number_word, others_of, stack_word
from hopcost.report.notes import servers
from hopcost.statistics.comparisons import CPU
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary

OVER = " over "
FEW = 3  # so many stacks are named one by one


class Costs(NamedTuple):
    """What is said of hops' costs, and the lists that it has of the cheapest and of the dearest, if any."""

    sentences: list[str]
    cheapest: Collection[str] = ()
    dearest: Collection[str] = ()


def sentence(experiment: ExperimentSummary) -> str:
    """The answer of one experiment."""
    return printable(_sentence(experiment))


def _sentence(experiment: ExperimentSummary) -> str:
    if experiment.repeats:
        return "As the article measured: one start of each stack, one after another. No ranges, so no verdicts."
    if experiment.plan.restart is not None:
        return restart_sentence(experiment)
    if experiment.soak:
        return soak_sentence(experiment.soak)
    baseline, others = baseline_of(experiment), others_of(experiment)
    if baseline is None or not others:
        reason = experiment.ending.detail if experiment.ending else "the run did not get that far"
        return f"No result: {plainer(reason)}."
    load = load_shown(experiment)
    costs = _costs(experiment, others, load)
    throughput = _throughput(experiment, baseline, others, costs)
    return " ".join([*costs.sentences, *throughput, *servers.scope_sentence(experiment)])


def _costs(experiment: ExperimentSummary, others: Sequence[ArmSummary], load: Load) -> Costs:
    """What hops add to a request at an offered load; nothing without one: the table has the cost at full load."""
    if load.share is None:
        return Costs([])
    known = [(arm, cost.cpu_ns) for arm in others if (cost := cost_of(experiment, arm, load)) and cost.cpu_ns]
    if not known:
        return Costs([])
    words = hop_words(experiment, [arm for arm, _ in known])
    at = load.words[0].upper() + load.words[1:]
    if len(known) == 1:
        ((arm, cpu),) = known
        who = words[0] if words is not None else arm.name
        if _may_be_nothing(cpu) or cpu.low is None:
            return Costs([f"{at} no CPU cost of {who} can be told from none: {notation.added(cpu)}."])
        return Costs([f"{at} {who} {_adds(cpu)} of CPU to a request."])
    known.sort(key=lambda item: item[1].value)
    (least, least_ns), (most, most_ns) = known[0], known[-1]
    names = words[1] if words is not None else {arm.name: arm.name for arm, _ in known}
    cheapest = [names[arm.name] for arm, cpu in known if not _apart(least_ns, cpu)]
    dearest = [names[arm.name] for arm, cpu in reversed(known) if not _apart(cpu, most_ns)]
    if not _apart(least_ns, most_ns) or (words is not None and _share_one(cheapest, dearest)):
        return Costs(
            [
                f"{at} {words[0] if words is not None else 'the hop'} adds {_added(least_ns)} of CPU to a request"
                f" ({names[least.name]}) to {_added(most_ns)} ({names[most.name]}){_overlap(least_ns, most_ns)}."
            ]
        )
    if words is not None:
        return Costs(
            [
                f"{at} {words[0]} {_adds(least_ns)} of CPU to a request at best ({_either(cheapest)}),"
                f" {_amount(most_ns)} at worst ({_either(dearest)})."
            ],
            cheapest,
            dearest,
        )
    if _share_one(cheapest, dearest):
        cheapest, dearest = cheapest[:1], dearest[:1]
    return Costs(
        [
            f"{at} {least.name} {_adds(least_ns)} of CPU to a request, the least{_or_another(cheapest)};"
            f" {most.name} {_amount(most_ns)}, the most{_or_another(dearest)}."
        ]
    )


def _adds(cpu: Interval) -> str:
    """`adds 16 µs`, or `saves 3 µs`."""
    is_saved = cpu.value < 0 and not _may_be_nothing(cpu)
    return f"{'saves' if is_saved else 'adds'} {_amount(cpu)}"


def _amount(cpu: Interval) -> str:
    """`16 µs` of what it adds or saves."""
    return _added(cpu) if _may_be_nothing(cpu) else _added(cpu).lstrip(notation.MINUS)


def _added(cpu: Interval) -> str:
    """`16 µs`, `−3 µs`; with its range if that may be nothing: `25 µs (−4 to +55)`."""
    return (notation.added(cpu) if _may_be_nothing(cpu) else notation.added_parts(cpu)[0]).lstrip("+")


def _throughput(
    experiment: ExperimentSummary, baseline: ArmSummary, others: Sequence[ArmSummary], costs: Costs
) -> list[str]:
    """What stacks leave of the baseline's throughput, as far as there is a verdict; as measured if there is none."""
    follows_cost = bool(costs.sentences)
    sized = [arm for arm in others if has_size(experiment, arm)]
    if not sized:
        return ["No stack has a throughput that can be compared."]
    judged = [] if experiment.no_verdicts is not None else [arm for arm in sized if outcome_of(arm).is_verdict]
    open_arms = [arm for arm in others if arm not in judged]
    if not judged and experiment.no_verdicts is not None and follows_cost and len(others) > 1:
        return ["At full load: no verdict on any (?)."]  # the rows and the first caution have the room
    if not judged:
        words = _compared(experiment, baseline, sized, is_judged=False, costs=costs)
        settled = "nothing is settled" if _only_unsettled(experiment, others) else "no verdict on any"
        at = "As measured at full load" if follows_cost else "As measured"
        return [f"{at} {words}; {settled if len(others) > 1 else settled.replace(' on any', '')} (?)."]
    words = _compared(experiment, baseline, judged, is_judged=True, costs=costs)
    if follows_cost:
        words = f"at full load {words}"
    sentences = [f"{words[0].upper() if not _begins_with_name(words, experiment) else words[0]}{words[1:]}."]
    if not open_arms:
        return sentences if follows_cost else [*sentences, *_all_alike(experiment, judged)]
    who = f"the other {number_word(len(open_arms))}" if len(open_arms) > 1 else open_arms[0].name
    state = "not settled" if _only_unsettled(experiment, open_arms) else "without a verdict"
    return [*sentences, f"{who[0].upper() if len(open_arms) > 1 else who[0]}{who[1:]}: {state} (?)."]


def _begins_with_name(words: str, experiment: ExperimentSummary) -> bool:
    """Names keep their small letters at the beginning of a sentence."""
    names = {arm.name for arm in experiment.arms} | {cost.hop for cost in experiment.hop_costs}
    return words.partition(" ")[0].rstrip(",") in names


def _only_unsettled(experiment: ExperimentSummary, arms: Sequence[ArmSummary]) -> bool:
    return experiment.no_verdicts is None and all(outcome_of(arm) is Outcome.NOT_SETTLED for arm in arms)


def _compared(
    experiment: ExperimentSummary,
    baseline: ArmSummary,
    arms: Sequence[ArmSummary],
    *,
    is_judged: bool,
    costs: Costs,
) -> str:
    """The clause without its full stop. `arms` are ordered, the one with the most throughput first."""
    base, hop = stack_word(baseline), hop_words(experiment, arms)
    if len(arms) == 1:
        return _single(base, hop[0] if hop is not None else "", arms[0], is_judged=is_judged)
    best, worst = arms[0], arms[-1]
    best_ratio, worst_ratio = (arm.ratio for arm in (best, worst))
    assert best_ratio is not None and worst_ratio is not None, "the caller picks arms with a size"
    if hop is not None and best_ratio.value < 1:
        program, names = hop
        first = [names[arm.name] for arm in arms if arm.ratio is not None and not _apart(arm.ratio, best_ratio)]
        last = [names[arm.name] for arm in reversed(arms) if arm.ratio and not _apart(worst_ratio, arm.ratio)]
        if _apart(worst_ratio, best_ratio) and not _share_one(first, last):
            if (set(first), set(last)) == (set(costs.cheapest), set(costs.dearest)):  # they have just been named
                return f"it leaves {base} {_figure(best)} of its throughput at best, {_figure(worst)} at worst"
            return (
                f"{program} leaves {base} {_figure(best)} of its throughput at best ({_either(first)}),"
                f" {_figure(worst)} at worst ({_either(last)})"
            )
        return (
            f"{program} leaves {base} {_figure(best)} of its throughput ({names[best.name]})"
            f" to {_figure(worst)} ({names[worst.name]}){_overlap(worst_ratio, best_ratio)}"
        )
    if not is_judged:
        return f"{best.name} gives {_figure(best)} of {base}'s throughput, {worst.name} {_figure(worst)}"
    return _groups(base, arms)


def _single(base: str, program: str, arm: ArmSummary, *, is_judged: bool) -> str:
    if is_judged and outcome_of(arm) is Outcome.SAME:
        return f"{program or arm.name} changes nothing: {_figure(arm)} of {base}'s throughput"
    assert arm.ratio is not None, "the caller picks arms with a size"
    if program and arm.ratio.value < 1:
        return f"{program} leaves {base} {_figure(arm)} of its throughput"
    if not is_judged:
        return f"{arm.name} gives {_figure(arm)} of {base}'s throughput"
    return f"{arm.name} is {outcome_of(arm).word} than {base}: {_figure(arm)} of its throughput"


def _groups(base: str, arms: Sequence[ArmSummary]) -> str:
    """`go is faster than nginx (166 %); caddy and haproxy are slower (91 % and 18 %)`; of many their number."""
    clauses: list[str] = []
    for outcome in (Outcome.FASTER, Outcome.SAME, Outcome.SLOWER):
        own = [arm for arm in arms if outcome_of(arm) is outcome]
        if not own:
            continue
        is_same = outcome is Outcome.SAME
        word = "as fast as" if is_same else f"{outcome.word} than"
        than = f"{word} {base}" if not clauses or is_same else outcome.word
        verb = "is" if len(own) == 1 else "are"
        if len(own) <= FEW:
            figures = "" if is_same else f" ({listed([_figure(arm) for arm in own])})"
            clauses.append(f"{listed([arm.name for arm in own])} {verb} {than}{figures}")
        else:
            ends = f" ({own[0].name} {_figure(own[0])}, {own[-1].name} {_figure(own[-1])})"
            clauses.append(f"{number_word(len(own))} are {than}{ends}")
    return "; ".join(clauses)


def _all_alike(experiment: ExperimentSummary, judged: Sequence[ArmSummary]) -> list[str]:
    """`All four are slower and cost more CPU.`"""
    words = {outcome_of(arm).word for arm in judged}
    if hop_words(experiment, judged) is None or len(judged) < 2 or words != {Outcome.SLOWER.word}:
        return []  # the words before have said it
    all_of = "Both" if len(judged) == 2 else f"All {number_word(len(judged))}"
    costs = {comparison.verdict.word for arm in judged if (comparison := arm.comparison(CPU)) is not None}
    cost = {"dearer": " and cost more CPU", "cheaper": " and cost less CPU"}.get(min(costs, default=""), "")
    return [f"{all_of} are slower{cost if len(costs) == 1 else ''}."]


def _figure(arm: ArmSummary) -> str:
    return share_of(arm, arm.ratio)[0]


def _apart(lower: Interval, higher: Interval) -> bool:
    """Whether the ranges, which hold together, do not overlap."""
    return lower.high is not None and higher.low is not None and lower.high < higher.low


def _overlap(lower: Interval, higher: Interval) -> str:
    """`; the ranges overlap` of figures that are not apart, if they have ranges."""
    known = None not in (lower.low, lower.high, higher.low, higher.high)
    return "; the ranges overlap" if known and not _apart(lower, higher) else ""


def _either(names: Sequence[str]) -> str:
    """All that may be the best, or the worst, since their ranges overlap.

    >>> _either(["HTTP over TCP", "HTTP over a Unix socket"])
    'HTTP over TCP or a Unix socket'
    """
    wires = {name.partition(OVER)[0] for name in names}
    if len(names) > 1 and len(wires) == 1 and all(OVER in name for name in names):
        return wires.pop() + OVER + " or ".join(name.partition(OVER)[2] for name in names)
    return " or ".join(names) if len(names) <= FEW else f"{names[0]} or one of {number_word(len(names) - 1)} others"


def _share_one(best: Sequence[str], worst: Sequence[str]) -> bool:
    """Whether one may be the best and the worst: then nobody is helped by a list of either."""
    return not set(best).isdisjoint(worst)


def _or_another(names: Sequence[str]) -> str:
    """` (or haproxy)`: what may be in the place of the first one."""
    return f" (or {_either(names[1:])})" if len(names) > 1 else ""


def _may_be_nothing(cpu: Interval) -> bool:
    return cpu.low is not None and cpu.high is not None and cpu.low <= 0 <= cpu.high
