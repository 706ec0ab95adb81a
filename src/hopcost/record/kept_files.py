"""The commands and generated files of an arm as a record keeps them, without what changes from start to start."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from hopcost.errors import UsageError

COMMANDS = "commands.json"
CHANGING = (
    (re.compile(r"/[^\s\"';:]*?/hopcost-stack-[^/\s\"';]+"), "FOLDER"),  # the stack's own
    (re.compile(r"\b(127\.0\.0\.1|198\.18\.\d+\.\d+):\d+"), r"\1:PORT"),
)
LONG_PATH = re.compile(r"(?<![\w.])(?:/[\w.@+-]+)+/([\w.@+-]+/[\w.@+-]+)")  # its last two words say which it is


class KeptCommand(msgspec.Struct, frozen=True):
    """How a hop was started."""

    hop: str
    cores: list[int]
    command: list[str]


def kept_files(record: Path, experiment: str, arm: str) -> dict[str, str]:
    """As `kept`, without what is new with every start."""
    texts = read_kept_files(record, experiment, arm)
    return {name: steady(text, is_command=name == COMMANDS) for name, text in texts.items()}


def read_kept_files(record: Path, experiment: str, arm: str) -> dict[str, str]:
    """Name → text of the arm's `stacks/` folder; none if it never started.

    UsageError if one cannot be read, or lies elsewhere: a record may come from anybody, and names no file outside.
    """
    folder, inside = record / "stacks" / experiment / arm, record.resolve() / "stacks"
    texts = {}
    for path in sorted(folder.glob("*")) if folder.is_dir() else []:
        if not path.resolve().is_relative_to(inside):
            raise UsageError(f"{path}: lies outside the record", "somebody changed the record: trust nothing in it")
        try:
            texts[path.name] = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}", "the record is damaged") from error
    return texts


def steady(text: str, is_command: bool = False) -> str:
    """Ports and folders that are new with every start are replaced by words, other folders of commands shortened.

    >>> steady("listen 127.0.0.1:2001; server unix:/tmp/hopcost-stack-1-2-5/go.sock;")
    'listen 127.0.0.1:PORT; server unix:FOLDER/go.sock;'
    >>> steady('"/home/me/.cache/hopcost/go-hello-c444/go-hello"', is_command=True)
    '"go-hello-c444/go-hello"'
    """
    for pattern, word in CHANGING:
        text = pattern.sub(word, text)
    return LONG_PATH.sub(r"\1", text) if is_command else text
