"""Arms beside each other, block by block: ratios and differences of a figure, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.generators.engine_protocol import Validity
from hopcost.plan.plan import PlannedExperiment
from hopcost.record.block import ArmBlock, Block
from hopcost.statistics import intervals
from hopcost.statistics.figures import BlockFigure, all_known
from hopcost.statistics.intervals import Interval
from hopcost.statistics.log_ratio import figures_of_both, log_ratio


class PairedBlocks:
    """The valid blocks of an experiment by arm.

    `copy` is the second run of `copied_arm`, None if no arm has a copy. `failed` arms left the experiment in the block
    of that number, valid or void.
    """

    def __init__(self, experiment: PlannedExperiment, blocks: Sequence[Block]) -> None:
        self.experiment = experiment
        self.baseline = experiment.baseline
        self.copied_arm = experiment.copied_arm
        self.copy = experiment.copy
        self.blocks = [{arm.name: arm for arm in block.arms} for block in blocks if block.validity != Validity.VOID]
        self.failed = {failure.arm: block.number + 1 for block in blocks for failure in block.failures}

    @property
    def names(self) -> list[str]:
        """All arms that are in a block, in their order there."""
        return list(dict.fromkeys(name for block in self.blocks for name in block))

    def of(self, name: str) -> list[ArmBlock]:
        """The arm's part of every block that it was in."""
        return [block[name] for block in self.blocks if name in block]

    def ratio(self, name: str, figure: BlockFigure, error: float, reference: str | None = None) -> Interval | None:
        """Figure of the arm ÷ figure of the reference (None: the baseline), paired by block."""
        reference = reference or self.baseline
        blocks = self._of_both(name, figure, reference)
        logs = all_known(log_ratio(block, self.experiment, name, reference, figure) for block in blocks)
        interval = intervals.mean(logs or [], error, self.rounds(name, figure, reference))
        return None if interval is None else intervals.of_logs(interval)

    def floor(self, figure: BlockFigure, error: float) -> Interval | None:
        """The copy ÷ the copied arm: the ratio of two runs that do not differ."""
        return None if self.copy is None else self.ratio(self.copy, figure, error, self.copied_arm)

    def difference(self, name: str, figure: BlockFigure, error: float, reference: str | None = None) -> Interval | None:
        """Figure of the arm minus that of the reference (None: the baseline), paired by block, in the figure's unit."""
        pairs = self.pairs(name, figure, reference) or []
        return intervals.mean([own - other for own, other in pairs], error, self.rounds(name, figure, reference))

    def pairs(self, name: str, figure: BlockFigure, reference: str | None = None) -> list[tuple[float, float]] | None:
        """(arm, reference) of each block that has both and in which the figure was taken; None if one lacks it.

        Leaving such a block out would choose blocks by their outcome.
        """
        reference = reference or self.baseline
        blocks = self._of_both(name, figure, reference)
        return all_known(figures_of_both(block, self.experiment, name, reference, figure) for block in blocks)

    def values(self, name: str, figure: BlockFigure) -> list[float] | None:
        """The arm's own figure of each block in which it was taken; None if a block lacks it, or there is no block."""
        return all_known(figure(block[name]) or None for block in self._taking(figure) if name in block) or None

    def rounds(self, name: str, figure: BlockFigure, reference: str | None = None) -> list[int]:
        """The weight of each block that has the arm and the reference: rounds that the figure was taken over."""
        return [figure.rounds(block[name]) for block in self._of_both(name, figure, reference or self.baseline)]

    def count(self, name: str, figure: BlockFigure, reference: str | None = None) -> int:
        """The number of blocks behind the ratio."""
        return len(self.rounds(name, figure, reference))

    def _of_both(self, name: str, figure: BlockFigure, reference: str) -> list[dict[str, ArmBlock]]:
        return [block for block in self._taking(figure) if name in block and reference in block]

    def _taking(self, figure: BlockFigure) -> list[dict[str, ArmBlock]]:
        """The blocks in which the figure was taken of any arm."""
        return [block for block in self.blocks if any(figure.rounds(part) for part in block.values())]
