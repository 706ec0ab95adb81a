"""`hopcost about`: what a suite asks and why."""

from __future__ import annotations

from typing import Annotated

import typer

from hopcost.cli.shared import complete
from hopcost.cli.shared.verbs.app import app, examples

EPILOG = examples("hopcost about nginx-go", "hopcost about ./my-suite.toml")


@app.command("about", epilog=EPILOG)
def about(
    suite: Annotated[
        str,
        typer.Argument(
            metavar="SUITE",
            help="A suite's name (see hopcost list), or the path of a TOML file.",
            autocompletion=complete.suite_names,
        ),
    ],
) -> None:
    """Show what a suite asks: its article and its experiments.

    With the essay on how to read it, and the conditions of the article's figures.
    """
    from hopcost.cli.shared.output import show
    from hopcost.report.tables.about import about_suite
    from hopcost.suites.read import read_suite

    show(about_suite(read_suite(suite)))
