"""What differs between two things: keys by their path, texts line by line."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from typing import Any

import msgspec

LINES_AT_MOST = 24  # of one text's difference
ABSENT = "–"


class Difference(msgspec.Struct, frozen=True):
    """A key with both values as they would be written; `–` where one side does not have it."""

    key: str
    a: str
    b: str


def diff(a: object, b: object, prefix: str = "", but: Collection[str] = ()) -> list[Difference]:
    """Every key whose value differs, in the order of the first side; those of `but` are left out, with all below them.

    >>> diff({"cpu": "x", "cores": [0, 1]}, {"cpu": "x", "cores": [0], "new": True})
    [Difference(key='cores', a='0, 1', b='0'), Difference(key='new', a='–', b='true')]
    """
    flat_a, flat_b = (dict(_flat(msgspec.to_builtins(side, str_keys=True), prefix)) for side in (a, b))
    return [
        Difference(key, flat_a.get(key, ABSENT), flat_b.get(key, ABSENT))
        for key in dict.fromkeys([*flat_a, *flat_b])
        if flat_a.get(key, ABSENT) != flat_b.get(key, ABSENT)
        and not any(key == left or key.startswith(f"{left}.") for left in but)
    ]


def diff_texts(a: str, b: str) -> list[str]:
    """The lines that differ, `- ` those of the first text and `+ ` those of the second; of many the first ones.

    >>> diff_texts("one\\ntwo\\n", "one\\n2\\n")
    ['- two', '+ 2']
    """
    lines = [
        f"{line[0]} {line[1:].strip()}"
        for line in difflib.unified_diff(a.splitlines(), b.splitlines(), n=0, lineterm="")
        if line[0] in "+-" and not line.startswith(("+++", "---"))
    ]
    more = len(lines) - LINES_AT_MOST
    return lines if more <= 0 else [*lines[:LINES_AT_MOST], f"… and {more} lines more"]


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """(path, value as written); absent and empty values are left out, so that a new key with a default is no change."""
    if value is None or value == {} or value == []:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        for number, inner in enumerate(value):
            yield from _flat(inner, f"{path}[{number}]")
    elif isinstance(value, list):
        yield path, ", ".join(map(_written, value))
    else:
        yield path, _written(value)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def differing_files(a: dict[str, str], b: dict[str, str]) -> dict[str, list[str]]:
    """The lines that differ, by file; nothing if one of the two never started."""
    if not a or not b:
        return {}
    both = {name: diff_texts(a.get(name, ""), b.get(name, "")) for name in sorted({*a, *b})}
    return {name: lines for name, lines in both.items() if lines}
