"""The page's templates: the report's own, and those beside this file that build on them."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import jinja2

from hopcost import __version__
from hopcost.page import links
from hopcost.report.formats.html import page as html

FOLDER = Path(__file__).parent / "templates"
SHORT = 8  # signs of a digest that people see


def make_templates(address_of: Callable[[str], str]) -> jinja2.Environment:
    """With the addresses of pages as `link`, and those of style and scripts as `asset`."""
    environment = html.templates(FOLDER)
    environment.globals |= {"link": links, "asset": address_of, "version": __version__}
    environment.filters |= {"minute": minute, "short": lambda digest: digest[:SHORT]}
    return environment


def minute(moment: datetime.datetime) -> str:
    """In UTC.

    >>> minute(datetime.datetime(2026, 11, 25, 3, 42, 11, tzinfo=datetime.UTC))
    '2026-11-25 03:42'
    """
    return f"{moment.astimezone(datetime.UTC):%Y-%m-%d %H:%M}"
