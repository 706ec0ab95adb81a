"""Objectives as people write them."""

from __future__ import annotations

import pytest

from hopcost.errors import UsageError
from hopcost.statistics.questions.capacity.objectives import Objective, read_objective, read_objectives


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p99<50ms", Objective(0.01, 50_000_000)),
        ("P99 <= 50 ms", Objective(0.01, 50_000_000)),
        ("p99.9<1.5s", Objective(0.001, 1_500_000_000)),
        ("p999<200us", Objective(0.001, 200_000)),
        ("p50<200µs", Objective(0.5, 200_000)),
        ("errors<0.1%", Objective(0.001)),
        ("error < 5 %", Objective(0.05)),
    ],
)
def test_words_are_read(text: str, expected: Objective) -> None:
    assert read_objective(text) == expected


def test_what_the_command_line_takes_it_takes_again() -> None:
    for objective in read_objectives(["p50<1.5ms", "p99.9<2s", "errors<0.5%"]):
        assert read_objective(objective.option) == objective


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("p99<50", "p99<50ms"),
        ("p99>50ms", "p99<50ms"),
        ("mean<5ms", "hides"),
        ("max<5ms", "p99.9"),
        ("p10<5ms", "p99<50ms"),
        ("p99<1us", "p99<50ms"),
        ("p99<90s", "p99<50ms"),
        ("errors<0%", "errors<0.1%"),
        ("errors<80%", "errors<0.1%"),
        ("", "p99<50ms"),
    ],
)
def test_other_words_are_refused_with_a_hint(text: str, hint: str) -> None:
    with pytest.raises(UsageError, match="--objective") as refused:
        read_objective(text)
    assert hint in (refused.value.hint or "")


@pytest.mark.parametrize(
    "texts",
    [["p99<50ms", "p99<20ms"], ["errors<1%", "errors<2%"], ["p50<100ms", "p99<50ms"], ["p99<50ms", "p99.9<50ms"]],
)
def test_objectives_of_which_one_is_pointless_are_refused(texts: list[str]) -> None:
    with pytest.raises(UsageError, match=r"two limits|says nothing"):
        read_objectives(texts)


def test_errors_are_always_limited() -> None:
    assert [objective.name for objective in read_objectives(["p50<5ms", "p99<50ms"])] == ["p50", "p99", "errors"]
