"""What is written of a record, within one transaction of its caller's."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, delete, insert, select, update

from hopcost.history.contents.read import Contents
from hopcost.history.database.rows import label_rows, point_rows, record_row
from hopcost.history.database.schema import CONTENTS, LABELS, POINTS, RECORDS


def run_of(connection: Connection, digest: str) -> str | None:
    """The run that a kept record is of; None if the record is not kept."""
    run: str | None = connection.execute(select(RECORDS.c.run).where(RECORDS.c.digest == digest)).scalar()
    return run


def put(connection: Connection, contents: Contents) -> bool:
    """A record that is not there yet takes the place of what was kept of its run before; whether it did.

    It does not if the run had gone further there.
    """
    further = (RECORDS.c.run == contents.run, RECORDS.c.blocks > contents.blocks)
    if connection.execute(select(RECORDS.c.digest).where(*further)).first() is not None:
        return False
    digest = contents.record.digest
    connection.execute(delete(RECORDS).where(RECORDS.c.run == contents.run))  # the other tables' rows go with it
    connection.execute(insert(RECORDS), record_row(contents))
    own = {"digest": digest, "environment": contents.environment, "summary": contents.summary}
    connection.execute(insert(CONTENTS), own)
    for table, rows in ((LABELS, label_rows(digest, contents.record.labels)), (POINTS, point_rows(contents))):
        if rows:
            connection.execute(insert(table), rows)
    return True


def refresh(connection: Connection, digest: str, path: str, labels: Mapping[str, str]) -> None:
    """Where a kept record lies now, and labels that were given; its other labels stay."""
    connection.execute(update(RECORDS).where(RECORDS.c.digest == digest).values(path=path))
    if labels:
        mine = LABELS.c.digest == digest
        connection.execute(delete(LABELS).where(mine, LABELS.c.name.in_(list(labels))))
        connection.execute(insert(LABELS), label_rows(digest, labels))
