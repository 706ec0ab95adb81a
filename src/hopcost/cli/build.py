"""`hopcost build`: the programs that are made from source."""

from __future__ import annotations

from typing import Annotated

import typer

from hopcost.cli import app


@app.command("build")
def build(
    programs: Annotated[
        list[str] | None, typer.Argument(metavar="PROGRAM", help="Only these; all when none is named.")
    ] = None,
) -> None:
    """Build the programs that are made from source, where they are not built yet (hopcost run does so by itself)."""
    from hopcost import program

    for name in programs or [each for each in program.names() if program.load(each).build is not None]:
        program.build(name)
        receipt = program.installed(name)
        print(f"{name} {receipt.version or receipt.missing}")
