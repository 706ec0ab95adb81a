"""Where a command's result goes: standard output, or a file."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from hopcost.cli.program import as_called
from hopcost.errors import UsageError
from hopcost.record.names import PAGE, record_around
from hopcost.report import Format, Result, render
from hopcost.report.document import Document
from hopcost.report.formats import text
from hopcost.report.formats.text.wrapping import wrap


def refuse_unwritable(path: Path | None) -> None:
    """UsageError if the file could not be written after all the measuring."""
    if path is not None and (path.is_dir() or not path.resolve().parent.is_dir()):
        raise UsageError(f"{path}: cannot be written there", "name a file in a directory that exists")


def show(document: Document, ascii: bool | None = None, *, ends_with_answers: bool = False) -> None:
    """Print it to standard output, with commands that work when they are typed."""
    text.show(document, ascii, ends_with_answers=ends_with_answers, words=as_called)


def show_line(line: str, before: str = "", *, after: str | None = None) -> None:
    """Print a line in the terminal's width. `before` stands before it; `after`, or spaces, before what is wrapped."""
    for part in wrap(as_called(line), columns(), before, after):
        print(part)


def columns() -> int:
    """As many as a report has: the terminal's, or 80 if there is none."""
    return text.columns(shutil.get_terminal_size().columns) if sys.stdout.isatty() else text.WIDTH


def show_result(result: Result, format: Format, path: Path | None) -> None:
    """Print text in a terminal's width and colours; write any other format, and what goes into a file, as it is."""
    if format is Format.TEXT and path is None:
        show(result.document())
    else:
        write_result(render(result, format), path)


def write_result(content: str, path: Path | None) -> None:
    """Print it, or write the file whole or not at all: what stood there before goes only for what is whole.

    UsageError if that cannot be written, or if it lies inside a record: a record stays as the run wrote it, but for
    its page.
    """
    if path is None:
        print(content, end="")
        return
    inside = record_around(path)
    if inside is not None and path.name != PAGE:
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
        hint = "name another file: --html FILE" if path.name == PAGE else None
        raise UsageError(f"{path}: {error.strerror}", hint) from error
