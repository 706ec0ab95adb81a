"""Options whose value may be left out: `--html` and `--html=FILE`, `--details` and `--details=PART`.

The command line's library knows options with a value and options without one. An option whose metavar begins with a
bracket is one with a value to it; here the empty value is put in where a person left it out.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any


def fill_in(words: list[str], params: Iterable[Any]) -> list[str]:
    """The words of a command line with `--option=` for a bare `--option`.

    A file may stand behind a space if it ends as the option does: `--html report.html`.
    """
    options = {name for param in params for name in param.opts if (param.metavar or "").startswith("[")}
    filled: list[str] = []
    rest = iter(words)
    for word in rest:
        before = filled[-1].removesuffix("=") if filled else ""
        if word == "--":
            return [*filled, word, *rest]
        if before in options and PurePath(word).suffix == f".{before.removeprefix('--')}":
            filled[-1] = f"{before}={word}"
        else:
            filled.append(f"{word}=" if word in options else word)
    return filled
