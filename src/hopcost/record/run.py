"""The record: a directory that holds everything one run produced. Reports read nothing else.

run.json           format, hopcost's version, the command, when it began and how it ended
suite.json         the suite as it was read, with every default
plan.json          what it meant on this machine: arms, cores, seed, looks, what was left out
environment.json   the machine, its limits and sysctls, the version of every program
blocks.jsonl       one line per block, flushed when the block is done; docs/record-format.md has the keys
stacks/E/A/        of arm A in experiment E: commands.json and the generated files
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from hopcost.plan.plan import Plan
from hopcost.record.block import Block
from hopcost.record.repeat import Repeat
from hopcost.suites.suite import Suite

FORMAT = 3

Line = TypeVar("Line", bound=msgspec.Struct)


class Ending(msgspec.Struct):
    """Why an experiment stopped: `precision`, `budget`, `blocks` (all looks done), `failed` or `interrupted`."""

    experiment: str
    why: str
    detail: str


class Run(msgspec.Struct):
    """The run as a whole; `ended_utc` stays None in a run that was killed. The first method had no number: it is 1."""

    format: int
    hopcost: str
    command: list[str]
    started_utc: str
    ended_utc: str | None = None
    endings: list[Ending] = []
    method: int = 1


class _Format(msgspec.Struct):
    """What every record's run.json has, whatever its format."""

    format: int


class Record(msgspec.Struct):
    """A record as read; `warnings` tell what could not be."""

    path: Path
    run: Run
    suite: Suite
    plan: Plan
    environment: dict[str, object]
    blocks: list[Block]
    warnings: list[str]
    repeats: list[Repeat] = []

    def blocks_of(self, experiment: str) -> list[Block]:
        """The blocks of one experiment in their order, void ones among them."""
        return [block for block in self.blocks if block.experiment == experiment]
