"""The drawing of the rooms, made of the import contract that `make check` holds the code to."""

from __future__ import annotations

import importlib
import inspect
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def layers() -> list[list[str]]:
    """The rooms of each layer, the highest layer first, as pyproject.toml's contract names them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (contract,) = [contract for contract in contracts if contract["type"] == "layers"]
    return [[name.strip().removeprefix("hopcost.") for name in layer.split("|")] for layer in contract["layers"]]


def drawing() -> str:
    """A Mermaid flowchart: a box for each room with the first line of its docstring, arrows from user to used."""
    lines = ["```mermaid", "flowchart TD"]
    for number, layer in enumerate(layers()):
        lines.append(f"    subgraph layer{number}[ ]")
        lines.append("        direction LR")
        lines += [f'        {room}["<b>{room}</b><br>{_first_line(room)}"]' for room in layer]
        lines.append("    end")
    lines += [f"    layer{number} --> layer{number + 1}" for number in range(len(layers()) - 1)]
    return "\n".join([*lines, "```"])


def table() -> str:
    """Each room and what it is, in the order in which a run passes them."""
    rows = [f"| `{room}` | {_first_line(room)} |" for layer in reversed(layers()) for room in layer]
    return "\n".join(["| room | what |", "| --- | --- |", *rows])


def _first_line(room: str) -> str:
    """What the room's docstring says first; a room without one is a mistake."""
    text = inspect.getdoc(importlib.import_module(f"hopcost.{room}"))
    assert text, f"hopcost.{room} has no docstring"
    return text.splitlines()[0].rstrip(".")
