"""Suite files that tests write, on the embedded origin: small, quick, whole."""

from __future__ import annotations

from pathlib import Path

TWO_ARMS = """
name = "small"
title = "Two links"
[arms.tcp]
hops = [{ program = "origin", link = "http+tcp" }]
[arms.unix]
hops = [{ program = "origin", link = "http+unix" }]
[[experiments]]
name = "links"
question = "Is a Unix socket cheaper?"
baseline = "tcp"
arms = ["tcp", "unix"]
placement = "all-cores"
workload = { connections = 4 }
open_loop = false
"""


def write(folder: Path, text: str = TWO_ARMS) -> Path:
    """The suite as a file."""
    path = folder / "small.toml"
    path.write_text(text)
    return path
