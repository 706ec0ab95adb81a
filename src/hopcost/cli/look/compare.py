"""`hopcost compare`: two records side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from hopcost.cli.shared import complete
from hopcost.cli.shared.arguments import RECORD_HELP, Everything, Json, Output, format_option, pick_format
from hopcost.cli.shared.verbs.app import app, examples
from hopcost.report import Format, Source

EPILOG = examples(
    "hopcost compare before latest",
    "hopcost compare before after one-core --format markdown -o both.md",
    "hopcost compare laptop server --anyway",
    then="Figures of different hours hold what the machine did in between, so only each stack's share of its own"
    " baseline is compared. One run with both sides is stronger: hopcost gate. docs/how-to/compare-records.md has the"
    " reasons.",
)


@app.command("compare", epilog=EPILOG)
def compare(
    record_a: Annotated[str, typer.Argument(metavar="RECORD_A", help=RECORD_HELP, autocompletion=complete.records)],
    record_b: Annotated[
        str, typer.Argument(metavar="RECORD_B", help="The same; ratios are B ÷ A.", autocompletion=complete.records)
    ],
    experiments: Annotated[
        list[str] | None,
        typer.Argument(metavar="EXPERIMENT", help="Only these: the fewer, the narrower the ranges."),
    ] = None,
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="Compare also what should not be: other CPUs, methods, suites."),
    ] = False,
    json: Json = False,
    format: Annotated[Format, format_option(Source.DOCUMENT, Source.DATA)] = Format.TEXT,
    output: Output = None,
    details: Everything = False,
) -> None:
    """Put two records side by side: what differs, and by how much."""
    from hopcost.cli.shared.output import show_result
    from hopcost.record import reader as records
    from hopcost.report.questions.two_records import comparison_report
    from hopcost.statistics.questions.two_records.two_records import compare_records

    format = pick_format(format, json=json)
    a, b = (records.read_record(records.find_record(name)) for name in (record_a, record_b))
    comparison = compare_records(a, b, experiments or [], anyway=anyway)
    show_result(comparison_report(a, b, comparison, details=details), format, output)
