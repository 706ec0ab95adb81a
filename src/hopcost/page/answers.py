"""What a view gives back: a page of a template, or data to save."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hopcost.report import Format

TYPES = {Format.CSV: "text/csv; charset=utf-8", Format.JSON: "application/json"}


@dataclass(frozen=True)
class Page:
    """A page: its template, and what the template shows by the names that it uses."""

    template: str
    content: Mapping[str, object]
    status: int = 200


@dataclass(frozen=True)
class Data:
    """Text to save as a file."""

    text: str
    format: Format
    title: str

    @property
    def media_type(self) -> str:
        """Of the answer's header."""
        return TYPES[self.format]

    @property
    def file_name(self) -> str:
        """The title as a name that every file system and every header takes.

        >>> Data("", Format.CSV, 'nginx-go "\\r\\n/../é').file_name
        'nginx-go.csv'
        """
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", self.title).strip("-.")[:100]
        return f"{name.rstrip('-.') or 'hopcost'}.{self.format.value}"
