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
UNITS_S = {"": 1, "s": 1, "m": 60, "h": 3600}
LONGEST_S = 7 * 24 * 3600.0  # a week
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


def read_percent(option: str, text: str, least: float = LEAST_PERCENT) -> float:
    """`3%`, `3 %` or `3` as 0.03; UsageError for anything else.

    >>> read_percent("--margin", "3%"), read_percent("--margin", "2.5")
    (0.03, 0.025)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%?", text.strip(), re.ASCII)
    percent = float(match[1]) if match else 0.0
    if not least <= percent <= MOST_PERCENT:
        raise UsageError(
            f"{option}: expected a percentage from {least:g} to {MOST_PERCENT:g}, got '{text}'", f"as in {option} 3%"
        )
    return percent / 100


def read_seconds(option: str, text: str) -> float:
    """`90`, `90s`, `5m` or `1h` in seconds; UsageError for anything else, and for less than a second.

    >>> read_seconds("--time", "90"), read_seconds("--time", "5m"), read_seconds("--time", "1.5h")
    (90.0, 300.0, 5400.0)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text.strip(), re.ASCII)
    seconds = float(match[1]) * UNITS_S[match[2]] if match else 0.0
    if not 1 <= seconds <= LONGEST_S:
        raise UsageError(
            f"{option}: expected a time from 1 s to {LONGEST_S / UNITS_S['h']:g} h, got '{text}'",
            f"as in {option} 90, {option} 5m or {option} 1h",
        )
    return seconds


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
