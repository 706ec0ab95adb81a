"""Two arms of a record beside each other, also if they ran in two experiments: each has run beside the same one there.

A difference over two experiments is that of two independent differences, and its interval comes from both of theirs.
"""

from __future__ import annotations

import math

from hopcost.record.contents.run import Record
from hopcost.statistics import figures, intervals
from hopcost.statistics.arms import PairedBlocks, RecordBlocks
from hopcost.statistics.figures import BlockFigure
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary import open_loop

ZERO = Interval(value=0.0, low=0.0, high=0.0)


class Pairs:
    """The arms of a record of fronts. `reference` is the one that is in every experiment.

    CPU is that at an offered load of so many requests per second (None: full load).
    """

    def __init__(self, record: Record, reference: str, rate_per_s: float | None = None) -> None:
        blocks = RecordBlocks(record.plan.experiments, record.blocks)
        self._experiments = [blocks.of(planned) for planned in record.plan.experiments]
        self._reference = reference
        self._rate_per_s = rate_per_s

    def cpu(self, arm: str, other: str, error: float) -> Interval | None:
        """CPU ns per request of the arm minus that of the other one; None if one was not measured."""
        both = self._with(arm, other)
        if both is not None:
            return self._cpu_difference(both, arm, other, error)
        return _subtract(self._cpu_added(arm, error), self._cpu_added(other, error))

    def throughput(self, arm: str, other: str, error: float) -> Interval | None:
        """Throughput of the arm ÷ that of the other one; None if one was not measured."""
        both = self._with(arm, other)
        if both is not None:
            return both.ratio(arm, figures.throughput, error, other)
        own, others = (self._log_throughput(name, error) for name in (arm, other))
        difference = _subtract(own, others)
        return None if difference is None else intervals.of_logs(difference)

    def _cpu_added(self, arm: str, error: float) -> Interval | None:
        """What the arm needs more than the reference of its own experiment."""
        if arm == self._reference:
            return ZERO
        blocks = self._with(arm, self._reference)
        return None if blocks is None else self._cpu_difference(blocks, arm, self._reference, error)

    def _log_throughput(self, arm: str, error: float) -> Interval | None:
        if arm == self._reference:
            return ZERO
        blocks = self._with(arm, self._reference)
        ratio = None if blocks is None else blocks.ratio(arm, figures.throughput, error, self._reference)
        if ratio is None:
            return None
        low, high = (None if end is None else math.log(end) for end in (ratio.low, ratio.high))
        return Interval(value=math.log(ratio.value), low=low, high=high)

    def _cpu_difference(self, blocks: PairedBlocks, arm: str, other: str, error: float) -> Interval | None:
        figure = self._cpu_figure(blocks)
        return None if figure is None else blocks.difference(arm, figure, error, other)

    def _cpu_figure(self, blocks: PairedBlocks) -> BlockFigure | None:
        """CPU per request at full load, or at the load that is asked for; None if that was not offered there."""
        if self._rate_per_s is None:
            return figures.cpu_per_request
        shares = (
            load.share
            for name in blocks.names
            for part in blocks.of(name)
            for load in part.open_loop
            if load.rate_per_s == self._rate_per_s
        )
        share = next(shares, None)
        return None if share is None else open_loop.cpu_per_request_at(share)

    def _with(self, arm: str, other: str) -> PairedBlocks | None:
        """An experiment in which both ran."""
        return next((blocks for blocks in self._experiments if {arm, other} <= set(blocks.names)), None)


def _subtract(own: Interval | None, other: Interval | None) -> Interval | None:
    return None if own is None or other is None else intervals.subtract(other, own)
