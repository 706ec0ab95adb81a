"""`hopcost build`: the programs that are made from source."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from hopcost.cli.shared import complete
from hopcost.cli.shared.verbs.app import app, examples, fail

EPILOG = examples("hopcost build", "hopcost build go-hello express")


@app.command("build", epilog=EPILOG)
def build(
    programs: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROGRAM", help="Only these; all when none is named.", autocompletion=complete.programs),
    ] = None,
) -> None:
    """Build the programs that are made from source.

    hopcost run does so by itself.
    """
    from hopcost.errors import CannotMeasure
    from hopcost.programs import read
    from hopcost.programs.build import cache as build_cache
    from hopcost.programs.build.build import build_program
    from hopcost.programs.receipt import installed

    failed = False
    for program in [read.read_program(name) for name in programs or read.shipped_programs()]:
        if program.build is None and not programs:
            continue
        started_s = time.monotonic()
        how = "was there" if program.build else "not made from source"
        try:
            if program.build and not build_cache.is_built(program):
                print(f"building {program.name}", file=sys.stderr)
                build_program(program.name)
                how = f"built in {time.monotonic() - started_s:.1f} s"
            receipt = installed(program.name)
            if receipt.missing:
                raise CannotMeasure(f"{program.name}: {receipt.missing}", receipt.remedy)
            print(f"{program.name} {receipt.version} ({how})")
        except CannotMeasure as error:
            fail(error)
            failed = True
    if failed:
        raise typer.Exit(CannotMeasure.exit_code)
