"""Writes what every origin serves, src/hopcost/programs/served/.

The bytes are the same on every machine, so that arms can be compared.

static.txt is as hard to compress as the file of the nginx-Express article, whose answers gzip made 1.25 times shorter,
heads included. Words of 49 different letters at random are that hard; tests/tools/test_content.py compares with nginx
itself.
"""

from __future__ import annotations

import json
import string
from collections.abc import Callable
from pathlib import Path

CONTENT = Path(__file__).parents[1] / "src" / "hopcost" / "programs" / "served"
LETTERS = (string.ascii_lowercase + string.ascii_uppercase)[:49]


def main() -> None:
    """Write the files anew."""
    CONTENT.mkdir(exist_ok=True)
    for name, text in files().items():
        (CONTENT / name).write_text(text, encoding="ascii", newline="")


def files() -> dict[str, str]:
    """Each file's name and text."""
    return {"hello.txt": "Hello World\n", "512.txt": words(512), "static.txt": words(1024), "1k.json": document(1024)}


def words(size: int) -> str:
    """Random words, `size` bytes with the line's end."""
    below, text = _random(), ""
    while len(text) < size:
        text += "".join(LETTERS[below(len(LETTERS))] for _ in range(3 + below(7))) + " "
    return text[: size - 1] + "\n"


def document(size: int) -> str:
    """A list of things as an API would answer it, `size` bytes, compact.

    A JavaScript program that parses it and writes it again gets the same bytes: whole numbers, no key that is a number.
    """
    things: list[dict[str, object]] = [
        {"id": number, "name": f"thing {number}", "price": number * 125, "tags": ["new", "sold"], "stock": True}
        for number in range(1, 13)
    ]
    content: dict[str, object] = {"things": things, "total": len(things), "note": ""}
    content["note"] = "." * (size - len(_compact(content)))
    return _compact(content)


def _compact(content: object) -> str:
    return json.dumps(content, separators=(",", ":"))


def _random() -> Callable[[int], int]:
    """Numbers below a bound: Knuth's linear congruential generator (MMIX), the same everywhere and for ever."""
    state = 1

    def below(bound: int) -> int:
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % bound

    return below


if __name__ == "__main__":
    main()
