"""`hopcost fleet`: the machines of a hosts.toml, checked and cleaned."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli.shared.verbs.app import app, examples
from hopcost.errors import UsageError

LIFELINE = "hopcost.measure.sites.there.lifeline"
EPILOG = examples(
    "hopcost fleet check hosts.toml",
    "hopcost fleet clean hosts.toml",
    then="hopcost run SUITE --fleet hosts.toml measures on them. docs/how-to/machine/fleet.md has a hosts.toml. Every"
    " site needs hopcost of this version with its extra fleet.",
)


class Action(StrEnum):
    """What is done with the machines."""

    CHECK = "check"
    CLEAN = "clean"
    HOLD = "hold"  # a run says it to its sites: this process becomes the lifeline


@app.command("fleet", epilog=EPILOG)
def fleet(
    action: Annotated[
        Action,
        typer.Argument(
            metavar="check|clean",
            help="check: log in to every machine, compare them, and say what is missing. clean: remove what dead runs"
            " have left there.",
            show_default=False,
        ),
    ],
    hosts: Annotated[str, typer.Argument(metavar="HOSTS.TOML", help="The file of the machines.", show_default=False)],
) -> int:
    """Look after the machines that hopcost run --fleet measures on."""
    if action is Action.HOLD:
        _become_lifeline(hosts)
    from hopcost.measure.sites.hosts_file import read_fleet
    from hopcost.measure.sites.report import check_fleet, clean_fleet

    machines = read_fleet(Path(hosts))
    return check_fleet(machines) if action is Action.CHECK else clean_fleet(machines)


def _become_lifeline(lease: str) -> None:
    import os

    from hopcost.measure.sites.dask import settings  # noqa: F401  # CannotMeasure if the extra is missing

    try:
        float(lease)
    except ValueError as error:
        raise UsageError("fleet hold: expected seconds", "hopcost run --fleet says it") from error
    os.execv(sys.executable, [sys.executable, "-m", LIFELINE, lease])
