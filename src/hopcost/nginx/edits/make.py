"""Makes edits of directives: away, changed, or added, written as the lines around them are written."""

from __future__ import annotations

import re

from hopcost.nginx.edits import Edit, Place
from hopcost.nginx.read.text import ConfigurationText
from hopcost.nginx.tree import Directive

INDENT = "    "
BLANKS = " \t"


def place_of(configuration: ConfigurationText, directive: Directive) -> Place:
    """Where a directive stands, for people."""
    return Place(configuration.name_of(directive.file), directive.line)


def remove(configuration: ConfigurationText, directive: Directive) -> Edit:
    """A directive away: with its line if it stands alone there, so that no empty line is left."""
    text = configuration.files[directive.file]
    start, end = directive.start, directive.end
    line_start = _line_start(text, start)
    line_end = _line_end(text, end)
    alone = not text[line_start:start].strip(BLANKS) and not text[end:line_end].strip(" \t\r\n")
    if alone:
        return Edit(directive.file, line_start, line_end, "")
    while end < len(text) and text[end] in BLANKS and text[line_start:start].strip(BLANKS):
        end += 1  # one of the two gaps goes with it
    if not text[line_start:start].strip(BLANKS):
        while end < len(text) and text[end] in BLANKS:
            end += 1
    elif end >= len(text) or text[end] in "\r\n":
        while start > line_start and text[start - 1] in BLANKS:
            start -= 1
    return Edit(directive.file, start, end, "")


def set_arguments(directive: Directive, words: str) -> Edit:
    """Other arguments for a directive; its name and what stands around stay."""
    if len(directive.words) == 1:
        return Edit(directive.file, directive.words[0].end, directive.words[0].end, f" {words}")
    return Edit(directive.file, directive.words[1].start, directive.words[-1].end, words)


def set_argument(directive: Directive, index: int, word: str) -> Edit:
    """One other argument, counted from 0; one more at the end if there are not as many."""
    if index + 1 >= len(directive.words):
        return append_argument(directive, word)
    token = directive.words[index + 1]
    return Edit(directive.file, token.start, token.end, word)


def append_argument(directive: Directive, word: str) -> Edit:
    """One more argument at the end."""
    end = directive.words[-1].end
    return Edit(directive.file, end, end, f" {word}")


def remove_argument(directive: Directive, index: int) -> Edit:
    """One argument away, with the space before it."""
    token, before = directive.words[index + 1], directive.words[index]
    return Edit(directive.file, before.end, token.end, "")


def add_after(configuration: ConfigurationText, directive: Directive, line: str) -> Edit:
    """A directive more, after another: on a line of its own, unless that one shares its line."""
    text = configuration.files[directive.file]
    line_start, line_end = _line_start(text, directive.start), _line_end(text, directive.end)
    indent = text[line_start : directive.start]
    after = text[directive.end : line_end].strip(" \t\r\n")
    if indent.strip(BLANKS) or (after and not after.startswith("#")) or line_end == directive.end:
        return Edit(directive.file, directive.end, directive.end, f" {line}")
    return Edit(directive.file, line_end, line_end, _indented(line, indent, text))


def add_before(configuration: ConfigurationText, directive: Directive, lines: str) -> Edit:
    """Directives more, before another: on lines of their own. `lines` may be several, indented from 0."""
    text = configuration.files[directive.file]
    line_start = _line_start(text, directive.start)
    indent = text[line_start : directive.start]
    if indent.strip(BLANKS):
        return Edit(directive.file, directive.start, directive.start, re.sub(r"\n\s*", " ", lines).strip() + " ")
    return Edit(directive.file, line_start, line_start, _indented(lines, indent, text))


def add_inside(configuration: ConfigurationText, block: Directive, line: str) -> Edit:
    """A directive more at the end of a block."""
    text = configuration.files[block.file]
    line_start = _line_start(text, block.closes)
    if text[line_start : block.closes].strip(BLANKS) or line_start <= block.opens:
        gap = "" if text[block.closes - 1] in BLANKS else " "
        return Edit(block.file, block.closes, block.closes, f"{gap}{line} ")
    children = [child for child in block.block or () if child.file == block.file]
    own = text[_line_start(text, block.start) : block.start]
    indent = (own if not own.strip(BLANKS) else "") + INDENT
    if children:
        before = text[_line_start(text, children[-1].start) : children[-1].start]
        indent = indent if before.strip(BLANKS) else before
    return Edit(block.file, line_start, line_start, _indented(line, indent, text))


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    """Past the newline, or the end of the text."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _indented(lines: str, indent: str, text: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    return "".join(f"{indent}{line}{newline}" if line else newline for line in lines.split("\n"))
