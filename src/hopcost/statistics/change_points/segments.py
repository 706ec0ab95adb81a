"""A history cut into stretches: what `change_points` gives."""

from __future__ import annotations

import msgspec

LEAST_RECORDS = 3  # of a stretch: one odd record is no change, and neither are two


class Stretch(msgspec.Struct, frozen=True, kw_only=True):
    """Records of one level: `first` to `after` (exclusive) by their place in the history.

    `mean` is their log-ratio to the baseline, `low` and `high` the ends of its interval, which holds between records.
    """

    first: int
    after: int
    mean: float
    low: float
    high: float

    @property
    def records(self) -> int:
        """How many there are."""
        return self.after - self.first


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """From one stretch to the next. `index` is the first record after it.

    `size` is ln(after ÷ before), `low` and `high` are the ends of its interval, which holds between records.
    """

    index: int
    size: float
    low: float
    high: float


class Segments(msgspec.Struct, frozen=True, kw_only=True):
    """All stretches of a history, and the changes between them, in order.

    `spread` is the standard deviation of a record's log-ratio within a stretch, as learned; `degrees` are those of
    freedom that it is known with.
    """

    stretches: tuple[Stretch, ...]
    changes: tuple[Change, ...]
    spread: float
    degrees: float
