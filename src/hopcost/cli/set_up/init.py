"""`hopcost init`: a commented suite to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli.shared.verbs.app import app, examples

TEMPLATE = Path(__file__).with_name("init.toml")
EPILOG = examples(
    "hopcost init",
    "hopcost init nginx-before-my-app.toml",
    then="It measures a small server of Python's until you put your app in its place.",
)


@app.command("init", epilog=EPILOG)
def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path("hopcost.toml"),
) -> None:
    """Write a suite with comments, to be filled in.

    It has an app, two stacks and an experiment. A file that is there stays as it is.
    """
    from hopcost.cli.shared.output import refuse_unwritable
    from hopcost.errors import UsageError

    if file.suffix != ".toml":
        raise UsageError(f"{file}: a suite's name ends in .toml", f"hopcost init {file}.toml")
    refuse_unwritable(file)
    text = TEMPLATE.read_text(encoding="utf-8").replace("FILE", file.name)
    try:
        with file.open("x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError as error:
        raise UsageError(f"{file} is there, and stays as it is", "name another file: hopcost init FILE") from error
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", "name a file in a folder that you may write to") from error
    shown = file if file.is_absolute() or len(file.parts) > 1 else f"./{file}"
    print(f"written: {file}\nnext:    hopcost run {shown} --quick --time 30s")
