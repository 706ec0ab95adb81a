"""Arms put beside each other, block by block: ratios and differences of a figure, with their intervals. Pure.

What runs twice in a block stands for both of its runs: their mean, except where the second is compared with the first.
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

    `again` is the second run of the arm that runs `twice`, None where none does. `failed` arms left the
    experiment in the block of that number, be it a void one.
    """

    def __init__(self, experiment: PlannedExperiment, blocks: Sequence[Block]) -> None:
        valid = [block for block in blocks if block.validity != Validity.VOID]
        self.baseline = experiment.baseline
        self.twice = experiment.twice
        self.again = next((arm.name for arm in experiment.arms if arm.copy_of is not None), None)
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
        """Figure of the arm ÷ that of the reference (None: the baseline), paired by block.

        Arms that never share a block (blocks of three) by way of the arm that is in all, with half the error each.
        """
        reference = reference or self.baseline
        if self.never_together(name, reference):
            return _quotient(*(self.ratio(each, figure, error / 2, self.twice) for each in (name, reference)))
        pairs = self.pairs(name, figure, reference)
        if pairs is None:
            return None
        own, other = [own for own, _ in pairs], [other for _, other in pairs]
        return intervals.ratio(own, other, error, self.rounds(name, figure, reference))

    def floor(self, figure: BlockFigure, error: float) -> Interval | None:
        """The second run ÷ the first: what is seen where nothing differs."""
        return None if self.again is None else self.ratio(self.again, figure, error, self.twice)

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
        """Of how many blocks the ratio is made; of two that never share one, the fewer."""
        reference = reference or self.baseline
        if self.never_together(name, reference):
            return min(len(self.rounds(each, figure, self.twice)) for each in (name, reference))
        return len(self.rounds(name, figure, reference))

    def never_together(self, name: str, reference: str) -> bool:
        """Whether no block has both, as blocks of three may not: their ratio goes by way of the arm that runs twice."""
        return self.twice not in (name, reference) and not any(
            name in block and reference in block for block in self.blocks
        )

    def _of_both(self, name: str, figure: BlockFigure, reference: str) -> list[dict[str, ArmBlock]]:
        return [block for block in self._taking(figure) if name in block and reference in block]

    def _taking(self, figure: BlockFigure) -> list[dict[str, ArmBlock]]:
        """The blocks in which it was taken of any arm."""
        return [block for block in self.blocks if any(figure.rounds(part) for part in block.values())]

    def _value(self, block: dict[str, ArmBlock], name: str, figure: BlockFigure, beside: str) -> float | None:
        """The figure of an arm that stands beside another one."""
        first = figure(block[name])
        if name != self.twice or self.again in (None, beside) or self.again not in block:
            return first
        second = figure(block[self.again])
        return (first + second) / 2 if first and second else None  # a run without the figure would halve the mean


def _quotient(own: Interval | None, other: Interval | None) -> Interval | None:
    """Of two ratios to the same arm: the widest that both intervals allow."""
    if own is None or other is None:
        return None
    value = own.value / other.value
    if own.low and own.high and other.low and other.high:
        return Interval(value=value, low=own.low / other.high, high=own.high / other.low)
    return Interval(value=value, low=None, high=None)
