"""Several generators: the formula's response times, and how quantiles are judged. Nothing is run."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from samples.blocks import slice_of
from samples.truth import filled

from hopcost.errors import MeasurementFailed
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


def test_the_worst_generator_is_the_one_that_counts() -> None:
    punctual = [msgspec.structs.replace(slice_of("queue", 100), late=0)]
    lagging = [msgspec.structs.replace(slice_of("queue", 100), late=late) for late in (0, 4)]
    assert generators.late_most([punctual, lagging]) == pytest.approx(0.02)
    with pytest.raises(MeasurementFailed, match="what was late"):
        generators.late_most([punctual, [slice_of("queue", 100)]])


def test_a_request_without_an_answer_or_a_generator_without_times_is_refused() -> None:
    unanswered = msgspec.structs.replace(slice_of("queue", 99), sent=100)
    for pieces, words in (([unanswered], "100 requests were sent, 99"), ([slice_of("queue", 9)], "by 0 generators")):
        with pytest.raises(MeasurementFailed, match=words):
            generators.response_us([pieces])
