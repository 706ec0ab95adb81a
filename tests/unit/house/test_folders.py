"""A folder has few enough entries to be taken in at a glance."""

from __future__ import annotations

import os
from pathlib import Path

from places import ROOT

MOST = 13
MOST_ROOMS = 15  # the rooms of the harness, which architecture.md draws
HARNESS = ("src/hopcost", "tests/unit")
ROOMS = ("src", "tests", "tools", "crates", "docs")
NOT_OURS = {"__pycache__", "node_modules", "target", "bin"}  # what tools put there
MEASURED = ".jsonl"  # kept runs of `make truth`, a file for each section: nobody reads them


def entries_by_folder(folder: Path) -> dict[Path, int]:
    """How many entries each folder has, below this one too."""
    counts: dict[Path, int] = {}
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in NOT_OURS and not name.startswith(".")]
        counts[Path(path)] = len(folders) + len([name for name in files if _is_read(name)])
    return counts


def _is_read(name: str) -> bool:
    return not name.startswith(".") and not name.endswith(MEASURED)


def test_no_folder_has_more_than_thirteen_entries() -> None:
    counts = {folder: count for room in ROOMS for folder, count in entries_by_folder(ROOT / room).items()}
    by_name = {str(folder.relative_to(ROOT)): count for folder, count in counts.items()}
    most = {name: MOST_ROOMS if name in HARNESS else MOST for name in by_name}
    assert {name: count for name, count in by_name.items() if count > most[name]} == {}


def test_entries_are_counted_in_each_folder(tmp_path: Path) -> None:
    for name in ("a/b.py", "a/c.py", "a/__pycache__/b.pyc", ".hidden"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert entries_by_folder(tmp_path) == {tmp_path: 1, tmp_path / "a": 2}
