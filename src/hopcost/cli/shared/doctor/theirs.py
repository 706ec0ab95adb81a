"""What Go, cargo, npm and uv keep of the builds that hopcost asked them for: where, how much, how it goes.

Other projects of the same user share it, so hopcost removes none of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hopcost.machine.traces import size_bytes


class Place(NamedTuple):
    """A tool's folder, how large it is, and the tool's command that empties it."""

    tool: str
    path: Path
    size: int
    command: str


def places(environment: Mapping[str, str] | None = None) -> list[Place]:
    """Those that are there."""
    environment = os.environ if environment is None else environment
    home = Path(environment.get("HOME") or "/")
    cache = Path(environment.get("XDG_CACHE_HOME") or home / ".cache")
    go = Path(environment.get("GOPATH") or home / "go")
    cargo = Path(environment.get("CARGO_HOME") or home / ".cargo")
    known = [
        ("Go", Path(environment.get("GOCACHE") or cache / "go-build"), "go clean -cache"),
        ("Go", Path(environment.get("GOMODCACHE") or go / "pkg" / "mod"), "go clean -modcache"),
        ("cargo", cargo / "registry", f"rm -r {cargo / 'registry'}"),
        ("npm", Path(environment.get("npm_config_cache") or home / ".npm"), "npm cache clean --force"),
        ("uv", Path(environment.get("UV_CACHE_DIR") or cache / "uv"), "uv cache clean"),
    ]
    return [Place(tool, path, size_bytes(path), command) for tool, path, command in known if path.is_dir()]
