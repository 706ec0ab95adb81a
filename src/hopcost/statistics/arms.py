"""Arms beside each other, block by block: ratios and differences of a figure, with their intervals.

`RecordBlocks` holds all experiments of a record, since every arm of it tells how much starts differ. `PairedBlocks` is
one of them.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import replace

from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_protocol import Validity
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.statistics import intervals, random_effects
from hopcost.statistics.figures import BlockFigure, all_known
from hopcost.statistics.intervals import Interval
from hopcost.statistics.log_ratio import Parts, figures_of_both, log_ratio, parts_by_round
from hopcost.statistics.precision import precision
from hopcost.statistics.precision.precision import Settling
from hopcost.statistics.random_effects import Contrast, Estimate

Pair = tuple[str, str, str]  # the experiment, the arm, the arm that it is compared with


class RecordBlocks:
    """The valid blocks of all experiments of a record.

    The contrasts of one figure are estimated together, when one of them is first asked for: each arm beside the arm
    that runs twice. The A/A arm and pairs beside another arm do not tell how much starts differ: they are the same
    server twice, or those arms again.
    """

    def __init__(self, experiments: Iterable[PlannedExperiment], blocks: Sequence[Block]) -> None:
        by_name: dict[str, list[Block]] = {}
        for block in blocks:
            by_name.setdefault(block.experiment, []).append(block)
        self.experiments: dict[str, PairedBlocks] = {}
        for experiment in experiments:
            PairedBlocks(experiment, by_name.get(experiment.name, []), self)
        self._estimates: dict[tuple[str, bool], dict[Pair, Estimate]] = {}

    def of(self, experiment: PlannedExperiment) -> PairedBlocks:
        """The blocks of one of the experiments."""
        return self.experiments[experiment.name]

    @property
    def ratios(self) -> int:
        """How many arms stand beside another one; the A/A arms are not among them."""
        return sum(len(set(blocks.names) - {blocks.copied_arm, blocks.copy}) for blocks in self.experiments.values())

    def estimate(self, pair: Pair, figure: BlockFigure, *, of_difference: bool = False) -> Estimate | None:
        """Of the log-ratio, or of the difference ÷ the mean of both arms; None without a block."""
        key = (figure.name, of_difference)
        if key not in self._estimates:
            learning = self._contrasts(self._pairs_that_learn(), figure, of_difference)
            estimates = random_effects.estimate(list(learning.values()))
            self._estimates[key] = dict(zip(learning, estimates, strict=True))
        if pair not in self._estimates[key]:
            self._estimates[key] |= self._estimate_beside(pair, figure, of_difference)
        return self._estimates[key].get(pair)

    def estimate_beside_pairs(self, contrast: Contrast, figure: BlockFigure) -> Estimate:
        """Of a contrast that is no pair of arms, on the scale of a difference ÷ the mean of both.

        What restarts do comes from the record's pairs.
        """
        learning = self._contrasts(self._pairs_that_learn(), figure, True)
        return random_effects.estimate([*learning.values(), replace(contrast, learns=False)])[-1]

    def _estimate_beside(self, pair: Pair, figure: BlockFigure, of_difference: bool) -> dict[Pair, Estimate]:
        """Of all arms beside that one; what restarts do comes from the pairs that learn."""
        name, _, reference = pair
        learning = self._contrasts(self._pairs_that_learn(), figure, of_difference)
        pairs = [(name, arm, reference) for arm in self.experiments[name].names if arm != reference]
        others = {
            other: replace(contrast, learns=False)
            for other, contrast in self._contrasts(pairs, figure, of_difference).items()
            if other not in learning
        }
        estimates = random_effects.estimate([*learning.values(), *others.values()])
        return dict(zip(others, estimates[len(learning) :], strict=True))

    def _pairs_that_learn(self) -> list[Pair]:
        return [
            (name, arm, blocks.copied_arm)
            for name, blocks in self.experiments.items()
            for arm in blocks.names
            if arm != blocks.copied_arm
        ]

    def _contrasts(self, pairs: Iterable[Pair], figure: BlockFigure, of_difference: bool) -> dict[Pair, Contrast]:
        """The contrasts that are known; that of a copy does not learn."""
        contrasts = {}
        for pair in pairs:
            name, arm, reference = pair
            contrast = self.experiments[name].contrast(arm, figure, reference, of_difference=of_difference)
            if contrast is not None:
                contrasts[pair] = replace(contrast, learns=arm != self.experiments[name].copy)
        return contrasts


class PairedBlocks:
    """The valid blocks of an experiment by arm, without void loads; by itself it is a record of one experiment.

    `copy` is the second run of `copied_arm`, None if no arm has a copy. `failed` has the numbers (from 1) of the
    blocks, valid or void, in which an arm failed: it left the experiment there.
    """

    def __init__(
        self, experiment: PlannedExperiment, blocks: Sequence[Block], record: RecordBlocks | None = None
    ) -> None:
        self.experiment = experiment
        self.baseline = experiment.baseline
        self.copied_arm = experiment.copied_arm
        self.copy = experiment.copy
        counting = [block for block in blocks if block.validity != Validity.VOID]
        self.blocks = [{arm.name: arm for arm in block.parts_that_count} for block in counting]
        self.numbers = [block.number + 1 for block in counting]
        self.seconds = sum(block.elapsed_ns for block in counting) / 1e9
        self.failed: dict[str, list[int]] = {}
        for block in blocks:
            for failure in block.failures:
                self.failed.setdefault(failure.arm, []).append(block.number + 1)
        self.record = record or RecordBlocks([], [])
        self.record.experiments[experiment.name] = self
        self._rounds: dict[tuple[int, float | None], list[Parts]] = {}
        self._contrasts: dict[tuple[str, str, str, bool], Contrast | None] = {}

    @property
    def names(self) -> list[str]:
        """All arms that are in a block, in their order there."""
        return list(dict.fromkeys(name for block in self.blocks for name in block))

    def of(self, name: str) -> list[ArmBlock]:
        """The arm's part of every block that it was in."""
        return [block[name] for block in self.blocks if name in block]

    def estimate(self, name: str, figure: BlockFigure, reference: str | None = None) -> Estimate | None:
        """Of ln(arm ÷ reference) (None: the baseline), learned from the whole record; None without a block."""
        return self.record.estimate((self.experiment.name, name, reference or self.baseline), figure)

    def ratio(self, name: str, figure: BlockFigure, error: float, reference: str | None = None) -> Interval | None:
        """Figure of the arm ÷ figure of the reference (None: the baseline), paired by block."""
        estimate = self.estimate(name, figure, reference)
        return None if estimate is None else intervals.of_logs(estimate.interval(error))

    def time_to_reach(
        self, target: float, name: str, figure: BlockFigure, error: float, reference: str | None = None
    ) -> Settling | None:
        """What the ratio's interval of this error takes to be within ±target (a logarithm), were nothing else measured.

        None without an interval.
        """
        reference = reference or self.baseline
        estimate, ratio = self.estimate(name, figure, reference), self.ratio(name, figure, error, reference)
        contrast = self.contrast(name, figure, reference, of_difference=False)
        if estimate is None or contrast is None or ratio is None or ratio.half_width is None:
            return None
        return precision.time_to_reach(
            target,
            estimate.variances,
            half_width=ratio.half_width,
            rounds=statistics.fmean(contrast.rounds),
            error=error,
            starts=self.count(name, figure, reference),
            seconds=self.seconds,
            contrasts=self.record.ratios,
        )

    def restart_spread(self, name: str, figure: BlockFigure, reference: str | None = None) -> float | None:
        """By how much starts of the arm differ in the figure, as a share; None without a block."""
        estimate = self.estimate(name, figure, reference)
        return None if estimate is None else estimate.restart_spread

    def floor(self, figure: BlockFigure, error: float) -> Interval | None:
        """The copy ÷ the copied arm: the ratio of two runs that do not differ."""
        return None if self.copy is None else self.ratio(self.copy, figure, error, self.copied_arm)

    def difference(self, name: str, figure: BlockFigure, error: float, reference: str | None = None) -> Interval | None:
        """Figure of the arm minus that of the reference (None: the baseline), paired by block, in the figure's unit."""
        reference = reference or self.baseline
        pair = (self.experiment.name, name, reference)
        estimate = self.record.estimate(pair, figure, of_difference=True)
        level = self._level(name, figure, reference)
        if estimate is None or level is None:
            return None
        share = estimate.interval(error)
        low, high = (None if end is None else end * level for end in (share.low, share.high))
        return Interval(value=share.value * level, low=low, high=high)

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
        level = self._level(name, figure, reference)
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

    def _level(self, name: str, figure: BlockFigure, reference: str) -> float | None:
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
