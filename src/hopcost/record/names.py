"""Where records lie, and what they are called. It loads nothing: a shell asks for the names while a person types."""

from __future__ import annotations

import contextlib
from pathlib import Path

FOLDER = Path("records")
PAGE = "report.html"  # in a record's folder: what `hopcost report --html` writes, no part of the record
LATEST = "latest"  # stands for the run that began last
DEPTHS = ("*", "*/*", "*/*/*")  # records/NAME, and those put in order in folders below


def record_names() -> list[str]:
    """The records in `records/`, those in folders of it by their path from there, sorted."""
    paths = [path.parent.relative_to(FOLDER) for depth in DEPTHS for path in FOLDER.glob(f"{depth}/run.json")]
    return sorted(str(path) for path in paths)


def record_around(path: Path) -> Path | None:
    """The record that this path lies in; None if it lies in none."""
    for folder in path.resolve().parents:
        if (folder / "run.json").is_file() and (folder / "plan.json").is_file():
            return folder
    return None


def named_record(name: str) -> Path | None:
    """The record at this path, or of this name in `records/`; None if there is none."""
    for path in (Path(name), FOLDER / name):
        with contextlib.suppress(OSError):  # a name that cannot be a file's, a folder that may not be read
            if (path / "run.json").is_file():
                return path
    return None
