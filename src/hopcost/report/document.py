"""A further table of an experiment, below its first one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """`header` and all `rows` have as many cells; `below` are its lines."""

    title: str
    header: list[str]
    rows: list[list[str]]
    below: list[str]
