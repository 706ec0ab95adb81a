"""The addresses of the pages. Everything that a record brings stands in the query, percent-encoded."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from hopcost.history.points import Point, Search, Series
from hopcost.report import Format

Pair = tuple[str, str]


class AskedTrend(NamedTuple):
    """Whose history is shown; what is None is left to the page: the figure, and which series of it."""

    suite: str
    experiment: str
    arm: str
    figure: str | None = None
    series: str | None = None  # `key_of` one
    since: str | None = None  # a day
    labels: tuple[Pair, ...] = ()
    older: int = 0  # points between the newest one and the last one that is shown


def records(search: Search, page: int = 1) -> str:
    """The list of records."""
    pairs = [(name, getattr(search, name) or "") for name in ("words", "suite", "arm", "machine")]
    pairs += [("label", f"{name}={value}") for name, value in search.labels.items()]
    return _address("/", [*pairs, ("page", str(page) if page > 1 else "")])


def record(digest: str) -> str:
    """A record's report."""
    return f"/records/{digest}"


def record_data(digest: str, format: Format) -> str:
    """A record's figures."""
    return f"/records/{digest}/data.{format}"


def compare(a: str, b: str, *, anyway: bool = False) -> str:
    """Two records side by side."""
    return _address("/compare", [("a", a), ("b", b), ("anyway", "yes" if anyway else "")])


def trend(asked: AskedTrend) -> str:
    """An arm's history."""
    return _address("/history", _pairs(asked))


def trend_data(asked: AskedTrend) -> str:
    """The figures of an arm's history."""
    return _address("/history.csv", _pairs(asked))


def plain(asked: AskedTrend) -> AskedTrend:
    """The same series, all of it."""
    return asked._replace(since=None, labels=(), older=0)


def with_label(search: Search, name: str, value: str) -> Search:
    """Narrowed to records that have this label."""
    return msgspec.structs.replace(search, labels={**search.labels, name: value})


def with_machine(search: Search, machine: str) -> Search:
    """Narrowed to records of this machine."""
    return msgspec.structs.replace(search, machine=machine)


def key_of(series: Series) -> str:
    """What tells series of one figure apart, as an address has it: machine, method and configuration."""
    return _key(series.machine, series.method, series.configuration)


def trend_of(point: Point) -> AskedTrend:
    """The history that a record's point is of."""
    record = point.record
    key = _key(record.machine, record.versions.method, point.configuration)
    return AskedTrend(record.suite, point.experiment, point.arm, series=key)


def _key(machine: str, method: int, configuration: str) -> str:
    return f"{machine}.{method}.{configuration}"


def _pairs(asked: AskedTrend) -> list[Pair]:
    pairs = [("suite", asked.suite), ("experiment", asked.experiment), ("arm", asked.arm)]
    pairs += [("figure", asked.figure or ""), ("series", asked.series or ""), ("since", asked.since or "")]
    pairs += [("label", f"{name}={value}") for name, value in asked.labels]
    return [*pairs, ("older", str(asked.older) if asked.older else "")]


def _address(path: str, pairs: Iterable[Pair]) -> str:
    query = urllib.parse.urlencode([(name, value) for name, value in pairs if value], errors="replace")
    return f"{path}?{query}" if query else path
