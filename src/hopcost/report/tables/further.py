"""Tables below an experiment's first: what a hop costs, what arms did at equal offered load; and what verdicts mean."""

from __future__ import annotations

from hopcost.report import formatting
from hopcost.report.document import Part
from hopcost.report.formatting import ABSENT
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.hop_cost import HopCost
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary


def tables(each: ExperimentSummary) -> list[Part]:
    """Those that have something to show."""
    return [made for made in (_hop_costs(each), _loads(each)) if made is not None]


def verdict(arm: ArmSummary, figure: str, load_per_s: float | None = None) -> str:
    """The word for a figure of an arm; absent where it was not compared."""
    found = arm.comparison(figure, load_per_s)
    return ABSENT if found is None else str(found.verdict)


def lines(each: ExperimentSummary) -> list[str]:
    """How verdicts are to be read, and why there is none where there is none."""
    if not each.arms:
        return []
    if each.no_verdicts is not None:
        return [f"no verdicts: {each.no_verdicts}"]
    compared = [found for arm in each.arms for found in arm.comparisons]
    if not compared:
        return []
    said = [
        f"verdicts are read off intervals that hold for all arms together at 95%, against {_margins(each)}; negligible:"
        " real, but wholly inside that"
    ]
    for arm in each.arms:
        reasons: dict[str, list[str]] = {}
        for found in arm.comparisons:
            if found.no_verdict is not None:
                reasons.setdefault(found.no_verdict, []).append(found.figure)
        for reason, figures in reasons.items():
            whole = len(figures) == len(arm.comparisons)
            said.append(
                f"{arm.name}: no verdict{'' if whole else ' on ' + ', '.join(dict.fromkeys(figures))}: {reason}"
            )
    for share, agrees in each.p99_agrees.items():
        if not agrees:
            why = "differ by more than 20%" if agrees is False else "have none"
            said.append(f"no p99 at {share:.0%} of capacity: {each.plan.copied_arm}'s two runs {why}")
    return said


def _margins(each: ExperimentSummary) -> str:
    """The margin of throughput, and that of CPU per request where it is another."""
    found: dict[str, float] = {}
    for arm in each.arms:
        for one in arm.comparisons:
            if one.load_per_s is None and one.figure in (THROUGHPUT, CPU) and one.verdict.margin is not None:
                found[one.figure] = one.verdict.margin
    names = {THROUGHPUT: "throughput", CPU: "CPU per request"}
    each_margin = "; ".join(f"±{margin:.1%} for {names[figure]}" for figure, margin in found.items())
    return f"a margin of {each_margin}" if each_margin else "no margin: the A/A arm gives none"


def _hop_costs(each: ExperimentSummary) -> Part | None:
    """A row for each arm and load; saturation is one of them."""
    if not each.hop_costs:
        return None
    with_times = any(cost.share is not None for cost in each.hop_costs)
    header = ["arm", "hop in front", "offered/s", "CPU µs per request [95%]"]
    header += ["response p50 µs [95%]", "p99 µs [95%]"] if with_times else []
    rows, shown = [], ""
    for cost in each.hop_costs:
        row = ["" if cost.arm == shown else cost.arm, cost.hop, _load(cost), difference(cost.cpu_ns)]
        shown = cost.arm
        rows.append(row + ([difference(cost.p50_ns), difference(cost.p99_ns)] if with_times else []))
    without = dict.fromkeys(cost.without for cost in each.hop_costs)
    below = [f"the arm minus the same without that hop ({', '.join(without)}), per request, block by block"]
    if not with_times:
        below.append(
            "at saturation only; at an equal offered load it is another figure, which a long enough full run measures"
        )
    return Part("what the hop costs", header, rows, below)


def _load(cost: HopCost) -> str:
    return "saturation" if cost.load_per_s is None else formatting.number(cost.load_per_s)


def difference(value: Interval | None) -> str:
    """`+43.6 [+41.0, +46.2]`, from ns to µs."""
    if value is None:
        return ABSENT
    if value.low is None or value.high is None:
        return f"{value.value / 1000:+.1f} [no interval]"
    return f"{value.value / 1000:+.1f} [{value.low / 1000:+.1f}, {value.high / 1000:+.1f}]"


def _loads(each: ExperimentSummary) -> Part | None:
    """A row for each offered load and arm."""
    loads = dict.fromkeys((load.share, load.rate_per_s) for arm in each.arms for load in arm.open_loop)
    if not loads:
        return None
    header = ["offered/s", "arm", "answered", "CPU µs", "CPU ratio [95%]", "CPU verdict"]
    header += ["p50 µs", "p50 ratio [95%]", "p50 verdict", "p99 µs", "p99 verdict"]
    rows = []
    for share, rate_per_s in loads:
        shown = formatting.number(rate_per_s)
        for arm in each.arms:
            figures = next((load for load in arm.open_loop if load.share == share), None)
            if figures is None:
                continue
            used = [ns for hop, ns in figures.cpu_ns_per_request.items() if hop != "generator"]
            known = [ns for ns in used if ns is not None]
            rows.append(
                [
                    shown,
                    arm.name,
                    ABSENT if figures.answered is None else f"{figures.answered:.1%}",
                    formatting.microseconds(sum(known) if used and len(known) == len(used) else None),
                    *_pair(arm, CPU, rate_per_s),
                    formatting.microseconds(figures.response_time_ns["p50"]),
                    *_pair(arm, "response_p50", rate_per_s),
                    formatting.microseconds(figures.response_time_ns["p99"]),
                    verdict(arm, "response_p99", rate_per_s),
                ]
            )
            shown = ""
    shares = " and ".join(f"{share:.0%}" for share, _ in loads)
    below = [
        f"open loop, Poisson arrivals, the same rate for all arms: {shares} of the slowest one's capacity",
        "p50, p99: response time, intended start → last byte",
    ]
    return Part("at equal offered load", header, rows, below)


def _pair(arm: ArmSummary, figure: str, load_per_s: float) -> list[str]:
    found = arm.comparison(figure, load_per_s)
    return [ABSENT if found is None else formatting.interval(found.ratio), verdict(arm, figure, load_per_s)]
