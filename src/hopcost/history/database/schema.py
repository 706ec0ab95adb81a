"""The tables, alike on SQLite and PostgreSQL. A change here needs a step in migrations/versions; a test compares both.

The large columns stand in a table of their own, so that a search through all records does not read them.
"""

from __future__ import annotations

import datetime
from typing import Any

import msgspec
from sqlalchemy import Column, DateTime, Dialect, Double, ForeignKey, Index, Integer, MetaData, String, Table, Text
from sqlalchemy.types import TypeDecorator

from hopcost.history.contents.summary import KeptExperiment

VERSION_TABLE = "hopcost_schema"
DIGEST = 64  # signs of a SHA-256 in hex


class Utc(TypeDecorator[datetime.datetime]):
    """A moment, UTC on both sides; SQLite knows no zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime.datetime | None, dialect: Dialect) -> datetime.datetime | None:
        if value is None:
            return None
        utc = value.astimezone(datetime.UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime.datetime | None, dialect: Dialect) -> datetime.datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=datetime.UTC) if value.tzinfo is None else value.astimezone(datetime.UTC)


class Words(TypeDecorator[str]):
    """A text. PostgreSQL refuses the sign NUL and halves of pairs, which a record from anybody may have."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")


class Json(TypeDecorator[Any]):
    """JSON as text, decoded into one type; as text it may hold NUL, which PostgreSQL's own type refuses."""

    impl = Text
    cache_ok = True

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.kind = kind
        self._decoder = msgspec.json.Decoder(kind)

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else msgspec.json.encode(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002
        return None if value is None else self._decoder.decode(value)


METADATA = MetaData()

RECORDS = Table(
    "hopcost_records",
    METADATA,
    Column("digest", String(DIGEST), primary_key=True),
    Column("run", String(DIGEST), nullable=False, unique=True),
    Column("blocks", Integer, nullable=False),  # how far the run had gone, void starts and repeats counted
    Column("path", Words, nullable=False),
    Column("suite", Words, nullable=False),
    Column("question", Words, nullable=False),
    Column("started", Utc, nullable=False),
    Column("kept", Utc, nullable=False),
    Column("machine", String(DIGEST), nullable=False),
    Column("host", Words, nullable=False),
    Column("hopcost", Words, nullable=False),
    Column("method", Integer, nullable=False),
    Column("kernel", Words, nullable=False),
    Column("cpu", Words, nullable=False),
    Column("programs", Json(dict[str, str]), nullable=False),
    Column("cautions", Json(tuple[str, ...]), nullable=False),
    Column("search", Words, nullable=False),  # lower case: what `Search.words` are looked for in, besides labels
    Index("hopcost_records_newest", "started", "digest"),
    Index("hopcost_records_suite", "suite", "started"),
)

LABELS = Table(
    "hopcost_labels",
    METADATA,
    Column("digest", String(DIGEST), ForeignKey(RECORDS.c.digest, ondelete="CASCADE"), primary_key=True),
    Column("name", Words, primary_key=True),
    Column("value", Words, nullable=False),
    Column("search", Words, nullable=False),  # name=value in lower case: SQLite's own lower() knows ASCII alone
    Index("hopcost_labels_value", "name", "value"),
)

CONTENTS = Table(
    "hopcost_contents",
    METADATA,
    Column("digest", String(DIGEST), ForeignKey(RECORDS.c.digest, ondelete="CASCADE"), primary_key=True),
    Column("environment", Json(dict[str, Any]), nullable=False),
    Column("summary", Json(tuple[KeptExperiment, ...]), nullable=False),
)

POINTS = Table(
    "hopcost_points",
    METADATA,
    Column("digest", String(DIGEST), ForeignKey(RECORDS.c.digest, ondelete="CASCADE"), primary_key=True),
    Column("experiment", Words, primary_key=True),
    Column("arm", Words, primary_key=True),
    Column("figure", Words, primary_key=True),
    Column("suite", Words, nullable=False),  # the record's: lists of arms and figures read the index below, and no more
    Column("baseline", Words, nullable=False),
    Column("configuration", String(DIGEST), nullable=False),
    Column("ratio", Double, nullable=False),
    Column("low", Double),
    Column("high", Double),
    Column("standard_error", Double),
    Column("starts", Integer, nullable=False),
    Column("value", Double),
    Column("baseline_value", Double),
    Column("unit", Words, nullable=False),
    Column("blocks", Json(tuple[float, ...]), nullable=False),
    Index("hopcost_points_arm", "suite", "experiment", "arm", "figure", "digest"),
)
