"""`hopcost run`: a suite into a record, and its report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli import app

EPILOG = """Examples:

  hopcost run nginx-go --quick

  hopcost run nginx-go one-core --budget 600 --seed 7

  hopcost run ./my-suite.toml --record records/before"""


@app.command("run", epilog=EPILOG)
def run(
    suite: Annotated[
        str, typer.Argument(metavar="SUITE", help="A suite's name (see hopcost list), or the path of a TOML file.")
    ],
    experiments: Annotated[
        list[str] | None,
        typer.Argument(metavar="EXPERIMENT", help="Only these experiments; all when none is named."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A first answer in under two minutes; says how narrow its intervals got.")
    ] = False,
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            metavar="SECONDS",
            min=1,
            help="Time for all experiments, starting programs included. [default: 108 with --quick, else 1800]",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", min=0, help="Seed of the shuffled orders. [default: a new one, recorded]"),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="DIR", help="Where the record goes. [default: records/<UTC time>-<suite>]"),
    ] = None,
) -> int:
    """Start a suite's stacks, check that they answer alike, load them in shuffled slices, report what differs."""
    from hopcost import network

    network.enter_user_namespace()  # may start this command again: before the heavy imports
    from hopcost.run import run as run_suite

    return run_suite(suite, experiments or [], quick=quick, budget_s=budget, seed=seed, folder=record)
