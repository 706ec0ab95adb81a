"""The one table of an experiment: a row for each stack, with its throughput as a bar and what CPU its hop adds."""

from __future__ import annotations

from collections.abc import Iterable

from hopcost.report import notation
from hopcost.report.bars import has_room
from hopcost.report.brief.load import Load, cpu_parts, has_medians, median_parts
from hopcost.report.brief.outcome import has_size, marks, share_of
from hopcost.report.brief.words import baseline_of, others_of, stack_word
from hopcost.report.document import Bar, BarRow, Bars
from hopcost.statistics.intervals import ONE, Interval
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary

LINE = 78  # of a terminal of 80, behind the indent
FULL, COST, MEDIAN = "throughput, full load", "CPU per request", "median response"
FARTHEST = 3.0  # times the largest ratio: a bar's range goes on beyond it


def bars_of(experiment: ExperimentSummary, load: Load) -> Bars:
    """The baseline first, then the others by throughput; with response times if nothing else needs their room.

    Then there is none for everybody's throughput: the baseline's and all shares tell them.
    """
    baseline, others = baseline_of(experiment), others_of(experiment)
    if baseline is None:
        return Bars([], [])
    mark_of = {baseline.name: "", **marks(experiment, others)}
    ratios = {arm.name: arm.ratio for arm in others if arm.ratio is not None and has_size(experiment, arm)}
    most = most_of(ratios.values())
    ratios[baseline.name] = ONE
    with_times = Bars(
        ["", f"100 % = {requests_per_s(baseline)}/s", "", COST, "", MEDIAN, "", ""],
        [],
        above=["", FULL, "", load.heading, "", "", "", ""],
    )
    without_times = Bars(
        ["", "req/s", f"of {stack_word(baseline)}", "", COST, "", ""],
        [],
        above=["", FULL, "", "", load.words, "", ""],
    )
    failed = {failure.arm for failure in experiment.failures}
    for arm in [baseline, *others]:
        ratio, mark = ratios.get(arm.name), mark_of[arm.name]
        bar = None if ratio is None else bar_of(ratio, most)
        cells = [*share_of(arm, ratio), *cpu_parts(experiment, arm, load)]
        times = median_parts(experiment, arm, load)
        with_times.rows.append(BarRow(arm.name, [], bar, [*cells, *times, mark]))
        per_s = requests_per_s(arm, baseline if arm.name in failed else None)
        without_times.rows.append(BarRow(arm.name, [per_s], bar, [*cells, mark]))
    has_times = has_medians(experiment, load) and not any(arm.throughput_is_a_bound for arm in experiment.arms)
    return with_times if has_times and has_room(with_times, LINE) else without_times


def requests_per_s(arm: ArmSummary, beside: ArmSummary | None = None) -> str:
    """`74,121`; `≥74,121` if the generator was full and the stack was not.

    `beside` a baseline it is that one's, times the arm's ratio. An arm that failed has fewer starts: what it did in
    those may contradict its ratio, if the machine was slower in the others.
    """
    if not arm.answers:
        return notation.ABSENT
    per_s = arm.throughput_per_s
    if beside is not None and beside.throughput_per_s is not None and arm.ratio is not None:
        per_s = beside.throughput_per_s * arm.ratio.value
    return ("≥" if arm.throughput_is_a_bound else "") + notation.rate(per_s)


def bar_of(ratio: Interval, most: float) -> Bar:
    """Solid up to the low end of the range. Without a range it ends at the figure."""
    low, high = (ratio.value if end is None else end for end in (ratio.low, ratio.high))
    return Bar(low, high, most)


def most_of(ratios: Iterable[Interval]) -> float:
    """What fills a bar: the highest end of a range, as long as it is near the figures; at least the baseline."""
    known = list(ratios)
    farthest = FARTHEST * max([1.0, *(ratio.value for ratio in known)])
    return max([1.0, *(min(farthest, ratio.high or ratio.value) for ratio in known)])
