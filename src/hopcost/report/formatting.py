"""Figures as cells and lines show them. All rounding happens here."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.plan.method import METHOD
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.service_time import Quantile
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary
from hopcost.statistics.verdict import NO_VERDICT
from hopcost.suites.articles.published import Published, label

ABSENT = "–"
CONFIDENCE = f"{1 - METHOD.confidence_error:.0%}"  # of all intervals of an experiment together
CONFIDENCE_IN_TEXT = CONFIDENCE.replace("%", " %")  # as some sentences write it
WIDEST = 10.0  # the widest relative half-width that is printed
LONGEST_PROPOSED_S = 24 * 3600.0  # of a run that somebody is told to make
BEYOND = 1000  # above it, a ratio's upper end is not printed


def reached(half_width: float | None) -> str:
    """The half-width of the widest range of the ratios. After two starts it may say nothing.

    >>> reached(0.0123), reached(4e9), reached(None)
    ('widest range ±1.2 %', 'no range yet', 'no range')
    """
    if half_width is None:
        return "no range"
    return f"widest range ±{100 * half_width:.1f} %" if half_width <= WIDEST else "no range yet"


def interval(ratio: Interval | None) -> str:
    """`0.397 [0.392, 0.402]`."""
    if ratio is None:
        return ABSENT
    if ratio.low is None or ratio.high is None:
        return f"{ratio.value:.3f} [no interval]"
    high = f"{ratio.high:.3f}" if ratio.high < BEYOND else f"> {BEYOND}"  # two blocks may give any figure
    return f"{ratio.value:.3f} [{ratio.low:.3f}, {high}]"


def duration(seconds: float) -> str:
    """Two digits, in the unit that suits: a long time is hours or days, never "never".

    >>> [duration(seconds) for seconds in (4.2, 45, 610, 11_000, 900_000, 1.2e8)]
    ['4.2 s', '45 s', '10 min', '3.1 h', '10 days', '1,400 days']
    """
    for unit, length_s, most in (("s", 1, 100), ("min", 60, 100), ("h", 3600, 48)):
        if seconds < most * length_s:
            return f"{float(f'{seconds / length_s:.2g}'):,g} {unit}"
    return f"{float(f'{seconds / 86400:.2g}'):,g} days"


def probability(p_value: float) -> str:
    """`P = 0.012`. Far out the model's tails are a guess, so below 0.001 no digit is printed.

    >>> probability(0.0123), probability(8e-7)
    ('P = 0.012', 'P < 0.001')
    """
    return "P < 0.001" if p_value < 0.001 else f"P = {p_value:.3f}"


def quantile(value: Quantile | None) -> str:
    """In µs; `> 30,015` if requests were still unanswered there."""
    if value is None:
        return ABSENT
    return ("> " if value.at_least else "") + f"{value.ns / 1000:,.0f}"


def throughput(arm: ArmSummary) -> str:
    """Answers per second; `≥ 1,234` if the generator was full and the stack was not."""
    return ("≥ " if arm.throughput_is_a_bound else "") + number(arm.throughput_per_s)


def number(value: float | None) -> str:
    """A whole number."""
    return ABSENT if value is None else f"{value:,.0f}"


def ratio(value: float | None) -> str:
    """A ratio without an interval, as articles have them."""
    return ABSENT if value is None else f"{value:.2f}"


def microseconds(ns: int | None) -> str:
    """In µs, with one decimal."""
    return ABSENT if ns is None else f"{ns / 1000:.1f}"


def count(number: int, noun: str) -> str:
    """`1 block`, `2 blocks`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def span(values: Sequence[float | None], digits: int = 0) -> str:
    """`7`, or `3–7` if the lowest and the highest look different. Unknown values do not count."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return ABSENT
    return "–".join(dict.fromkeys(f"{value:,.{digits}f}" for value in (known[0], known[-1])))


def mebibytes(count: int | None) -> str:
    """In MiB, with one decimal."""
    return ABSENT if count is None else f"{count / 2**20:.1f} MiB"


def errors(counts: dict[str, int]) -> str:
    """`2 write, 661 timeout`, or 0."""
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count) or "0"


def published_errors(row: Published) -> str:
    """Errors as an article printed them: by kind, or only the word if it gave no counts."""
    return "error" if row.errored and not any(row.errors.values()) else errors(row.errors)


def verdict(arm: ArmSummary, figure: str, load_per_s: float | None = None) -> str:
    """A cell below the heading `verdict`: `none` if there is no verdict, a dash if the figure was not compared."""
    comparison = arm.comparison(figure, load_per_s)
    if comparison is None:
        return ABSENT
    return "none" if comparison.verdict.word == NO_VERDICT else str(comparison.verdict)


def swept_key(experiment: ExperimentSummary) -> str:
    """What a sweep varies, in one word: `connections`, or `slow_clients` for their number. Empty without a sweep."""
    point = experiment.plan.point
    return "" if point is None else point.key.removesuffix(".number").rpartition(".")[2]


def swept_value(experiment: ExperimentSummary) -> str:
    """The experiment's value of its sweep. Empty without a sweep."""
    point = experiment.plan.point
    return "" if point is None else label(point.value)


def offered(load_per_s: float | None) -> str:
    """An offered load in requests per second."""
    return "full load" if load_per_s is None else number(load_per_s)


def difference(ns: Interval | None) -> str:
    """`+43.6 [+41.0, +46.2]`, from ns to µs."""
    if ns is None:
        return ABSENT
    if ns.low is None or ns.high is None:
        return f"{ns.value / 1000:+.1f} [no interval]"
    return f"{ns.value / 1000:+.1f} [{ns.low / 1000:+.1f}, {ns.high / 1000:+.1f}]"


def percent(share: float) -> str:
    """`98.75%`."""
    return f"{share * 100:.4g}%"
