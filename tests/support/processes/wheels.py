"""hopcost as pip installs it, in an environment of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from command import environment
from places import ROOT


def ran(command: Sequence[object], **options: object) -> subprocess.CompletedProcess[str]:
    """A command that must succeed; what it printed is shown where it does not."""
    words = list(map(str, command))
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stdout + done.stderr
    return done  # type: ignore[no-any-return]


class Installed(msgspec.Struct):
    """A fresh environment with the wheel in it; around it a Go workspace, which is none of hopcost's business."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def run(
        self, *arguments: object, folder: Path, extra: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Its hopcost, run in this folder by a shell in which nothing was activated."""
        inherited = environment()
        path = [place for place in inherited["PATH"].split(os.pathsep) if not Path(place).is_relative_to(ROOT)]
        return subprocess.run(
            [self.folder / "bin" / "hopcost", *map(str, arguments)],
            cwd=folder,
            env=inherited | {"PATH": os.pathsep.join(path)} | dict(extra or {}),
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
