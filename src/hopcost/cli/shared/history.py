"""The options of the history, and what keeps the record of a run that a verb measures."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopcost.errors import HopcostError, UsageError, needs_extra, printable

if TYPE_CHECKING:
    from hopcost.history.history import History
    from hopcost.history.points import Keeping

MACHINE_VARIABLE = "HOPCOST_MACHINE"

Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="A file, or postgresql://USER@HOST/NAME. [default: HOPCOST_DATABASE, else"
        " ~/.local/share/hopcost/history.sqlite]",
        show_default=False,
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option("--label", metavar="NAME=VALUE", help="A label, as in branch=main; repeat it for more."),
]
Keep = Annotated[
    str | None,
    typer.Option("--keep", metavar="[URL]", help="Keep the record in the history; URL as of hopcost keep --database."),
]
KeepRecord = Callable[[Path], None]


def open_history(database: str | None) -> History:
    """The database; CannotMeasure without the extra that it needs."""
    with needs_extra("history", "the history"):
        from hopcost.history.history import History
    return History.open(database)


def ready_to_keep(keep: str | None, labels: list[str] | None) -> KeepRecord:
    """What keeps the record once it is measured; nothing is kept without --keep.

    The database is opened now, so that nobody measures for an hour to learn that it cannot be.
    """
    if keep is None:
        if labels:
            raise UsageError("--label: without --keep nothing is labelled", "add --keep")
        return lambda _: None
    from hopcost.history.labels import read_labels

    given = read_labels(labels or [])
    open_history(keep).close()
    return lambda record: _keep_measured(record, keep, given)


def machine_name() -> str | None:
    """What machines that are alike are called together, by the variable."""
    return os.environ.get(MACHINE_VARIABLE) or None


def kept_words(keeping: Keeping, record: Path, history: History) -> str:
    """One line for a person."""
    from hopcost.history.points import Keeping

    return f"{'kept' if keeping is Keeping.NEW else 'already kept'}: {record} in {history.place}"


def _keep_measured(record: Path, database: str, labels: dict[str, str]) -> None:
    """From the host's network: a run may have left it, and a database is there. An error says how to keep it later."""
    from hopcost.stacks.sandbox import network

    def keep() -> str:
        with open_history(database) as history:
            return kept_words(history.keep(record, labels, machine=machine_name()), record, history)

    home = network.home()
    try:
        words = keep() if home is None else home.run(keep)
    except HopcostError as error:
        error.hint = f"the record is whole: hopcost keep {shlex.quote(str(record))}, once that is mended"
        raise
    print(printable(words), file=sys.stderr)
