"""`hopcost report`: a record as text, Markdown, HTML, JSON or CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli.shared import complete
from hopcost.cli.shared.arguments import (
    RECORD_HELP,
    Ascii,
    Details,
    Json,
    Output,
    format_option,
    pick_format,
    read_parts,
)
from hopcost.cli.shared.verbs.app import app, examples
from hopcost.errors import UsageError
from hopcost.record.names import PAGE
from hopcost.report import FORMATS, Format, Part, Source

EPILOG = examples(
    "hopcost report latest",
    "hopcost report latest --html",
    "hopcost report latest --details=cpu,memory",
    "hopcost report before --format markdown -o before.md",
    "hopcost report records/before --format csv > before.csv",
    "hopcost report latest --baseline nginx-http-tcp",
    "hopcost report latest --diff | patch -p0",
    then="docs/reference/report.schema.json is the schema of the JSON.",
)


@app.command("report", epilog=EPILOG)
def report(
    record: Annotated[str, typer.Argument(metavar="RECORD", help=RECORD_HELP, autocompletion=complete.records)],
    html: Annotated[
        str | None,
        typer.Option(
            "--html",
            metavar="[FILE]",
            help=f"Write a page with charts, to {PAGE} in the record's folder or to FILE; print its path.",
        ),
    ] = None,
    json: Json = False,
    format: Annotated[Format, format_option(*Source)] = Format.TEXT,
    details: Details = None,
    ascii: Ascii = False,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline", "-b", metavar="ARM", help="Compare all stacks with this one, not with the suite's baseline."
        ),
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print the diff of hopcost conf alone, for `patch -p0`.")
    ] = False,
    output: Output = None,
) -> None:
    """Show a record again; it may come from another machine.

    A record of a verb such as front shows that verb's answer, as text and Markdown; --details=PART shows the rest.
    """
    import sys

    from hopcost.cli.shared.output import show, write_result
    from hopcost.record import reader as records
    from hopcost.record.baseline import with_baseline
    from hopcost.record.secrets import MASK
    from hopcost.report import render
    from hopcost.report.formats import text
    from hopcost.report.questions.kept import kept_answer, kept_diff
    from hopcost.report.record_report import record_report
    from hopcost.statistics.summary import summary

    parts = read_parts(details)
    format = pick_format(format, json=json, html=html is not None)
    path = records.find_record(record)
    if html is not None:
        if html and output is not None:
            raise UsageError(f"--html {html} and --output {output}", "name one file")
        output = output or Path(html or path / PAGE)
    read = records.read_record(path)
    if diff:
        if format is not Format.TEXT or parts or baseline is not None:
            raise UsageError("--diff prints the diff alone", "leave the other options out, but for --output")
        patch = kept_diff(read)
        write_result(patch, output)
        if MASK in patch:
            print(f"secrets are {MASK} in it, and patch refuses those parts: take hopcost conf --diff", file=sys.stderr)
        return
    result = None
    if baseline is not None:
        read = with_baseline(read, baseline)
    elif parts in ([], [*Part]) and FORMATS[format] in (Source.DOCUMENT, Source.SUMMARY):
        kept = kept_answer(read, details=bool(parts))
        has_it = kept is not None and (FORMATS[format] is Source.DOCUMENT or kept.summary is not None)
        result = kept if has_it else None
    if result is None:
        result = record_report(read, summary.summarise(read), parts)
    if format is Format.TEXT and output is None:
        show(result.document(), ascii=True if ascii else None)
    else:
        write_result(text.text(result.document(), ascii=True) if ascii else render(result, format), output)
    if format is Format.HTML and output is not None:
        print(output)
        print(f"open it in a browser: {output.resolve().as_uri()}", file=sys.stderr)
