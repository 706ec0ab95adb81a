"""Arms beside each other, block by block: ratios and differences of a figure, with their intervals.

`RecordBlocks` holds all experiments of a record, since every arm of it tells how much starts differ. `PairedBlocks` is
one of them.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import replace

from hopcost.plan.plan import PlannedExperiment
from hopcost.record.contents.block import Block
from hopcost.statistics import intervals, random_effects
from hopcost.statistics.arms import hosts
from hopcost.statistics.arms.experiment_blocks import ExperimentBlocks
from hopcost.statistics.figures import BlockFigure
from hopcost.statistics.intervals import Interval
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


class PairedBlocks(ExperimentBlocks):
    """An experiment's blocks with ratios and differences of arms; by itself it is a record of one experiment."""

    def __init__(
        self, experiment: PlannedExperiment, blocks: Sequence[Block], record: RecordBlocks | None = None
    ) -> None:
        super().__init__(experiment, blocks)
        self.record = record or RecordBlocks([], [])
        self.record.experiments[experiment.name] = self

    def estimate(self, name: str, figure: BlockFigure, reference: str | None = None) -> Estimate | None:
        """Of ln(arm ÷ reference) (None: the baseline), learned from the whole record; None without a block."""
        return self.record.estimate((self.experiment.name, name, reference or self.baseline), figure)

    def ratio(self, name: str, figure: BlockFigure, error: float, reference: str | None = None) -> Interval | None:
        """Figure of the arm ÷ figure of the reference (None: the baseline), paired by block.

        Over the means of machines if there are enough of them.
        """
        logs = self._interval(name, figure, error, reference or self.baseline, of_difference=False)
        return None if logs is None else intervals.of_logs(logs)

    def ratios_by_site(self, name: str, figure: BlockFigure, reference: str | None = None) -> dict[str, float]:
        """The ratio on each site of a fleet; none without a fleet."""
        reference = reference or self.baseline
        contrast = self.contrast(name, figure, reference, of_difference=False)
        if contrast is None:
            return {}
        means = hosts.host_means(contrast.logs, self.sites_of(name, figure, reference))
        return {site: intervals.exp(mean) for site, mean in sorted(means.items())}

    def _interval(
        self, name: str, figure: BlockFigure, error: float, reference: str, *, of_difference: bool
    ) -> Interval | None:
        sites = self.sites_of(name, figure, reference)
        if hosts.stand_for_their_kind(sites):
            contrast = self.contrast(name, figure, reference, of_difference=of_difference)
            return None if contrast is None else hosts.interval_over_hosts(contrast.logs, sites, error)
        estimate = self.record.estimate((self.experiment.name, name, reference), figure, of_difference=of_difference)
        return None if estimate is None else estimate.interval(error)

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
        share = self._interval(name, figure, error, reference, of_difference=True)
        level = self.level(name, figure, reference)
        if share is None or level is None:
            return None
        low, high = (None if end is None else end * level for end in (share.low, share.high))
        return Interval(value=share.value * level, low=low, high=high)
