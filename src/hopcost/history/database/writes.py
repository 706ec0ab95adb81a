"""What is written of a record, within one transaction of its caller's."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, delete, insert, select, update

from hopcost.history.contents.read import Contents
from hopcost.history.database.rows import label_rows, point_rows, record_row
from hopcost.history.database.schema import CONTENTS, LABELS, POINTS, RECORDS


def has(connection: Connection, digest: str) -> bool:
    """Whether the record is kept."""
    return connection.execute(select(RECORDS.c.digest).where(RECORDS.c.digest == digest)).first() is not None


def put(connection: Connection, contents: Contents) -> None:
    """A record that is not there yet. What was kept of the same run before it went on goes."""
    digest = contents.record.digest
    connection.execute(delete(RECORDS).where(RECORDS.c.run == contents.run))  # the other tables' rows go with it
    connection.execute(insert(RECORDS), record_row(contents))
    own = {"digest": digest, "environment": contents.environment, "summary": contents.summary}
    connection.execute(insert(CONTENTS), own)
    for table, rows in ((LABELS, label_rows(digest, contents.record.labels)), (POINTS, point_rows(contents))):
        if rows:
            connection.execute(insert(table), rows)


def refresh(connection: Connection, digest: str, path: str, labels: Mapping[str, str]) -> None:
    """Where a kept record lies now, and labels that were given; its other labels stay."""
    connection.execute(update(RECORDS).where(RECORDS.c.digest == digest).values(path=path))
    if labels:
        mine = LABELS.c.digest == digest
        connection.execute(delete(LABELS).where(mine, LABELS.c.name.in_(list(labels))))
        connection.execute(insert(LABELS), label_rows(digest, labels))
