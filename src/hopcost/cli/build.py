"""`hopcost build`: the programs that are made from source."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from hopcost.cli import app, complete, examples, fail

EPILOG = examples("hopcost build", "hopcost build go-hello express")


@app.command("build", epilog=EPILOG)
def build(
    programs: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROGRAM", help="Only these; all when none is named.", autocompletion=complete.programs),
    ] = None,
) -> None:
    """Build the programs that are made from source, where they are not built yet (hopcost run does so by itself)."""
    from hopcost import program
    from hopcost.errors import CannotMeasure

    failed = False
    for each in [program.load(name) for name in programs or program.names()]:
        if each.build is None and not programs:
            continue
        started_s = time.monotonic()
        did = "was there" if each.build else "not made from source"
        try:
            if each.build and not program.is_built(each):
                print(f"building {each.name}", file=sys.stderr)
                program.build(each.name)
                did = f"built in {time.monotonic() - started_s:.1f} s"
            receipt = program.installed(each.name)
            if receipt.missing:
                raise CannotMeasure(f"{each.name}: {receipt.missing}", receipt.remedy)
            print(f"{each.name} {receipt.version} ({did})")
        except CannotMeasure as error:
            fail(error)
            failed = True
    if failed:
        raise typer.Exit(CannotMeasure.exit_code)
