"""The questions that are asked of the tables."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, or_, select

from hopcost.history.database.rows import to_point, to_record
from hopcost.history.database.schema import LABELS, POINTS, RECORDS
from hopcost.history.points import KeptRecord, Point, Search

Conditions = list[ColumnElement[bool]]
ROWS_AT_A_TIME = 500  # digests in one question: databases take so many values and no more


def conditions_of(search: Search) -> Conditions:
    """What the records of a search have in common."""
    conditions = [_has_word(word.lower()) for word in (search.words or "").split()]
    if search.suite is not None:
        conditions.append(RECORDS.c.suite == search.suite)
    if search.arm is not None:
        is_arm = or_(POINTS.c.arm == search.arm, POINTS.c.baseline == search.arm)
        conditions.append(select(POINTS.c.digest).where(POINTS.c.digest == RECORDS.c.digest, is_arm).exists())
    conditions += of_labels(search.labels)
    if search.machine is not None:
        conditions.append(of_machine(search.machine))
    return conditions


def of_labels(labels: Mapping[str, str]) -> Conditions:
    """Records that have each of these labels."""
    return [
        select(LABELS.c.digest)
        .where(LABELS.c.digest == RECORDS.c.digest, LABELS.c.name == name, LABELS.c.value == value)
        .exists()
        for name, value in labels.items()
    ]


def of_machine(word: str) -> ColumnElement[bool]:
    """Records of the machine whose key begins so, or whose host is called so."""
    return or_(RECORDS.c.machine.startswith(word.lower(), autoescape=True), RECORDS.c.host == word)


def _has_word(word: str) -> ColumnElement[bool]:
    """Anywhere in the record's words, or in a label as NAME=VALUE."""
    is_label = LABELS.c.search.contains(word, autoescape=True)
    in_label = select(LABELS.c.digest).where(LABELS.c.digest == RECORDS.c.digest, is_label).exists()
    return or_(RECORDS.c.search.contains(word, autoescape=True), in_label)


def newest_first(conditions: Conditions, limit: int, offset: int) -> Select[Any]:
    """A page of records."""
    order = (RECORDS.c.started.desc(), RECORDS.c.digest.desc())
    return select(RECORDS).where(*conditions).order_by(*order).limit(limit).offset(offset)


def read_records(connection: Connection, question: Select[Any]) -> list[KeptRecord]:
    """Rows of the table of records with their labels, in the order of the rows."""
    rows = connection.execute(question).mappings().all()
    labels = _labels(connection, [row["digest"] for row in rows])
    return [to_record(row, labels.get(row["digest"], {})) for row in rows]


def _labels(connection: Connection, digests: Sequence[str]) -> dict[str, dict[str, str]]:
    """Labels by digest."""
    found: dict[str, dict[str, str]] = {}
    for part in _parts(digests):
        columns = (LABELS.c.digest, LABELS.c.name, LABELS.c.value)
        question = select(*columns).where(LABELS.c.digest.in_(part)).order_by(LABELS.c.name)
        for digest, name, value in connection.execute(question):
            found.setdefault(digest, {})[name] = value
    return found


def _parts(digests: Sequence[str]) -> Iterator[Sequence[str]]:
    for begin in range(0, len(digests), ROWS_AT_A_TIME):
        yield digests[begin : begin + ROWS_AT_A_TIME]


def read_points(connection: Connection, conditions: Conditions) -> list[Point]:
    """Points with their records, the oldest record first, an experiment's arms and figures in the order of names."""
    joined = POINTS.join(RECORDS, POINTS.c.digest == RECORDS.c.digest)
    order = (RECORDS.c.started, RECORDS.c.digest, POINTS.c.experiment, POINTS.c.arm, POINTS.c.figure)
    of_points = connection.execute(select(POINTS).select_from(joined).where(*conditions).order_by(*order))
    rows = of_points.mappings().all()
    digests = list(dict.fromkeys(row["digest"] for row in rows))
    records = {
        record.digest: record
        for part in _parts(digests)
        for record in read_records(connection, select(RECORDS).where(RECORDS.c.digest.in_(part)))
    }
    return [to_point(row, records[row["digest"]]) for row in rows if row["digest"] in records]


def in_series(
    suite: str,
    experiment: str,
    arm: str,
    figure: str,
    since: datetime.datetime | None,
    labels: Mapping[str, str],
    machine: str | None,
) -> Conditions:
    """What the points of a history have in common."""
    conditions = [
        POINTS.c.suite == suite,
        POINTS.c.experiment == experiment,
        POINTS.c.arm == arm,
        POINTS.c.figure == figure,
        *of_labels(labels),
    ]
    if since is not None:
        conditions.append(RECORDS.c.started >= since)
    if machine is not None:
        conditions.append(of_machine(machine))
    return conditions
