"""A line below a table, with its subject. A sweep says some lines once for all of its values."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple


class NoteKind(Enum):
    """What a note is about."""

    AA_FLOOR = "the baseline against itself"
    BLOCKS = "how many blocks, how narrow, why it stopped"
    UNITS = "what columns show"
    HARNESS_LOAD = "what hopcost itself took"
    OTHER = "anything else"


class Note(NamedTuple):
    """`text` may have several lines if a program printed them."""

    text: str
    kind: NoteKind = NoteKind.OTHER


def merge_lines(lines_by_value: Sequence[tuple[str, list[str]]]) -> list[str]:
    """The lines of a sweep's values, each once: `at 10, 100: …` if it does not hold for all of them."""
    values: dict[str, list[str]] = {}
    for value, lines in lines_by_value:
        for line in dict.fromkeys(lines):
            values.setdefault(line, []).append(value)
    return [
        line if len(holders) == len(lines_by_value) else f"at {', '.join(holders)}: {line}"
        for line, holders in values.items()
    ]
