"""`hopcost report`: a record as text, Markdown, JSON or CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli import app, complete, examples
from hopcost.cli.output import OUTPUT_HELP
from hopcost.report import Format

EPILOG = examples(
    "hopcost report latest",
    "hopcost report before --format markdown -o before.md",
    "hopcost report records/before --format csv > before.csv",
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
    format: Annotated[Format, typer.Option("--format", "-f", help="The format.")] = Format.TEXT,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help=OUTPUT_HELP)] = None,
) -> None:
    """Show a record again; it may come from another machine."""
    from hopcost import record as records
    from hopcost import summary
    from hopcost.cli.output import put
    from hopcost.report import csv, json, markdown, text

    read = records.read(records.find(record))
    render = {
        Format.TEXT: text.render,
        Format.MARKDOWN: markdown.render,
        Format.JSON: json.render,
        Format.CSV: csv.render,
    }[format]
    content = render(read, summary.summarise(read))
    put(content, output)
