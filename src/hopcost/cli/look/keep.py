"""`hopcost keep`: records into the history."""

from __future__ import annotations

from typing import Annotated

import typer

from hopcost.cli.shared import complete
from hopcost.cli.shared.arguments import RECORD_HELP
from hopcost.cli.shared.history import MACHINE_VARIABLE, Database, Labels
from hopcost.cli.shared.verbs.app import app, examples, fail

EPILOG = examples(
    "hopcost keep latest",
    "hopcost keep records/* --label branch=main",
    "hopcost keep latest --database postgresql://ci@db.example/hopcost",
    then="A record keeps the commit and the branch that were checked out when it was measured; --label wins over them."
    " A record that is kept already gets its new labels, and nothing else happens. PGPASSWORD or ~/.pgpass has the"
    " password. docs/tutorial/history.md has complete jobs for GitHub and GitLab.",
)


@app.command("keep", epilog=EPILOG)
def keep(
    records: Annotated[list[str], typer.Argument(metavar="RECORD…", help=RECORD_HELP, autocompletion=complete.records)],
    labels: Labels = None,
    machine: Annotated[
        str | None,
        typer.Option(
            "--machine",
            metavar="NAME",
            help=f"Machines of this name count as one, as runners that are alike. [default: {MACHINE_VARIABLE}, else"
            " each by itself]",
            show_default=False,
        ),
    ] = None,
    database: Database = None,
) -> int:
    """Keep records in the history, each whole or not at all.

    A record that cannot be read is told, and the others are kept.
    """
    from hopcost.cli.shared.history import kept_words, machine_name, open_history
    from hopcost.errors import UsageError, printable
    from hopcost.history.labels import read_labels
    from hopcost.record.reader import find_record

    given = read_labels(labels or [])
    paths = [find_record(name) for name in records]
    exit_code = 0
    with open_history(database) as history:
        for path in paths:
            try:
                keeping = history.keep(path, given, machine=machine or machine_name())
            except UsageError as error:
                exit_code = fail(error)
                continue
            print(printable(kept_words(keeping, path, history)))
    return exit_code
