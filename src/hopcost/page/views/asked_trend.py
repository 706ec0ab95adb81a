"""Which history an address asks for: its arm, its figure, and one of the series that may not be mixed."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from hopcost.errors import UsageError
from hopcost.history.contents.figures import choose
from hopcost.history.points import Series
from hopcost.page.asked import BadAddress, Query, read_day, read_labels, read_number, read_word
from hopcost.page.kept import Kept
from hopcost.page.links import AskedTrend, key_of
from hopcost.report.questions.history.answer import Trend, logs_of
from hopcost.statistics.change_points import Segments, change_points
from hopcost.statistics.comparisons import THROUGHPUT

HISTORIES_HELD = 64
NAMES = ("suite", "experiment", "arm")


def is_asked(query: Query) -> bool:
    """Whether the address names an arm."""
    return any(read_word(query, name) for name in NAMES)


def read_trend(kept: Kept, query: Query) -> tuple[AskedTrend, list[str], list[Series]]:
    """What is asked with its figure in full, the arm's figures, and the figure's series, the newest first.

    BadAddress for half a name; UsageError if nothing is kept of it, or nothing that has the labels.
    """
    suite, experiment, arm = (_needed(query, name) for name in NAMES)
    figures = list(kept.figures(suite, experiment, arm))
    if not figures:
        name = f"{suite}/{experiment}/{arm}"
        close = difflib.get_close_matches(name, ["/".join(names) for names in kept.arms()], n=1)
        hint = f"did you mean '{close[0]}'?" if close else "choose an arm in the list of histories"
        raise UsageError(f"no record that is kept has {name}", hint)
    word = read_word(query, "figure") or (THROUGHPUT if THROUGHPUT in figures else figures[0])
    figure = choose(word, figures)
    since, labels = read_day(query, "since"), read_labels(query)
    asked = AskedTrend(
        suite,
        experiment,
        arm,
        figure=figure,
        series=read_word(query, "series"),
        since=None if since is None else since.date().isoformat(),
        labels=tuple(labels.items()),
        older=read_number(query, "older", 0),
    )
    all_series = kept.series(suite, experiment, arm, figure, since=since, labels=labels)
    usable = [whole for series in all_series if (whole := _usable(series)).points]
    if not usable:
        raise UsageError(f"no record of {suite}/{experiment}/{arm} fits", "leave out the labels, or the day")
    return asked, figures, usable


def choose_series(all_series: Sequence[Series], key: str | None) -> Series:
    """The series of that key, the first one without a key; UsageError if there is none."""
    for series in all_series:
        if key in (None, key_of(series)):
            return series
    raise UsageError("this series has no record that fits", "leave out the labels, the day, or the series")


def cut(series: Series) -> Trend:
    """The series with its stretches. Those of the same figures are found once."""
    log_ratios, standard_errors = logs_of(series)
    return Trend(series, _segments(tuple(log_ratios), tuple(standard_errors)))


@lru_cache(HISTORIES_HELD)
def _segments(log_ratios: tuple[float, ...], standard_errors: tuple[float | None, ...]) -> Segments:
    return change_points(log_ratios, standard_errors)


def _needed(query: Query, name: str) -> str:
    word = read_word(query, name)
    if word is None:
        raise BadAddress(f"{name}: expected a name, got none", "choose an arm in the list of histories")
    return word


def _usable(series: Series) -> Series:
    """Without points that have no logarithm: a damaged database makes no page fail."""
    points = tuple(point for point in series.points if 0 < point.ratio < math.inf)
    return msgspec.structs.replace(series, points=points)
