"""What every origin answers, alike to the byte: paths, and the files in `content/` that their bodies are.

It must not know programs: templates get the list as `routes`, programs with source of their own read the files.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

CONTENT = Path(__file__).parent / "content"


class Route(msgspec.Struct, frozen=True):
    """A path, the file that it is answered with, and the media type. Any other path is answered with 404."""

    path: str
    file: str
    media_type: str

    @property
    def body(self) -> str:
        """The answer's body: ASCII text without `'`, `$` and backslashes, which stands in quotes in configurations."""
        return (CONTENT / self.file).read_text(encoding="ascii")


ROUTES = [
    Route(path="/", file="hello.txt", media_type="text/plain"),
    Route(path="/512", file="512.txt", media_type="text/plain"),
    Route(path="/json", file="1k.json", media_type="application/json"),
    Route(path="/static.txt", file="static.txt", media_type="text/plain"),
]
