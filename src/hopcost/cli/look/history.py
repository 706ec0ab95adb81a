"""`hopcost history`: how a figure of an arm went over the kept records."""

from __future__ import annotations

from typing import Annotated

import typer

from hopcost.cli.shared import complete
from hopcost.cli.shared.arguments import Json, Output, format_option, pick_format
from hopcost.cli.shared.history import Database, Labels
from hopcost.cli.shared.requests.history import OfMachine, Since
from hopcost.cli.shared.verbs.app import app, examples
from hopcost.report import Format, Source

EPILOG = examples(
    "hopcost history nginx-go/one-core/nginx-http-tcp",
    "hopcost history one-core/nginx-http-tcp --figure cpu --since 90d",
    "hopcost history one-core/nginx-http-tcp --format csv -o history.csv",
    then="Records come from hopcost keep, or from --keep of a verb that measures. Figures are ratios to the baseline of"
    " the same record. Records of other machines, methods and configurations are told, and never mixed."
    " docs/explain/change-points.md says what counts as a change.",
)


@app.command("history", epilog=EPILOG)
def history(
    arm: Annotated[
        str,
        typer.Argument(
            metavar="SUITE/EXPERIMENT/ARM",
            help="An arm that has kept records; its end is enough if no other ends so.",
            autocompletion=complete.arms,
        ),
    ],
    figure: Annotated[
        str,
        typer.Option(
            "--figure", metavar="FIGURE", help="throughput, cpu, p50, p99, or any name of a figure in the history."
        ),
    ] = "throughput",
    since: Since = None,
    labels: Labels = None,
    machine: OfMachine = None,
    database: Database = None,
    json: Json = False,
    format: Annotated[Format, format_option(Source.DOCUMENT, Source.DATA, Source.ROWS)] = Format.TEXT,
    output: Output = None,
) -> None:
    """Show how a stack's figure went over time, and where it changed.

    Each change has its size, its range and the records around it.
    """
    from hopcost.cli.shared.history import open_history
    from hopcost.cli.shared.output import show_result
    from hopcost.cli.shared.requests.history import refuse_none, series_of, wanted_of
    from hopcost.history.contents.figures import choose
    from hopcost.report.questions.history import history_report
    from hopcost.report.questions.history.answer import answer_of

    format = pick_format(format, json=json)
    with open_history(database) as kept:
        wanted = wanted_of(kept, arm, since=since, labels=labels, machine=machine)
        series = series_of(kept, wanted, choose(figure, kept.figures(*wanted.arm)))
        if not series:
            raise refuse_none(kept, wanted)
    show_result(history_report(answer_of(series)), format, output)
