"""Changes to the text of configuration files, by offset: all that is not changed stays byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Meta


class Edit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`text` takes the place of the characters from `start` up to `end` of a file. Nothing is taken if both are equal.

    `file` is the path under which nginx reads it, such as /etc/nginx/nginx.conf. Offsets count characters of the
    file as it is, before any edit.
    """

    file: Annotated[str, Meta(description="the path under which nginx reads it")]
    start: Annotated[int, Meta(ge=0, description="the first character that goes")]
    end: Annotated[int, Meta(ge=0, description="the first that stays; `start` if none goes")]
    text: Annotated[str, Meta(description="what takes their place")]


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A file's text with its edits; ValueError if two of them overlap.

    >>> edited("gzip off;", [Edit("a", 5, 8, "on")])
    'gzip on;'
    """
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < at:
            raise ValueError(f"{edit.file}: edits overlap at character {edit.start}")
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of a file, as the user knows the file: from the folder of the configuration.

    >>> str(Place("conf.d/app.conf", 7))
    'conf.d/app.conf:7'
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"
