"""A bar with its range: solid up to the low end, shaded from there to the high end, so that uncertainty is seen."""

from __future__ import annotations

from hopcost.report.document import Bar

SOLID, SHADED = "█", "▒"
EIGHTHS = " ▏▎▍▌▋▊▉"
ASCII_SOLID, ASCII_SHADED = "=", "-"


def draw(bar: Bar, width: int, ascii: bool = False) -> str:
    """The bar in at most `width` cells, without spaces at its end; `bar.most` fills them all.

    A range that is narrower than the cells can show becomes a solid bar up to its middle, in eighths of a cell.

    >>> draw(Bar(low=1.0, high=1.0, most=1.0), 15)
    '███████████████'
    >>> draw(Bar(low=0.55, high=0.81, most=1.0), 15)
    '████████▒▒▒▒'
    >>> draw(Bar(low=0.21, high=0.22, most=1.0), 15)
    '███▎'
    >>> draw(Bar(low=0.55, high=0.81, most=1.0), 15, ascii=True)
    '========----'
    """
    low, high = (min(max(end / bar.most, 0.0), 1.0) * width if bar.most > 0 else 0.0 for end in (bar.low, bar.high))
    solid, end = round(low), round(high)
    if ascii:
        return ASCII_SOLID * solid + ASCII_SHADED * (end - solid)
    if end > solid:
        return SOLID * solid + SHADED * (end - solid)
    eighths = round((low + high) / 2 * 8)
    return SOLID * (eighths // 8) + EIGHTHS[eighths % 8].strip()
