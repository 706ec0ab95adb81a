"""Where a command's result goes: standard output, or a file."""

from __future__ import annotations

from pathlib import Path

from hopcost.errors import UsageError
from hopcost.record.names import record_around
from hopcost.report import Format, Result, render, text


def refuse_unwritable(path: Path | None) -> None:
    """UsageError if the file could not be written after all the measuring."""
    if path is not None and (path.is_dir() or not path.resolve().parent.is_dir()):
        raise UsageError(f"{path}: cannot be written there", "name a file in a directory that exists")


def show_result(result: Result, format: Format, path: Path | None) -> None:
    """Print text in a terminal's width and colours; write any other format, and what goes into a file, as it is."""
    if format is Format.TEXT and path is None:
        text.show(result.document())
    else:
        write_result(render(result, format), path)


def write_result(content: str, path: Path | None) -> None:
    """Print it, or write the file whole or not at all: what stood there before goes only for what is whole.

    UsageError if that cannot be written, or if it lies inside a record: a record stays as the run wrote it.
    """
    if path is None:
        print(content, end="")
        return
    inside = record_around(path)
    if inside is not None:
        raise UsageError(
            f"{path}: lies in the record {inside}", "a record stays as it was written: name a file outside"
        )
    path = path.resolve() if path.is_symlink() else path
    try:
        if path.exists() and not path.is_file():  # /dev/stdout, a pipe
            path.write_text(content, encoding="utf-8")
            return
        unfinished = path.with_name(f".{path.name}.new")
        try:
            unfinished.write_text(content, encoding="utf-8")
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
