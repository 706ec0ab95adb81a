"""Files that options name, read before anything is started."""

from __future__ import annotations

from pathlib import Path

from hopcost.errors import UsageError
from hopcost.suites.experiments.request import MAX_BODY_BYTES

READABLE = "a file that exists and may be read"


def refuse_missing(option: str, path: Path) -> None:
    """UsageError if there is no such file."""
    if not path.is_file():
        raise UsageError(f"{option} {path}: no such file", READABLE)


def read_body_text(option: str, path: Path) -> str:
    """The text of a request's body, line ends as they are; UsageError for a file that is no body, or no text."""
    refuse_missing(option, path)
    try:
        body = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{option} {path}: {error.strerror}", READABLE) from error
    if not 1 <= len(body) <= MAX_BODY_BYTES:
        raise UsageError(f"{option} {path}: {len(body):,} bytes", f"a body has from 1 to {MAX_BODY_BYTES:,} bytes")
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{option} {path}: not UTF-8 text, from byte {error.start:,} on", "--body-bytes N sends that many digits"
        ) from error
