"""Series that are not mixed in: of other machines, methods and configurations, each told in a line."""

from __future__ import annotations

from hopcost.report.formatting import count
from hopcost.report.questions.history.answer import HistoryAnswer, Trend
from hopcost.report.questions.history.words import SHORT_DIGEST, day, machine_words

MOST = 4


def other_lines(answer: HistoryAnswer) -> list[str]:
    """`Not mixed in: 12 records of machine 1a2b3c4d (ci-7), 2026-01-02 to 2026-03-04: --machine 1a2b3c4d`."""
    others = answer.trends[1:]
    if not others:
        return []
    lines = [f"Not mixed in: {_words(answer.shown, trend)}" for trend in others[:MOST]]
    more = len(others) - MOST
    return [*lines, f"{f'and {more} more; ' if more > 0 else ''}--json has all of them"]


def _words(shown: Trend, other: Trend) -> str:
    series = other.series
    days = dict.fromkeys([day(other.points[0].record), day(other.newest)])
    records = f"{count(len(other.points), 'record')} of"
    when = " to ".join(days)
    if series.machine != shown.series.machine:
        return f"{records} machine {machine_words(series)}, {when}: --machine {series.machine[:SHORT_DIGEST]}"
    if series.method != shown.series.method:
        return f"{records} method {series.method}, {when}; method {shown.series.method} reads otherwise"
    return f"{records} another configuration, {when}: another load, or other settings of the stacks"
