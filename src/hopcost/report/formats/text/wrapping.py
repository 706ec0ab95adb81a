"""Lines of a given width, and letters for terminals that have few."""

from __future__ import annotations

import re
import textwrap

# A figure stays with its unit, and with its range.
JOINED = re.compile(r"(?<=\d) (?=%|µs\b|us\b|ms\b|s\b|min\b|h\b|cores?\b)|(?<=%|s) (?=\([\d<−+-])")
HARD_SPACE = "\u00a0"
ASCII = str.maketrans(
    {
        "–": "-",
        "—": "-",
        "−": "-",
        "·": "-",
        "µ": "u",
        "→": "->",
        "÷": "/",
        "×": "x",
        "±": "+-",
        "≥": ">=",
        "≤": "<=",
        "…": "...",
        "─": "-",
        "│": "|",
        "┤": "+",
        "└": "+",
        "●": "*",
        "▲": "^",
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
    }
)


def wrap(text: str, width: int, first: str = "", rest: str | None = None, *, break_words: bool = True) -> list[str]:
    """The text in lines of at most `width`; `first` stands before the first line, `rest` (or as many spaces) below it.

    Without `break_words`, a word that is longer keeps its line to itself: a path can then be copied.

    >>> wrap("nginx leaves Go 46 % (44–47) of it", 24, "? ")
    ['? nginx leaves Go', '  46 % (44–47) of it']
    """
    rest = " " * len(first) if rest is None else rest
    lines = textwrap.wrap(
        JOINED.sub(HARD_SPACE, text),
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=break_words,
        replace_whitespace=False,
    )
    return [line.replace(HARD_SPACE, " ").rstrip() for line in lines] or [first.rstrip()]


def to_ascii(text: str) -> str:
    """The same in ASCII; a letter without a likeness becomes its number.

    >>> to_ascii("+16 µs (15–17) · é")
    '+16 us (15-17) - \\\\xe9'
    """
    return text.translate(ASCII).encode("ascii", "backslashreplace").decode("ascii")
