"""`hopcost report`: a record as text, Markdown, JSON or HTML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli import app
from hopcost.report import RecordFormat

EPILOG = """Examples:

  hopcost report latest

  hopcost report latest --format html -o report.html

  hopcost report records/before --format markdown -o before.md"""


@app.command("report", epilog=EPILOG)
def report(
    record: Annotated[
        str, typer.Argument(metavar="RECORD", help="A record's directory, its name in records/, or `latest`.")
    ],
    format: Annotated[RecordFormat, typer.Option("--format", "-f", help="The format.")] = RecordFormat.TEXT,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to; standard output otherwise.")
    ] = None,
) -> None:
    """Show a record again; it may come from another machine."""
    from hopcost import record as records
    from hopcost import summary
    from hopcost.cli.output import put
    from hopcost.report import renderer

    read = records.read(records.find(record))
    put(renderer(format)(read, summary.summarise(read)), output)
