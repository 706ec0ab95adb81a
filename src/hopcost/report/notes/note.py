"""One line below a table, with what it is about: a sweep words some kinds once for all of its values."""

from __future__ import annotations

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
