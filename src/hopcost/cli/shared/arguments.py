"""Options and arguments that several verbs have, and how they are read."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli.shared import complete
from hopcost.errors import UsageError
from hopcost.report import Format, Source, formats_with

LEAST_PERCENT, MOST_PERCENT = 0.1, 50.0  # per cent
RECORD_HELP = "A record's directory, its name in records/, or `latest`."

ArmPath = Annotated[
    str,
    typer.Argument(
        metavar="SUITE/EXPERIMENT/ARM",
        help="SUITE/EXPERIMENT/ARM, as in nginx-go/one-core/nginx-http-tcp.",
        autocompletion=complete.arms,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Where to, in place of a file that is there; standard output otherwise.",
    ),
]


def margin_fraction(text: str) -> float:
    """`3%`, `3 %` or `3` as 0.03; UsageError for anything else.

    >>> margin_fraction("3%"), margin_fraction("2.5")
    (0.03, 0.025)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%?", text.strip(), re.ASCII)
    percent = float(match[1]) if match else 0.0
    if not LEAST_PERCENT <= percent <= MOST_PERCENT:
        raise UsageError(
            f"--margin: expected a percentage from {LEAST_PERCENT} to {MOST_PERCENT:g}, got '{text}'",
            "as in --margin 3%",
        )
    return percent / 100


def format_option(*sources: Source, help: str = "The format.") -> object:
    """`--format`, with the formats that can write a result that has these sources."""
    offered = formats_with(*sources)

    def choose(word: str) -> Format:
        if word not in offered:
            names = ", ".join(repr(str(name)) for name in offered)
            raise typer.BadParameter(f"Value error, {word!r} is not one of {names}.")  # as other choices say it
        return Format(word)

    return typer.Option(
        "--format", "-f", metavar=f"<{'|'.join(offered)}>", help=help, parser=choose, autocompletion=_words(offered)
    )


def _words(offered: list[Format]) -> Callable[[str], list[str]]:
    return lambda incomplete: [str(name) for name in offered if name.startswith(incomplete)]
