"""What an address asks for: its query, read strictly, so that nothing odd reaches the database."""

from __future__ import annotations

import datetime
import re
import urllib.parse
from collections.abc import Mapping, Sequence

from hopcost.errors import UsageError
from hopcost.history.points import Search

Query = Mapping[str, Sequence[str]]

MOST_FIELDS = 40
LONGEST = 300  # characters of one value
MOST_PAGES = 1_000_000
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
BEGIN = "begin at the list of records"


class BadAddress(UsageError):
    """The address itself is wrong, whatever is kept."""


def read_query(text: bytes) -> Query:
    """The values of each name, empty ones left out; BadAddress for what no browser would send."""
    try:
        pairs = urllib.parse.parse_qsl(text.decode("ascii"), errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise BadAddress("this address cannot be read", BEGIN) from error
    query: dict[str, list[str]] = {}
    for name, value in pairs:
        if len(value) > LONGEST or UNPRINTABLE.search(value):
            raise BadAddress(
                f"{name[:LONGEST]}: expected up to {LONGEST} characters in one line, got {len(value)}", BEGIN
            )
        if value.strip():
            query.setdefault(name, []).append(value.strip())
    return query


def read_word(query: Query, name: str) -> str | None:
    """One value, the last if there are several; None without one."""
    values = query.get(name)
    return values[-1] if values else None


def read_labels(query: Query) -> dict[str, str]:
    """Each `label=NAME=VALUE`; BadAddress for another form.

    >>> read_labels({"label": ["branch=main", "commit=abc"]})
    {'branch': 'main', 'commit': 'abc'}
    """
    labels = {}
    for text in query.get("label", ()):
        name, equals, value = text.partition("=")
        if not name.strip() or not equals:
            raise BadAddress(f"label: expected NAME=VALUE, got '{text}'", "as in branch=main")
        labels[name.strip()] = value.strip()
    return labels


def read_number(query: Query, name: str, least: int) -> int:
    """A whole number, `least` without one; BadAddress for anything else.

    >>> read_number({"page": ["3"]}, "page", 1), read_number({}, "page", 1)
    (3, 1)
    """
    text = read_word(query, name)
    if text is None:
        return least
    if not re.fullmatch(r"[0-9]{1,7}", text) or not least <= int(text) <= MOST_PAGES:
        raise BadAddress(f"{name}: expected a number from {least} to {MOST_PAGES:,}, got '{text}'", BEGIN)
    return int(text)


def read_day(query: Query, name: str) -> datetime.datetime | None:
    """The beginning of a day, UTC; None without one. BadAddress for what is no day.

    >>> read_day({"since": ["2026-11-25"]}, "since")
    datetime.datetime(2026, 11, 25, 0, 0, tzinfo=datetime.timezone.utc)
    """
    text = read_word(query, name)
    if text is None:
        return None
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError as error:
        raise BadAddress(f"{name}: expected a day as in 2026-11-25, got '{text}'", BEGIN) from error
    return datetime.datetime.combine(day, datetime.time(), tzinfo=datetime.UTC)


def read_digest(text: str, where: str) -> str:
    """A record's digest, or the beginning of one; BadAddress for anything else.

    >>> read_digest("00ff12ab", "a")
    '00ff12ab'
    """
    if not re.fullmatch(r"[0-9a-f]{8,64}", text):
        raise BadAddress(f"{where}: expected a record's digest, got '{text[:80]}'", BEGIN)
    return text


def read_search(query: Query) -> Search:
    """Which records are looked for."""
    return Search(
        words=read_word(query, "words"),
        suite=read_word(query, "suite"),
        arm=read_word(query, "arm"),
        labels=read_labels(query),
        machine=read_word(query, "machine"),
    )
