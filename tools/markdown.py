"""Tables in Markdown, lines of at most 100 characters, and parts of a page that a tool writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

WIDTH = 100
_FENCE = re.compile(r"\s*(```|~~~)")
_ITEM = re.compile(r"(\s*(?:[-*]|\d+\.) +)(?=\S)")
_KEPT = re.compile(r"\s*([#|<>]|$)")  # headings, tables, HTML, quotes and empty lines stay as they are
_MARK = re.compile(r"([-+*>|]|#+|\d+[.)])$|%")  # at the beginning of a line it would be more than a word, or lost


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A column `name` is aligned to the left, `name:` to the right."""
    names = [column.removesuffix(":") for column in columns]
    marks = ["---:" if column.endswith(":") else "---" for column in columns]
    return "\n".join(map(row, [names, marks, *rows]))


def row(cells: Iterable[str]) -> str:
    """A row of a table.

    >>> row(["a", "b|c"])
    '| a | b\\\\|c |'
    """
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def fill(page: str, width: int = WIDTH) -> str:
    """The page with paragraphs and list items broken anew at `width`; code, tables, headings and HTML as they are."""
    filled: list[str] = []
    paragraph: list[str] = []
    fence = code = False
    for line in page.splitlines():
        blank_before = not paragraph and (not filled or not filled[-1].strip() or code)
        is_item = _ITEM.match(line) is not None
        code = not fence and blank_before and line.startswith("    ") and not is_item
        if fence or code or _FENCE.match(line) or _KEPT.match(line):
            filled += [*_broken(paragraph, width), line]
            paragraph = []
            fence ^= _FENCE.match(line) is not None
        elif is_item:
            filled += _broken(paragraph, width)
            paragraph = [line]
        else:
            paragraph.append(line)
    return "\n".join([*filled, *_broken(paragraph, width)]) + "\n"


def _broken(paragraph: list[str], width: int) -> list[str]:
    """The lines of one paragraph or list item, those after the first one indented as it is."""
    if not paragraph:
        return []
    item = _ITEM.match(paragraph[0])
    first = item[1] if item else " " * (len(paragraph[0]) - len(paragraph[0].lstrip()))
    words = " ".join(paragraph)[len(first) :].split()
    lines = [[words[0]]]
    for word in words[1:]:
        if len(first) + len(" ".join([*lines[-1], word])) <= width:
            lines[-1].append(word)
        elif _MARK.match(word) and len(lines[-1]) > 1:
            lines.append([lines[-1].pop(), word])
        else:
            lines.append([word])
    return [(first if number == 0 else " " * len(first)) + " ".join(line) for number, line in enumerate(lines)]


def replace_part(page: str, name: str, text: str) -> str:
    """The page with what stands between `<!-- NAME: begin -->` and `<!-- NAME: end -->` replaced.

    >>> replace_part("a\\n<!-- b: begin -->\\n\\nold\\n\\n<!-- b: end -->\\nc\\n", "b", "new")
    'a\\n<!-- b: begin -->\\n\\nnew\\n\\n<!-- b: end -->\\nc\\n'
    """
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    return page[: page.index(begin) + len(begin)] + f"\n{text.strip()}\n\n" + page[page.index(end) :]


def part(page: str, name: str) -> str:
    """What stands between the two marks.

    >>> part("<!-- b: begin -->\\n\\ntext\\n\\n<!-- b: end -->\\n", "b")
    'text'
    """
    return page.partition(f"<!-- {name}: begin -->\n")[2].partition(f"<!-- {name}: end -->")[0].strip()


def fold(title: str, text: str) -> str:
    """Text behind a line that opens it."""
    return f"<details>\n<summary>{title}</summary>\n\n{text.strip()}\n\n</details>"
