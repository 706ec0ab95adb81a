"""Lines of a sweep's values: one that holds for all of them stands once."""

from __future__ import annotations

from collections.abc import Sequence


def merge_lines(lines_by_value: Sequence[tuple[str, list[str]]]) -> list[str]:
    """The lines of all values, each once: `at 10, 100: …` if it does not hold for all of them.

    >>> merge_lines([("10", ["slow"]), ("100", ["slow", "full"])])
    ['slow', 'at 100: full']
    """
    values: dict[str, list[str]] = {}
    for value, lines in lines_by_value:
        for line in dict.fromkeys(lines):
            values.setdefault(line, []).append(value)
    return [
        line if len(holders) == len(lines_by_value) else f"at {', '.join(holders)}: {line}"
        for line, holders in values.items()
    ]
