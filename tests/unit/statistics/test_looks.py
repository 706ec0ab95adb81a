"""When a run may end on its width, and the error that its intervals have then."""

from __future__ import annotations

import itertools

import pytest

from hopcost.record.run import StopReason
from hopcost.statistics import looks


def test_looks_have_no_end() -> None:
    assert list(itertools.islice(looks.looks_after(0), 8)) == [6, 8, 12, 16, 24, 32, 48, 64]
    assert next(looks.looks_after(999)) == 1024
    assert not any(map(looks.is_look, (0, 1, 5, 7, 10, 20, 36, 40)))


@pytest.mark.parametrize(
    ("ending", "error"),
    [
        (StopReason.PRECISION, 0.035),
        (StopReason.INTERRUPTED, 0.035),  # who interrupts may have seen the intervals
        (StopReason.FAILED, 0.035),
        (None, 0.035),
        (StopReason.TIME, 0.05),
        (StopReason.BLOCKS, 0.05),
    ],
)
def test_a_run_that_ends_on_its_width_pays_for_the_look(ending: StopReason | None, error: float) -> None:
    assert looks.error_at_end(ending) == error
