"""What a block is measured in: its experiment, its run, and its arms that have answered the check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from hopcost.measure.rig import Rig
from hopcost.measure.watcher import Watcher
from hopcost.plan.plan import Plan, PlannedArm, PlannedExperiment
from hopcost.record.contents.block import Block
from hopcost.record.contents.repeat import Repeat
from hopcost.record.kept_files import KeptCommand
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.stack import Stack


class BlockKeeper(Protocol):
    """Where what was measured goes: a record, or a message to who writes the record."""

    def put_stack(self, experiment: str, arm: str, commands: list[KeptCommand], files: Mapping[str, str]) -> None:
        """Keep the commands and generated files of an arm."""

    def append(self, block: Block) -> Block:
        """Keep a block, and return it as it was kept."""

    def append_repeat(self, repeat: Repeat) -> None:
        """Keep a repeat of an article's protocol."""


class BlockContext(msgspec.Struct, frozen=True):
    """What all blocks of an experiment have in common.

    `so_far` has all finished blocks of the run, those of its other experiments too.
    """

    plan: Plan
    experiment: PlannedExperiment
    rig: Rig
    writer: BlockKeeper
    watcher: Watcher
    so_far: list[Block] = []

    def finish(self, block: Block) -> None:
        """A block is done: it goes into the record, and the watcher hears of it."""
        masked = self.writer.append(block)
        self.so_far.append(block)
        self.watcher.block_ends(masked)


class CheckedArm(msgspec.Struct, frozen=True):
    """An arm that runs and has answered the check: each request of its workload."""

    arm: PlannedArm
    stack: Stack
    answers: list[HttpAnswer]

    @property
    def answer(self) -> HttpAnswer:
        """To its only request, or to the first of a mix."""
        return self.answers[0]
