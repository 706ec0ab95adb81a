"""Terminals that keep what is drawn on them."""

from __future__ import annotations

import io

from rich.console import Console


def terminal(width: int = 80, **environment: str) -> Console:
    """Of 30 lines; as a real one it asks the environment for colours."""
    return Console(
        file=io.StringIO(), force_terminal=True, width=width, height=30, highlight=False,
        _environ={"TERM": "xterm-256color"} | environment,
    )  # fmt: skip


def shown(console: Console) -> str:
    """All that was written to it."""
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()
