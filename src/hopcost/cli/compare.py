"""`hopcost compare`: two records side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli import app
from hopcost.report import Format

RECORD_HELP = "A record's directory, its name in records/, or `latest`."
EPILOG = """Examples:

  hopcost compare records/before latest

  hopcost compare records/kernel-6.1 records/kernel-6.6 one-core --format markdown -o kernels.md

  hopcost compare records/laptop records/server --anyway

Figures of different hours hold what the machine did in between; verdicts are read off each arm's ratio to its own
baseline. Stronger evidence is one interleaved run: hopcost gate. docs/comparing.md has the reasons."""


@app.command("compare", epilog=EPILOG)
def compare(
    record_a: Annotated[str, typer.Argument(metavar="RECORD_A", help=RECORD_HELP)],
    record_b: Annotated[str, typer.Argument(metavar="RECORD_B", help="The same; ratios are B ÷ A.")],
    experiments: Annotated[
        list[str] | None,
        typer.Argument(metavar="EXPERIMENT", help="Only these: the fewer, the narrower the intervals."),
    ] = None,
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="Compare also what should not be: other CPUs, methods, suites, slices."),
    ] = False,
    format: Annotated[Format, typer.Option("--format", "-f", help="The format.")] = Format.TEXT,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to; standard output otherwise.")
    ] = None,
) -> None:
    """Put two records side by side: what differs between them first, then ratios B ÷ A with intervals and verdicts."""
    from hopcost import across
    from hopcost import record as records
    from hopcost.cli.output import put
    from hopcost.report import across_table

    a, b = (records.read(records.find(name)) for name in (record_a, record_b))
    put(across_table.render(a, b, across.compare(a, b, experiments or [], anyway=anyway), format), output)
