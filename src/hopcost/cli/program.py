"""How the reader calls hopcost, so that every command that it prints works when it is typed.

That is `hopcost` if a shell finds this file by that name, and otherwise the path that it was called by. Records, JSON
and docs keep `hopcost`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path

from hopcost.cli.shared.verbs.verb import GROUPS

NAME = "hopcost"
VERBS = [name for names in GROUPS.values() for name in names]
COMMAND = re.compile(rf"(?<![\w./-]){NAME}(?= (?:{'|'.join(VERBS)}|--help|--version)\b(?! ·))")  # not a title


def as_called(text: str) -> str:
    """The text with this process's way to call hopcost in each of its commands."""
    return with_program(text, program())


def with_program(text: str, called: str) -> str:
    """The text with another word for the program in each command: before a verb, and nowhere else.

    >>> with_program("hint: hopcost run hello; hopcost says so", ".venv/bin/hopcost")
    'hint: .venv/bin/hopcost run hello; hopcost says so'
    >>> with_program("hopcost front · node server.js", ".venv/bin/hopcost")
    'hopcost front · node server.js'
    """
    return COMMAND.sub(lambda _: called, text)


@cache
def program() -> str:
    """`hopcost`, or the path of the file that was called, from the working directory if it lies below that."""
    return called_as(sys.argv[0], Path.cwd(), shutil.which(NAME))


def called_as(word: str, folder: Path, on_path: str | None) -> str:
    """The same for the first word of a command line, in a folder, if a shell finds `on_path` by the name alone.

    >>> called_as("/nowhere/.venv/bin/hopcost", Path("/nowhere"), None)
    '.venv/bin/hopcost'
    >>> called_as("/nowhere/.venv/bin/pytest", Path("/nowhere"), None)
    'hopcost'
    """
    path = Path(os.path.normpath(folder / word))
    if path.name != NAME or (on_path is not None and _is_same(path, Path(on_path))):
        return NAME
    below = path.relative_to(folder) if path.is_relative_to(folder) else path
    return shlex.quote(f"./{below}" if below == Path(NAME) else str(below))


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:
        return False
