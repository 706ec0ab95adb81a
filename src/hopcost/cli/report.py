"""`hopcost report`: a record as text, Markdown, HTML, JSON or CSV."""

from __future__ import annotations

from typing import Annotated

import typer

from hopcost.cli.shared import complete
from hopcost.cli.shared.app import app, examples
from hopcost.cli.shared.arguments import RECORD_HELP, Output, format_option
from hopcost.report import Format, Source

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
            help=RECORD_HELP,
            autocompletion=complete.records,
        ),
    ],
    format: Annotated[Format, format_option(*Source)] = Format.TEXT,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline", "-b", metavar="ARM", help="Compare all arms with this one instead of the suite's baseline."
        ),
    ] = None,
    output: Output = None,
) -> None:
    """Show a record again; it may come from another machine."""
    from hopcost.cli.shared.output import write_result
    from hopcost.record import reader as records
    from hopcost.record.baseline import with_baseline
    from hopcost.report import render
    from hopcost.report.record_report import record_report
    from hopcost.statistics.summary import summary

    read = records.read_record(records.find_record(record))
    if baseline is not None:
        read = with_baseline(read, baseline)
    write_result(render(record_report(read, summary.summarise(read)), format), output)
