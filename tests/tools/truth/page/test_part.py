"""What sections share: the interval of a median."""

from __future__ import annotations

from tools.truth.page.part import median_interval


def test_a_median_has_an_interval_by_the_order_of_its_values() -> None:
    told = median_interval([float(value) for value in range(15)])
    assert told is not None and (told.value, told.low, told.high) == (7.0, 3.0, 11.0), "ranks 4 and 12 of 15: Conover"
    told = median_interval([3.0, 1.0, 2.0, 6.0, 5.0, 4.0])
    assert told is not None and (told.value, told.low, told.high) == (3.5, 1.0, 6.0)
    assert median_interval([1.0] * 5) is None, "of five, even the smallest and the largest miss it in 6 %"
    assert median_interval([]) is None
