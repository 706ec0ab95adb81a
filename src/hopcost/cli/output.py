"""Where a command's result goes: standard output, or a file."""

from __future__ import annotations

from pathlib import Path

from hopcost.errors import UsageError


def put(content: str, path: Path | None) -> None:
    """Print it, or write the file; UsageError where that cannot be written."""
    if path is None:
        print(content, end="")
        return
    try:
        path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
