"""The newest record beside the last stretch of those before it, with the spread between records counted."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
from scipy.special import stdtr, stdtrit

from hopcost.statistics.change_points.find import change_points
from hopcost.statistics.change_points.segments import LEAST_RECORDS, Segments, Stretch
from hopcost.statistics.change_points.spread import typical_variance
from hopcost.statistics.intervals import Interval


class Newest(msgspec.Struct, frozen=True, kw_only=True):
    """`difference` is ln(newest ÷ mean of the stretch), Student distributed with this `scale` and `degrees`.

    `before` is the history without the newest record; `stretch` is its last one.
    """

    difference: float
    scale: float
    degrees: float
    before: Segments

    @property
    def stretch(self) -> Stretch:
        """What the record stands beside."""
        return self.before.stretches[-1]

    def interval(self, error: float) -> Interval:
        """Of the difference, of two-sided `error`."""
        reach = float(stdtrit(self.degrees, 1 - error / 2)) * self.scale
        return Interval(value=self.difference, low=self.difference - reach, high=self.difference + reach)

    def probability_below(self, x: float) -> float:
        """P(true difference <= x), x a logarithm."""
        return float(stdtr(self.degrees, (x - self.difference) / self.scale))

    def records_to_settle(self, distance: float, error: float) -> int | None:
        """How many records of the newest level make its interval as narrow as this distance (a logarithm) to a limit.

        None if none do: the stretch itself is not known so well.
        """
        reach = float(stdtrit(self.degrees, 1 - error / 2)) * self.before.spread
        left = (distance / reach) ** 2 - 1 / self.stretch.records
        return math.ceil(1 / left) if left > 0 else None


def newest_record(log_ratios: Sequence[float], standard_errors: Sequence[float | None]) -> Newest | None:
    """The last of a history, as `change_points` takes it; None with fewer than three records before it.

    A record that knows its ratio less well than the others do varies by so much more.
    """
    if len(log_ratios) <= LEAST_RECORDS:
        return None
    before = change_points(log_ratios[:-1], standard_errors[:-1])
    stretch = before.stretches[-1]
    own = standard_errors[-1]
    more = 0.0 if own is None else max(0.0, own**2 - typical_variance(standard_errors[:-1]))
    variance = before.spread**2 * (1 + 1 / stretch.records) + more
    return Newest(
        difference=log_ratios[-1] - stretch.mean, scale=math.sqrt(variance), degrees=before.degrees, before=before
    )
