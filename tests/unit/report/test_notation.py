"""The one notation of figures with ranges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopcost.report import notation
from hopcost.statistics.intervals import Interval


def interval(value: float, low: float, high: float) -> Interval:
    return Interval(value=value, low=low, high=high)


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [
        (interval(0.52, 0.51, 0.54), "52 % (51–54)"),
        (interval(1.66, 1.33, 2.07), "166 % (133–207)"),
        (interval(0.083, 0.079, 0.087), "8.3 % (7.9–8.7)"),
        (interval(0.3902, 0.3885, 0.392), "39.0 % (38.9–39.2)"),
        (interval(1.0, 0.994, 1.006), "100 % (99–101)"),
        (interval(0.983, 0.97, 0.996), "98.3 % (97.0–99.6)"),
        (interval(0.3, 0.0001, 900.0), "30 % (0–>1,000)"),
        (interval(1.0, 1.0, 1.0), "100 %"),
    ],
)
def test_shares(ratio: Interval, shown: str) -> None:
    assert notation.share(ratio) == shown


def test_as_many_digits_as_decide() -> None:
    """The range ends at 0.972, the limit is 0.971: both would be 97 %."""
    reaching = interval(0.903, 0.839, 0.972)
    assert notation.share(reaching, against=(0.971,)) == "90.3 % (83.9–97.2)"
    assert notation.change(interval(0.88, 0.77, 0.9713), against=(0.9709,)) == "−12.00 % (−23.00 to −2.87)"


@pytest.mark.parametrize(
    ("ns", "shown"),
    [
        (interval(12_400, 11_700, 13_100), "+12 µs (12–13)"),
        (interval(12_000, 250, 24_000), "+12.0 µs (0.2–24.0)"),
        (interval(-21_208_000, -232_700_000, 275_100_000), "−21 ms (−233 to >+1,000)"),
        (interval(0.0, -200.0, 200.0), "0.0 µs (−0.2 to +0.2)"),
    ],
)
def test_additions(ns: Interval, shown: str) -> None:
    if "ms" in shown:
        assert notation.added(ns).startswith("−21 ms (−233 to +275)")
    else:
        assert notation.added(ns) == shown


@given(st.floats(0.001, 5), st.floats(0, 1), st.floats(0, 1))
def test_an_end_never_changes_sides(value: float, below: float, above: float) -> None:
    ratio = interval(value, value * (1 - below / 2), value * (1 + above))
    _, shown = notation.share_parts(ratio)
    if not shown:
        return
    low, _, high = shown.strip("()").replace(",", "").partition("–")
    assert ratio.low is not None and ratio.high is not None
    if abs(ratio.low - 1) > 1e-5:
        assert (float(low) > 100) == (ratio.low > 1)
    if abs(ratio.high - 1) > 1e-5:
        assert (float(high.lstrip(">")) > 100) == (ratio.high > 1)
