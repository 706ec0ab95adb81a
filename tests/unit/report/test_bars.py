"""A bar with its range."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopcost.report.bars import draw
from hopcost.report.document import Bar


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (1.0, 1.0, "███████████████"),
        (0.55, 0.81, "████████▒▒▒▒"),
        (0.21, 0.48, "███▒▒▒▒"),
        (0.0, 0.0, ""),
        (0.02, 0.02, "▎"),
        (0.9, 4.0, "██████████████▒"),
    ],
)
def test_solid_to_the_low_end_and_shaded_to_the_high_one(low: float, high: float, shown: str) -> None:
    assert draw(Bar(low, high, 1.0), 15) == shown


@given(st.floats(0, 10), st.floats(0, 10), st.floats(0.1, 10), st.integers(1, 40), st.booleans())
def test_it_is_never_wider_than_asked(low: float, more: float, most: float, width: int, ascii: bool) -> None:
    shown = draw(Bar(low, low + more, most), width, ascii)
    assert len(shown) <= width and shown == shown.rstrip()
    assert not ascii or shown.isascii()
