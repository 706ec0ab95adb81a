"""Several generators: the formula's response times, and how quantiles are judged. Nothing is run."""

from __future__ import annotations

from typing import Any

import pytest
from samples.truth import filled

from tools.truth.sections.capacity.waiting import waits_within
from tools.truth.sections.machines import generators


def test_the_formula_says_who_waits_how_long() -> None:
    for share in generators.QUANTILES.values():
        waited = generators.known_us(share) / generators.SERVICE_US - 1
        assert waits_within(waited, generators.LOAD) == pytest.approx(share, abs=1e-5)


@pytest.mark.parametrize(("four_us", "word"), [(1000.0, "yes"), (1040.0, "yes"), (1080.0, "no"), (920.0, "no")])
def test_quantiles_must_be_those_of_one(four_us: float, word: str) -> None:
    def of(_case: Any, _number: int) -> dict[str, float]:
        times = {f"{name}_one_us": 1000.0 for name in generators.QUANTILES}
        return times | {f"{name}_four_us": four_us for name in generators.QUANTILES} | {"late_one": 0, "late_four": 0}

    section = generators.SeveralGenerators()
    text, holds = section.page(filled(section, of))
    assert [row.split(" | ")[-1] for row in text if row.startswith("| p")] == [f"{word} |"] * len(generators.QUANTILES)
    assert holds is (word == "yes")
