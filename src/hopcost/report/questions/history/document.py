"""A history as people read it: a sentence, the stretches, a chart, what changed, and what is not mixed in."""

from __future__ import annotations

from hopcost.report import notation
from hopcost.report.document import Document, Element, Entries, Entry, Heading, Lines, Section, Style, Table
from hopcost.report.formatting import CONFIDENCE_IN_TEXT, count
from hopcost.report.questions.closing import closing_lines
from hopcost.report.questions.history.answer import HistoryAnswer, Trend, ratio_of, share_of
from hopcost.report.questions.history.changed import NOTHING, changed_between, words
from hopcost.report.questions.history.chart import LEGEND, chart_of
from hopcost.report.questions.history.others import other_lines
from hopcost.report.questions.history.words import day, direction, figure_words, machine_words, record_words
from hopcost.statistics.change_points import LEAST_RECORDS, Change

ABSENT = "–"
MOST_CHANGES = 6  # that are told one by one
FEW = 2 * LEAST_RECORDS  # with fewer records no change can be seen
LEARNED_FROM_FEW = 8  # records; with fewer the spread is mostly what is usual


def document(answer: HistoryAnswer) -> Document:
    """Of the trend with the newest record; the others are told in a line each."""
    trend = answer.shown
    sections: list[Section] = [
        [Heading(f"hopcost history · {answer.name}", level=1), Lines(_about(answer))],
        [
            Lines([sentence(answer)], Style.ANSWER),
            _table(answer),
            Lines(_cautions(trend), Style.CAUTIONS),
        ],
        [Lines([chart_of(trend)], Style.CODE), Lines([LEGEND])],
        _changes(answer),
        [Lines(other_lines(answer))],
        [Lines(closing_lines(None, f"hopcost gate {answer.name} --against history"), Style.VERSE)],
    ]
    return Document([section for section in sections if any(map(_shows, section))])


def sentence(answer: HistoryAnswer) -> str:
    """What the last change was, or that there is none."""
    trend = answer.shown
    point, stretches = trend.points[-1], trend.segments.stretches
    arm, figure = point.arm, figure_words(answer.figure)
    if trend.segments.changes:
        change = trend.segments.changes[-1]
        since = day(trend.around(change)[1])
        size = notation.change(ratio_of(change))
        return f"{arm} {direction(answer.figure, change.size)} since {since}: {figure} {size} beside {point.baseline}."
    share = notation.share(share_of(stretches[-1]))
    records = count(len(trend.points), "record")
    no_change = f"No change in {records}"
    if len(trend.points) < FEW:
        no_change = f"Too few records to see a change ({len(trend.points)}, and {FEW} are needed)"
    return f"{no_change}: {figure} of {arm} is {share} of {point.baseline}'s."


def _about(answer: HistoryAnswer) -> list[str]:
    trend = answer.shown
    days = dict.fromkeys([day(trend.points[0].record), day(trend.newest)])
    records = count(len(trend.points), "record")
    return [f"{figure_words(answer.figure)}, {records}, {' to '.join(days)}, machine {machine_words(trend.series)}"]


def _table(answer: HistoryAnswer) -> Table:
    trend = answer.shown
    before = [None, *trend.segments.changes]
    rows = [
        [
            day(trend.points[stretch.first].record),
            day(trend.points[stretch.after - 1].record),
            str(stretch.records),
            notation.share(share_of(stretch)),
            ABSENT if change is None else notation.change(ratio_of(change)),
        ]
        for stretch, change in zip(trend.segments.stretches, before, strict=True)
    ]
    of = f"of {trend.points[-1].baseline}'s {figure_words(answer.figure)}"
    return Table(["from", "to", "records", of, "change"], rows, words=2, below=[_spread(trend)])


def _spread(trend: Trend) -> str:
    """What records differ by if nothing changes: learned, and in each range."""
    spread = f"Records of one stretch scatter by {100 * trend.segments.spread:.1f} %"
    learned = "mostly what is usual: they are few" if len(trend.points) < LEARNED_FROM_FEW else "learned from them"
    return f"{spread} ({learned}). Ranges hold between records, {CONFIDENCE_IN_TEXT} each."


def _cautions(trend: Trend) -> list[str]:
    return [f"! The newest record: {caution}" for caution in trend.newest.cautions]


def _changes(answer: HistoryAnswer) -> Section:
    """The newest first: where it lies, and what else changed there."""
    trend = answer.shown
    changes = trend.segments.changes[::-1]
    if not changes:
        return []
    entries = [_entry(answer, change) for change in changes[:MOST_CHANGES]]
    more = len(changes) - MOST_CHANGES
    left = [Lines([f"and {count(more, 'earlier change')}: --json has all"])] if more > 0 else []
    listed: Element = Entries(("change", "what changed"), entries)
    return [Heading("What changed", level=3), listed, *left]


def _entry(answer: HistoryAnswer, change: Change) -> Entry:
    before, after = answer.shown.around(change)
    named = ", ".join(map(words, changed_between(before, after))) or NOTHING
    lines = [named, f"between {record_words(before)}", f"and {record_words(after)}"]
    return Entry(f"{day(after)}  {notation.change_parts(ratio_of(change))[0]}", lines)


def _shows(element: Element) -> bool:
    return not (isinstance(element, Lines) and not element.lines)
