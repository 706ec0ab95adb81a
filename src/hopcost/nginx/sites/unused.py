"""Files with a site that no include takes in: what to name instead of a configuration without a site."""

from __future__ import annotations

import os
import re
from pathlib import Path

from hopcost.nginx.read.text import ConfigurationText

SERVER = re.compile(r"(?m)^\s*server\s*\{")
REDIRECTS = re.compile(r"(?m)^\s*return\s+(?:30\d|4\d\d)")
MOST_FILES = 500
MOST_BYTES = 200_000
MOST_NAMED = 3


def sites_not_included(configuration: ConfigurationText) -> list[str]:
    """Up to three files below the configuration's folder, those that seem to answer themselves first."""
    taken = set(configuration.paths.values())
    sites: list[tuple[int, str]] = []
    for path in _files_below(configuration.folder):
        if path.resolve() in taken or path.name == "nginx.conf":
            continue
        try:
            text = path.read_bytes()[:MOST_BYTES].decode("utf-8", "replace")
        except OSError:
            continue
        if servers := len(SERVER.findall(text)):
            answers = servers > len(REDIRECTS.findall(text))
            sites.append((0 if answers else 1, str(path)))
    return [path for _, path in sorted(sites)[:MOST_NAMED]]


def _files_below(folder: Path) -> list[Path]:
    files: list[Path] = []
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))[:50]
        files += [Path(root, name) for name in sorted(names) if not name.startswith(".")]
        if len(files) > MOST_FILES:
            break
    return files[:MOST_FILES]
