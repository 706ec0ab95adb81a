"""Arms put beside each other, block by block: ratios and differences of a figure, with their intervals.

The copied arm runs twice in a block. Its figure is the mean of both runs, except in the A/A ratio (copy ÷ copied arm).
"""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.generators.engine_protocol import Validity
from hopcost.plan.plan import PlannedExperiment
from hopcost.record.block import ArmBlock, Block
from hopcost.statistics import intervals
from hopcost.statistics.figures import BlockFigure
from hopcost.statistics.intervals import Interval


class PairedBlocks:
    """The valid blocks of an experiment by arm.

    `copy` is the second run of `copied_arm`, None if no arm has a copy. `failed` arms left the experiment in the block
    of that number, valid or void.
    """

    def __init__(self, experiment: PlannedExperiment, blocks: Sequence[Block]) -> None:
        valid = [block for block in blocks if block.validity != Validity.VOID]
        self.baseline = experiment.baseline
        self.copied_arm = experiment.copied_arm
        self.copy = experiment.copy
        self.blocks = [{arm.name: arm for arm in block.arms} for block in valid]
        self.failed = {failure.arm: block.number + 1 for block in blocks for failure in block.failures}

    @property
    def names(self) -> list[str]:
        """Of all arms that are in a block, in their order there."""
        return list(dict.fromkeys(name for block in self.blocks for name in block))

    def of(self, name: str) -> list[ArmBlock]:
        """The arm's part of every block that it was in."""
        return [block[name] for block in self.blocks if name in block]

    def ratio(self, name: str, figure: BlockFigure, error: float, reference: str | None = None) -> Interval | None:
        """Figure of the arm ÷ that of the reference (None: the baseline), paired by block."""
        pairs = self.pairs(name, figure, reference)
        if pairs is None:
            return None
        own, other = [own for own, _ in pairs], [other for _, other in pairs]
        return intervals.ratio(own, other, error, self.rounds(name, figure, reference))

    def floor(self, figure: BlockFigure, error: float) -> Interval | None:
        """The copy ÷ the copied arm: the ratio of two runs that do not differ."""
        return None if self.copy is None else self.ratio(self.copy, figure, error, self.copied_arm)

    def difference(self, name: str, figure: BlockFigure, error: float, reference: str | None = None) -> Interval | None:
        """Figure of the arm minus that of the reference (None: the baseline), paired by block, in the figure's unit."""
        pairs = self.pairs(name, figure, reference)
        if pairs is None:
            return None
        return intervals.mean([own - other for own, other in pairs], error, self.rounds(name, figure, reference))

    def pairs(self, name: str, figure: BlockFigure, reference: str | None = None) -> list[tuple[float, float]] | None:
        """(arm, reference) of each block that has both and in which the figure was taken; None where one lacks it.

        Leaving such a block out would choose blocks by their outcome.
        """
        reference = reference or self.baseline
        found = []
        for block in self._of_both(name, figure, reference):
            own, other = self._value(block, name, figure, reference), self._value(block, reference, figure, name)
            if not own or not other:
                return None
            found.append((own, other))
        return found

    def values(self, name: str, figure: BlockFigure) -> list[float] | None:
        """The arm's own of each block in which the figure was taken; None where one of these lacks it, or none is."""
        found = [figure(block[name]) for block in self._taking(figure) if name in block]
        known = [value for value in found if value]
        return known if known and len(known) == len(found) else None

    def rounds(self, name: str, figure: BlockFigure, reference: str | None = None) -> list[int]:
        """Of each block that has the arm and the reference: what the figure weighs."""
        return [figure.rounds(block[name]) for block in self._of_both(name, figure, reference or self.baseline)]

    def count(self, name: str, figure: BlockFigure, reference: str | None = None) -> int:
        """Of how many blocks the ratio is made."""
        return len(self.rounds(name, figure, reference))

    def _of_both(self, name: str, figure: BlockFigure, reference: str) -> list[dict[str, ArmBlock]]:
        return [block for block in self._taking(figure) if name in block and reference in block]

    def _taking(self, figure: BlockFigure) -> list[dict[str, ArmBlock]]:
        """The blocks in which it was taken of any arm."""
        return [block for block in self.blocks if any(figure.rounds(part) for part in block.values())]

    def _value(self, block: dict[str, ArmBlock], name: str, figure: BlockFigure, beside: str) -> float | None:
        """The figure of an arm that stands beside another one."""
        first = figure(block[name])
        if name != self.copied_arm or self.copy in (None, beside) or self.copy not in block:
            return first
        second = figure(block[self.copy])
        return (first + second) / 2 if first and second else None  # a run without the figure would halve the mean
