"""`hopcost report`: a record as text, Markdown, HTML, JSON or CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli import app, complete, examples
from hopcost.cli.output import OUTPUT_HELP
from hopcost.report import RecordFormat

EPILOG = examples(
    "hopcost report latest",
    "hopcost report latest --format html -o report.html",
    "hopcost report before --format markdown -o before.md",
    "hopcost report records/before --format csv > before.csv",
    "hopcost report latest --baseline nginx-http-tcp",
    then="docs/report.schema.json is the schema of the JSON.",
)


@app.command("report", epilog=EPILOG)
def report(
    record: Annotated[
        str,
        typer.Argument(
            metavar="RECORD",
            help="A record's directory, its name in records/, or `latest`.",
            autocompletion=complete.records,
        ),
    ],
    format: Annotated[RecordFormat, typer.Option("--format", "-f", help="The format.")] = RecordFormat.TEXT,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline", "-b", metavar="ARM", help="Compare all arms with this one instead of the suite's baseline."
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help=OUTPUT_HELP)] = None,
) -> None:
    """Show a record again; it may come from another machine."""
    from hopcost import rebase, summary
    from hopcost import record as records
    from hopcost.cli.output import put
    from hopcost.report import renderer

    read = records.read(records.find(record))
    if baseline is not None:
        read = rebase.on(read, baseline)
    put(renderer(format)(read, summary.summarise(read)), output)
