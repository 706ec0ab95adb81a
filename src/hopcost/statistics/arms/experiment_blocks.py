"""The blocks of one experiment, figure by figure: pairs of arms, and the contrasts that the model reads."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.statistics.figures import BlockFigure, all_known
from hopcost.statistics.log_ratio import Parts, figures_of_both, log_ratio, parts_by_round
from hopcost.statistics.random_effects import Contrast


class ExperimentBlocks:
    """The valid blocks of an experiment by arm, without void loads.

    `copy` is the second run of `copied_arm`, None if no arm has a copy. `failed` has the numbers (from 1) of the
    blocks, valid or void, in which an arm failed: it left the experiment there. `sites` are those of the blocks.
    """

    def __init__(self, experiment: PlannedExperiment, blocks: Sequence[Block]) -> None:
        self.experiment = experiment
        self.baseline = experiment.baseline
        self.copied_arm = experiment.copied_arm
        self.copy = experiment.copy
        counting = [block for block in blocks if block.validity != Validity.VOID]
        self.blocks = [{arm.name: arm for arm in block.parts_that_count} for block in counting]
        self.sites = [block.site for block in counting]
        self.numbers = [block.number + 1 for block in counting]
        self.seconds = sum(block.elapsed_ns for block in counting) / 1e9
        self.failed: dict[str, list[int]] = {}
        for block in blocks:
            for failure in block.failures:
                self.failed.setdefault(failure.arm, []).append(block.number + 1)
        self._rounds: dict[tuple[int, float | None], list[Parts]] = {}
        self._contrasts: dict[tuple[str, str, str, bool], Contrast | None] = {}

    @property
    def names(self) -> list[str]:
        """All arms that are in a block, in their order there."""
        return list(dict.fromkeys(name for block in self.blocks for name in block))

    def of(self, name: str) -> list[ArmBlock]:
        """The arm's part of every block that it was in."""
        return [block[name] for block in self.blocks if name in block]

    def contrast(self, name: str, figure: BlockFigure, reference: str, *, of_difference: bool) -> Contrast | None:
        """What the model reads of the two arms; None if a block lacks the figure of one, or there is none.

        A difference is ÷ the mean of both arms over all blocks, so that starts differ by shares there too.
        """
        key = (name, figure.name, reference, of_difference)
        if key not in self._contrasts:  # estimates, forecasts and trends ask for the same
            self._contrasts[key] = self._contrast(name, figure, reference, of_difference)
        return self._contrasts[key]

    def _contrast(self, name: str, figure: BlockFigure, reference: str, of_difference: bool) -> Contrast | None:
        blocks = self._of_both(name, figure, reference)
        level = self.level(name, figure, reference)
        if level is None:
            return None

        def compare(parts: Parts) -> float | None:
            if not of_difference:
                return log_ratio(parts, self.experiment, name, reference, figure)
            both = figures_of_both(parts, self.experiment, name, reference, figure)
            return None if both is None else (both[0] - both[1]) / level

        values = all_known(compare(self.blocks[index]) for index in blocks)
        if values is None:
            return None
        variance, degrees = scatter_of_rounds(
            [
                [compare(parts) for parts in self._parts_by_round(index, figure) if {name, reference} <= set(parts)]
                for index in blocks
            ]
        )
        rounds = [1] * len(blocks) if variance is None else self.rounds(name, figure, reference)
        return Contrast(values, rounds, variance, degrees)

    def pairs(self, name: str, figure: BlockFigure, reference: str | None = None) -> list[tuple[float, float]] | None:
        """(arm, reference) of each block that has both and in which the figure was taken; None if one lacks it.

        Leaving such a block out would choose blocks by their outcome.
        """
        reference = reference or self.baseline
        return all_known(
            figures_of_both(self.blocks[index], self.experiment, name, reference, figure)
            for index in self._of_both(name, figure, reference)
        )

    def lacking(self, name: str, figure: BlockFigure, reference: str | None = None) -> list[int]:
        """The numbers of the blocks (from 1) in which the figure was taken and one of the two arms has none."""
        reference = reference or self.baseline
        return [
            self.numbers[index]
            for index in self._of_both(name, figure, reference)
            if figures_of_both(self.blocks[index], self.experiment, name, reference, figure) is None
        ]

    def values(self, name: str, figure: BlockFigure) -> list[float] | None:
        """The arm's own figure of each block in which it was taken; None if a block lacks it, or there is no block."""
        taking = [block for block in self.blocks if _is_taken(figure, block)]
        return all_known(figure(block[name]) or None for block in taking if name in block) or None

    def rounds(self, name: str, figure: BlockFigure, reference: str | None = None) -> list[int]:
        """Of each block that has the arm and the reference: rounds that the figure was taken over."""
        blocks = self._of_both(name, figure, reference or self.baseline)
        return [figure.rounds(self.blocks[index][name]) for index in blocks]

    def count(self, name: str, figure: BlockFigure, reference: str | None = None) -> int:
        """The number of blocks behind the ratio."""
        return len(self._of_both(name, figure, reference or self.baseline))

    def sites_of(self, name: str, figure: BlockFigure, reference: str) -> list[str | None]:
        """The sites of the blocks behind the ratio, in their order; None without a fleet."""
        return [self.sites[index] for index in self._of_both(name, figure, reference)]

    def level(self, name: str, figure: BlockFigure, reference: str) -> float | None:
        """The mean of both arms over the blocks; None if a block lacks the figure, or there is none."""
        pairs = self.pairs(name, figure, reference)
        return statistics.fmean(value for pair in pairs for value in pair) if pairs else None

    def _of_both(self, name: str, figure: BlockFigure, reference: str) -> list[int]:
        """The blocks, by index, that have both arms and in which the figure was taken of any."""
        return [
            index
            for index, block in enumerate(self.blocks)
            if name in block and reference in block and _is_taken(figure, block)
        ]

    def _parts_by_round(self, index: int, figure: BlockFigure) -> list[Parts]:
        key = (index, figure.share)
        if key not in self._rounds:
            self._rounds[key] = parts_by_round(self.blocks[index].values(), figure.share)
        return self._rounds[key]


def _is_taken(figure: BlockFigure, parts: Parts) -> bool:
    """Whether the figure was taken of any arm of a block; a block without an offered load says nothing of it."""
    return any(figure.rounds(part) for part in parts.values())


def scatter_of_rounds(blocks: Sequence[Sequence[float | None]]) -> tuple[float | None, int]:
    """Variance of one round within its block, and its degrees of freedom.

    None if blocks have one round each, or a round has no figure: leaving it out would make rounds look quieter.
    """
    squares, degrees = 0.0, 0
    for block in blocks:
        rounds = all_known(block)
        if rounds is None:
            return None, 0
        if rounds:
            middle = statistics.fmean(rounds)
            squares += sum((value - middle) ** 2 for value in rounds)
            degrees += len(rounds) - 1
    return (squares / degrees, degrees) if degrees else (None, 0)
