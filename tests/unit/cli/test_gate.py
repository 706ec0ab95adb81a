"""The margin on the command line of `hopcost gate`."""

from __future__ import annotations

import pytest

from hopcost.cli.shared.arguments import margin_fraction
from hopcost.errors import UsageError


@pytest.mark.parametrize(("text", "margin"), [("3%", 0.03), ("3", 0.03), ("0.5 %", 0.005)])
def test_a_margin_is_a_percentage(text: str, margin: float) -> None:
    assert margin_fraction(text) == pytest.approx(margin)


@pytest.mark.parametrize("text", ["", "three", "0", "-3%", "51%", "nan", "3%%"])
def test_what_is_no_margin(text: str) -> None:
    with pytest.raises(UsageError, match=r"--margin: expected a percentage from 0\.1 to 50"):
        margin_fraction(text)
