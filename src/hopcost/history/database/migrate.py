"""The schema of the database that is opened, brought up to the newest; a newer one is refused."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text

from hopcost import __version__
from hopcost.errors import UsageError
from hopcost.history.database.engine import reading, writing
from hopcost.history.database.place import Place
from hopcost.history.database.schema import VERSION_TABLE

STEPS = Path(__file__).parent / "migrations"
LOCK = 0x686F_7063_6F73_74  # "hopcost": whoever changes the schema of a PostgreSQL waits here for the others


def bring_up_to_date(engine: Engine, place: Place) -> None:
    """One transaction: killed at any moment, the schema is the old or the new one.

    UsageError if a newer hopcost has made the schema, or if a file of SQLite belongs to another program.
    """
    config = Config()
    config.set_main_option("script_location", str(STEPS).replace("%", "%%"))
    steps = ScriptDirectory.from_config(config)
    head = steps.get_current_head()
    with reading(engine) as connection:
        if _version(connection, steps, place) == head:
            return
    with writing(engine, LOCK) as connection:
        if _version(connection, steps, place) == head:  # another process was quicker
            return
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _version(connection: Connection, steps: ScriptDirectory, place: Place) -> str | None:
    """The step that the schema has; None of an empty database."""
    tables = inspect(connection).get_table_names()
    if VERSION_TABLE not in tables:
        if tables and place.file is not None:
            raise UsageError(
                f"{place}: it is a database of another program: it has the table {sorted(tables)[0]}",
                "name another file with --database; it is left as it is",
            )
        return None
    version = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    known = {step.revision for step in steps.walk_revisions()}
    if version is not None and version not in known:
        raise UsageError(
            f"{place}: a newer hopcost has made its schema: it is {version}, this one ({__version__}) knows up to"
            f" {steps.get_current_head()}",
            "upgrade hopcost here, or name another database; nothing was changed",
        )
    return None if version is None else str(version)
