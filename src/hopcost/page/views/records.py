"""The list of records, as far as a search goes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import msgspec

from hopcost.history.points import Search
from hopcost.page import links
from hopcost.page.answers import Page
from hopcost.page.asked import Query, read_number, read_search
from hopcost.page.kept import Kept

PER_PAGE = 50
FIELDS = ("words", "suite", "arm", "machine")


@dataclass(frozen=True)
class Filter:
    """A part of a search in words, and the address of the search without it."""

    words: str
    without: str


def show_records(kept: Kept, query: Query) -> Page:
    """A page of the list, newest first. A page behind the last one is empty and leads back."""
    search, page = read_search(query), read_number(query, "page", 1)
    found = kept.count(search)
    pages = max(1, math.ceil(found / PER_PAGE))
    records = list(kept.records(search, PER_PAGE, (page - 1) * PER_PAGE)) if page <= pages else []
    content = {
        "search": search,
        "filters": filters(search),
        "found": found,
        "first": (page - 1) * PER_PAGE + 1,
        "records": records,
        "newer": links.records(search, min(page - 1, pages)) if page > 1 else None,
        "older": links.records(search, page + 1) if page < pages else None,
    }
    return Page("records.html.j2", content)


def filters(search: Search) -> list[Filter]:
    """What narrows the list.

    >>> [part.without for part in filters(Search(suite="hello", labels={"branch": "main"}))]
    ['/?label=branch%3Dmain', '/?suite=hello']
    """
    parts = [
        Filter(f"{name}: {value}", links.records(msgspec.structs.replace(search, **{name: None})))
        for name in FIELDS
        if (value := getattr(search, name))
    ]
    for name, value in search.labels.items():
        rest = {other: text for other, text in search.labels.items() if other != name}
        parts.append(Filter(f"label: {name}={value}", links.records(msgspec.structs.replace(search, labels=rest))))
    return parts
