"""`hopcost claims`: which of an article's claims the records confirm."""

from __future__ import annotations

from typing import Annotated

import typer

from hopcost.cli.shared import complete
from hopcost.cli.shared.arguments import Everything, Json, Output, format_option, pick_format
from hopcost.cli.shared.verbs.app import app, examples
from hopcost.report import Format, Source

EPILOG = examples(
    "hopcost claims latest",
    "hopcost claims records/* --format markdown -o claims.md",
    "hopcost claims latest --suite nginx-go",
    then="Each claim holds, does not hold, is not settled, or is not testable here."
    " docs/explain/verdicts/claims.md says how that is judged.",
)


@app.command("claims", epilog=EPILOG)
def claims(
    record: Annotated[
        list[str],
        typer.Argument(
            metavar="RECORD",
            help="Records' directories, names in records/, or `latest`.",
            autocompletion=complete.records,
        ),
    ],
    suite: Annotated[
        list[str] | None,
        typer.Option(
            "--suite",
            metavar="NAME|FILE",
            help="Judge the claims of this suite as it is now, not as its records have it. May be repeated.",
            autocompletion=complete.suite_names,
        ),
    ] = None,
    json: Json = False,
    format: Annotated[Format, format_option(Source.DOCUMENT, Source.DATA, Source.ROWS)] = Format.TEXT,
    output: Output = None,
    details: Everything = False,
) -> None:
    """Test an article's claims against records."""
    import sys

    from hopcost.cli.program import as_called
    from hopcost.cli.shared.output import show_result
    from hopcost.errors import UsageError
    from hopcost.record import reader as records
    from hopcost.report.questions.claims import claims_report
    from hopcost.statistics.questions.claims import claims as judging
    from hopcost.suites import read as suites

    format = pick_format(format, json=json)
    read = [records.read_record(records.find_record(name)) for name in dict.fromkeys(record)]
    given = [suites.read_suite(name) for name in suite or []]
    for asked in given:
        if not any(content.plan.suite == asked.name for content in read):
            there = ", ".join(sorted({content.plan.suite for content in read}))
            raise UsageError(f"--suite {asked.name}: none of these records is of it", f"they are of: {there}")
    chosen = judging.suites(read, given)
    without = sorted({content.plan.suite for content in read} - {judged.name for judged in chosen})
    hint = f"records made before the suite had claims are judged with {' '.join(f'--suite {name}' for name in without)}"
    if not chosen:
        raise UsageError(f"no claims in these records: {', '.join(without)}", hint)
    if without:
        print(as_called(f"no claims in the records of {', '.join(without)}\nhint: {hint}"), file=sys.stderr)
    results = [result for judged in chosen for result in judging.judge_claims(judged, read)]
    show_result(claims_report(results, details=details), format, output)
