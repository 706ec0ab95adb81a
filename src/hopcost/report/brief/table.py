"""The one table of an experiment: a row for each stack, with its throughput as a bar and what CPU its hop adds."""

from __future__ import annotations

from collections.abc import Iterable

from hopcost.report import notation
from hopcost.report.brief.load import Load, cpu_parts, has_medians, median_parts
from hopcost.report.brief.outcome import UNSETTLED, has_size, marks
from hopcost.report.brief.words import baseline_of, others_of, stack_word
from hopcost.report.document import Bar, BarRow, Bars
from hopcost.statistics.intervals import ONE, Interval
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary

MOST_ROWS = 8
LONGEST_NAME = 19  # longer ones leave no room for response times
FARTHEST = 3.0  # times the largest ratio: a bar's range goes on beyond it


def bars_of(experiment: ExperimentSummary, load: Load) -> Bars:
    """The baseline first, then the others by throughput.

    With response times there is no room for everybody's throughput: the baseline's and all shares tell them.
    """
    baseline, others = baseline_of(experiment), others_of(experiment)
    if baseline is None:
        return Bars([], [])
    mark_of = {baseline.name: "", **marks(experiment, others)}
    ratios = {arm.name: arm.ratio for arm in others if arm.ratio is not None and has_size(experiment, arm)}
    most = most_of(ratios.values())
    with_times = shows_times(experiment, load)
    header = [
        "",
        f"of {stack_word(baseline)}'s {requests_per_s(baseline)}/s",
        "",
        load.heading,
        "",
        "median there",
        "",
        "",
    ]
    if not with_times:
        header = ["", "req/s", f"of {stack_word(baseline)}", "", load.heading, "", ""]
    rows = []
    for arm in [baseline, *others]:
        ratio = ONE if arm is baseline else ratios.get(arm.name)
        share, cpu = notation.share_parts(ratio), cpu_parts(experiment, arm, load)
        bar = None if ratio is None else bar_of(ratio, most)
        if with_times:
            cells = [*share, *cpu, *median_parts(experiment, arm, load), mark_of[arm.name]]
            rows.append(BarRow(arm.name, [], bar, cells))
        else:
            rows.append(BarRow(arm.name, [requests_per_s(arm)], bar, [*share, *cpu, mark_of[arm.name]]))
    return Bars(header, rows[:MOST_ROWS])


def shows_times(experiment: ExperimentSummary, load: Load) -> bool:
    """Whether the table has response times: there are some, and nothing else needs the room."""
    others = others_of(experiment)
    return (
        has_medians(experiment, load)
        and max(len(arm.name) for arm in experiment.arms) <= LONGEST_NAME
        and not any(arm.throughput_is_a_bound for arm in experiment.arms)
        and set(marks(experiment, others).values()) <= {"", UNSETTLED}
    )


def requests_per_s(arm: ArmSummary) -> str:
    """`74,121`; `≥74,121` if the generator was full and the stack was not."""
    if not arm.answers:
        return notation.ABSENT
    return ("≥" if arm.throughput_is_a_bound else "") + notation.rate(arm.throughput_per_s)


def bar_of(ratio: Interval, most: float) -> Bar:
    """Solid up to the low end of the range. Without a range it ends at the figure."""
    low, high = (ratio.value if end is None else end for end in (ratio.low, ratio.high))
    return Bar(low, high, most)


def most_of(ratios: Iterable[Interval]) -> float:
    """What fills a bar: the highest end of a range, as long as it is near the figures; at least the baseline."""
    known = list(ratios)
    farthest = FARTHEST * max([1.0, *(ratio.value for ratio in known)])
    return max([1.0, *(min(farthest, ratio.high or ratio.value) for ratio in known)])
