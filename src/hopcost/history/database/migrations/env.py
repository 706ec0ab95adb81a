"""What alembic runs to take a step: in the transaction and the lock of `migrate.py`, which hands it a connection."""

from __future__ import annotations

from alembic import context

from hopcost.history.database.schema import METADATA, VERSION_TABLE


def take_steps() -> None:
    """Those that alembic was asked for."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=METADATA,
        version_table=VERSION_TABLE,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


if not __name__.startswith("hopcost."):  # alembic loads it by its path; as a module of hopcost there are no steps
    take_steps()
