"""Options and arguments that several verbs have, and how they are read."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli.shared import complete
from hopcost.errors import UsageError, nearest
from hopcost.report import Format, Part, Source, formats_with

LEAST_PERCENT, MOST_PERCENT = 0.1, 50.0  # per cent
UNITS_S = {"": 1, "s": 1, "m": 60, "h": 3600}
LONGEST_S = 7 * 24 * 3600.0  # a week
RECORD_HELP = "A record's directory, its name in records/, or `latest`."
WITH_OPTIONS_OF_THEIR_OWN = (Format.JSON, Format.HTML)
HEADER = re.compile(r"\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*([^\r\n]*?)\s*")
OWN_HEADERS = ("connection", "content-length", "transfer-encoding")  # hopcost's own to send


def whole_arm(name: str) -> str:
    """SUITE/EXPERIMENT/ARM of a name that may be the tail of it; UsageError with what it may have meant.

    A record's name is what people type for `hopcost show` who want `hopcost report`.
    """
    from hopcost.record.names import LATEST, named_record
    from hopcost.suites.names import whole_name

    try:
        return whole_name(name)
    except UsageError as error:
        if name == LATEST or named_record(name) is not None:
            raise UsageError(f"'{name}' is a record, not an arm", f"hopcost report {name}") from error
        raise


ArmPath = Annotated[
    str,
    typer.Argument(
        metavar="SUITE/EXPERIMENT/ARM",
        help="As in nginx-go/one-core/nginx-http-tcp; its end is enough if no other arm ends so.",
        parser=whole_arm,
        autocompletion=complete.arms,
    ),
]
Details = Annotated[
    list[str] | None,
    typer.Option(
        "--details",
        metavar="[PART]",
        help=f"Show everything that is known, or a part of it, as in --details=cpu: {', '.join(Part)}.",
    ),
]
Ascii = Annotated[bool, typer.Option("--ascii", help="Write text in ASCII alone: no bars of blocks, no µ.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to FILE (replaces it) instead of standard output.",
    ),
]
Everything = Annotated[bool, typer.Option("--details", help="Show everything behind the answer too.")]


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


def read_seconds(option: str, text: str, least: float = 1.0) -> float:
    """`90`, `90s`, `5m` or `1h` in seconds; UsageError for anything else, and for less than `least` seconds.

    >>> read_seconds("--time", "90"), read_seconds("--time", "5m"), read_seconds("--time", "1.5h")
    (90.0, 300.0, 5400.0)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text.strip(), re.ASCII)
    seconds = float(match[1]) * UNITS_S[match[2]] if match else 0.0
    if not least <= seconds <= LONGEST_S:
        raise UsageError(
            f"{option}: expected a time from {least:g} s to {LONGEST_S / UNITS_S['h']:g} h, got '{text}'",
            f"as in {option} 90, {option} 5m or {option} 1h",
        )
    return seconds


def read_header(text: str) -> list[str]:
    """`NAME: VALUE`; UsageError, without the value that may be a secret, for anything else.

    >>> read_header("Accept:  text/html ")
    ['Accept', 'text/html']
    """
    match = HEADER.fullmatch(text)
    if match is None:
        raise UsageError(f"-H: expected 'NAME: VALUE', got '{text.partition(':')[0]}'", "like -H 'Accept: text/html'")
    if match[1].lower() in OWN_HEADERS:
        raise UsageError(f"-H: {match[1]} is hopcost's own to send", "leave it out")
    return [match[1], match[2]]


def read_path(text: str) -> str:
    """Path and query of a request, as `--path` has them; UsageError without a / at the beginning."""
    if not text.startswith("/"):
        raise UsageError(f"--path: expected a path from /, got '{text}'", f"--path /{text}")
    return text


def read_parts(words: list[str] | None) -> list[Part]:
    """The parts that `--details` asks for: all without a word; UsageError with the nearest one for another word.

    >>> read_parts(["cpu,noise"]), read_parts(None), len(read_parts([""]))
    ([<Part.CPU: 'cpu'>, <Part.NOISE: 'noise'>], [], 8)
    """
    names = [name.strip() for word in words or [] for name in word.split(",")]
    if "" in names:
        return list(Part)
    for name in names:
        if name not in list(Part):
            raise UsageError(f"--details: there is no part '{name}'", nearest(name, Part))
    return [Part(name) for name in names]


def format_option(*sources: Source) -> object:
    """`--format`, with the formats that can write a result of these sources and have no option of their own."""
    offered = [format for format in formats_with(*sources) if format not in WITH_OPTIONS_OF_THEIR_OWN]

    def choose(word: str) -> Format:
        if word not in offered:
            names = ", ".join(repr(str(name)) for name in offered)
            raise typer.BadParameter(f"{word!r} is not one of {names}.")
        return Format(word)

    return typer.Option(
        "--format", "-f", metavar="|".join(offered), help="The format.", parser=choose, autocompletion=_words(offered)
    )


def pick_format(format: Format, *, json: bool = False, html: bool = False) -> Format:
    """The one format that was asked for; UsageError if there are two.

    >>> pick_format(Format.TEXT), pick_format(Format.TEXT, json=True)
    (<Format.TEXT: 'text'>, <Format.JSON: 'json'>)
    """
    asked = {
        f"--format {format}": format if format is not Format.TEXT else None,
        "--json": Format.JSON if json else None,
        "--html": Format.HTML if html else None,
    }
    given = {option: choice for option, choice in asked.items() if choice is not None}
    if len(given) > 1:
        raise UsageError(" and ".join(given), "one format at a time")
    return next(iter(given.values()), Format.TEXT)


def _words(offered: list[Format]) -> Callable[[str], list[str]]:
    return lambda incomplete: [str(name) for name in offered if name.startswith(incomplete)]
