"""The user's own app as a program: what it can be asked for, and whether its executable is there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from hopcost.programs.definition.definition import Installed, Program
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Link

LINKS = [Link.HTTP_TCP, Link.HTTP_UNIX, Link.FASTCGI_TCP, Link.FASTCGI_UNIX]  # its own TLS would not be trusted


def program_of_app(name: str, app: App) -> Program:
    """The app's definition: an origin without settings, whose processes come and go."""
    return Program(
        name=name,
        title="your own app",
        links=LINKS,
        command=app.command,
        version_command=app.command,  # never run: the version is the user's word
        version_pattern="",
        install="",
        executable=app.command[0],
        forks=True,
        idle_timeout_s=app.idle_timeout_s,
    )


def receipt_of_app(app: App, binary: str | None = None) -> Installed:
    """Where the app's executable is, or why it cannot be started; a `binary` takes its place. Nothing is run."""
    folder, word = Path(app.folder), binary or app.command[0]
    if not folder.is_dir():
        return Installed(missing=f"its folder {folder} is not there", remedy="`folder` says where the app is started")
    path = _find(word, folder, app.environment.get("PATH", os.environ.get("PATH", os.defpath)))
    if path is None:
        where = f"in {folder}" if "/" in word else f"on the PATH or in {folder}"
        is_quoted = " " in word and len(app.command) == 1
        remedy = f"without the quotes: -- {word}" if is_quoted else "install it, or write its whole path"
        return Installed(missing=f"there is no '{word}' {where}", remedy=remedy)
    if not os.access(path, os.X_OK):
        return Installed(missing=f"{path} is not executable", remedy=f"chmod +x {path}")
    return Installed(path=str(path), version=app.version)


def _find(word: str, folder: Path, search: str) -> Path | None:
    """The file that the first word of a command means, as an absolute path. A link stays one: Python finds its
    environment by the path that it is called by.
    """
    if "/" not in word and (on_path := shutil.which(word, path=search)) is not None:
        return folder / on_path
    return folder / word if (folder / word).is_file() else None
