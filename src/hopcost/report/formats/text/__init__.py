"""Documents for a terminal. In a file or a pipe they are the same without colours."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from hopcost.report import Result
from hopcost.report.document import Document
from hopcost.report.formats.text.lines import Layout
from hopcost.report.formats.text.recap import with_answers_last

WIDTH = 80  # if there is no terminal to ask
MOST_WIDTH = 100  # wider lines are hard to read
LEAST_WIDTH = 40


def write(result: Result) -> str:
    """The result's document as plain text."""
    return text(result.document())


def text(document: Document, width: int = WIDTH, ascii: bool = False, words: Callable[[str], str] = str) -> str:
    """Plain text, no line of which is wider than `width` as long as its words allow."""
    return "".join(f"{line.text}\n" for line in Layout(width, ascii, words).lines(document))


def columns(terminal: int) -> int:
    """Of a text on a terminal with so many columns."""
    return max(LEAST_WIDTH, min(MOST_WIDTH, terminal))


def show(
    document: Document,
    ascii: bool | None = None,
    *,
    ends_with_answers: bool = False,
    words: Callable[[str], str] = str,
) -> None:
    """Print to standard output: with a terminal's width and colours, or as `text` if it is no terminal.

    `ascii` None: letters that standard output has. If it `ends_with_answers`, those that have scrolled out of the
    terminal stand at its end once more. `words` may change each text before it is laid out.
    """
    from rich.console import Console
    from rich.text import Text

    ascii = wants_ascii() if ascii is None else ascii
    console = Console(highlight=False)
    if not console.is_terminal:
        print(text(document, ascii=ascii, words=words), end="")
        return
    layout = Layout(columns(console.width), ascii, words)
    lines = layout.lines(with_answers_last(document, layout, console.height) if ends_with_answers else document)
    for line in lines:
        console.print(Text(line.text, style=line.tone.value), soft_wrap=True)


def wants_ascii() -> bool:
    """Whether standard output cannot show bars: a dumb terminal, or an encoding that is not UTF-8."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return os.environ.get("TERM") == "dumb" or encoding != "utf8"
