"""The edits as a unified diff of the user's own files, for people and for `patch`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

from hopcost.nginx.edits import Edit, edited
from hopcost.nginx.read.text import ConfigurationText

NO_NEWLINE = "\\ No newline at end of file\n"


def unified_diff(configuration: ConfigurationText, edits: Iterable[Edit]) -> str:
    """What changes in the user's files, each told by `patch_name`. Files that hopcost supplied are left out.

    `patch -p0` takes it in the folder that `patch_folder` names. Empty if nothing changes.
    """
    by_file: dict[str, list[Edit]] = {}
    for edit in dict.fromkeys(edits):
        by_file.setdefault(edit.file, []).append(edit)
    parts: list[str] = []
    for file, text in configuration.files.items():
        path = configuration.paths.get(file)
        if path is not None and file in by_file:
            name = patch_name(configuration, path)
            parts += _diff_of(name, text, edited(text, by_file[file]))
    return "".join(parts)


def patch_folder(configuration: ConfigurationText) -> Path | None:
    """Where `patch -p0` must be called; None if that is here. It takes no absolute paths."""
    here = Path.cwd().resolve()
    paths = [path for path in configuration.paths.values() if path.is_relative_to(configuration.folder.resolve())]
    return None if all(path.is_relative_to(here) for path in paths) else configuration.folder.resolve()


def patch_name(configuration: ConfigurationText, path: Path) -> str:
    """A file's name in a diff: from `patch_folder`, or absolute if the file lies elsewhere."""
    folder = patch_folder(configuration) or Path.cwd().resolve()
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


def _diff_of(name: str, old: str, new: str) -> list[str]:
    lines = difflib.unified_diff(_lines(old), _lines(new), name, name)
    return [line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}" for line in lines]


def _lines(text: str) -> list[str]:
    """Lines with their `\\n`; a lone `\\r` and Unicode's own line ends do not end one, for `patch` neither."""
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]
