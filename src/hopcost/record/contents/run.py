"""The record: a directory that holds everything one run produced. Reports read nothing else.

run.json           format, hopcost's version, the command, when it began and how it ended
suite.json         the suite as it was read, with every default
plan.json          what it meant on this machine: arms, cores, seed, what was left out
environment.json   the machine, its limits and sysctls, the version of every program
blocks.jsonl       one line per block, flushed when the block is done; docs/reference/record.md has the keys
repeats.jsonl      one line per repeat of an article's protocol, if the plan has one
question.json       what a verb such as `front` asked beyond the suite, if it did
stacks/E/A/        of arm A in experiment E: commands.json and the generated files
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from hopcost.plan.plan import LeftOut, Plan
from hopcost.record.contents.block import Block
from hopcost.record.contents.question import KeptQuestion
from hopcost.record.contents.repeat import Repeat
from hopcost.suites.suite import Suite

FORMAT = 6

Line = TypeVar("Line", bound=msgspec.Struct)


class StopReason(StrEnum):
    """Why an experiment stopped."""

    PRECISION = "precision"
    DECIDED = "decided"
    TIME = "time"
    BLOCKS = "blocks"  # all that were planned: of a soak, of an article's protocol
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class Ending(msgspec.Struct):
    """Why an experiment stopped."""

    experiment: Annotated[str, Meta(description="its name")]
    why: Annotated[StopReason, Meta(description="`blocks`: all that were planned, of a soak or an article's protocol")]
    detail: Annotated[str, Meta(description="the same in words")]


class Run(msgspec.Struct):
    """The run as a whole."""

    format: Annotated[int, Meta(description="the record's format; a reader refuses any other")]
    hopcost: Annotated[str, Meta(description="the version that wrote it")]
    command: Annotated[list[str], Meta(description="the command line")]
    started_utc: Annotated[str, Meta(description="wall clock, for people; nothing is computed from it")]
    ended_utc: Annotated[str | None, Meta(description="null if the run was killed, interrupted or failed")] = None
    endings: Annotated[list[Ending], Meta(description="one per experiment that ended")] = []
    sites_left: Annotated[
        list[LeftOut], Meta(description="of a fleet: the sites that left it before the end, and why")
    ] = []
    method: Annotated[
        int,
        Meta(description="the number of the method: records of one number compare; records without it are of method 1"),
    ] = 1


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
    question: KeptQuestion | None = None

    def blocks_of(self, experiment: str) -> list[Block]:
        """The blocks of one experiment in their order, void ones among them."""
        return [block for block in self.blocks if block.experiment == experiment]
