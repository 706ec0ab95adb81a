"""What changes the reading of a gate's table."""

from __future__ import annotations

import msgspec
import pytest
from samples.questions.gates import OPEN, decided, disturbed, figure, page

from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.gate.gate import GateResult


def test_both_sides_alike_show_the_noise(slower: GateResult) -> None:
    same = msgspec.structs.replace(slower, question=msgspec.structs.replace(slower.question, is_same=True))
    assert "! Both sides are identical, so this shows the machine's noise." in page(same)


def test_noise_beyond_the_limit_changes_the_reading(slower: GateResult) -> None:
    floor = Interval(value=1.03, low=0.75, high=1.41)
    noisy = msgspec.structs.replace(slower, experiment=msgspec.structs.replace(slower.experiment, aa_floor=floor))
    assert "! Noise: before measured twice differed by +3 % (−25 to +41). That is wider than the limit." in " ".join(
        page(noisy).split()
    )


@pytest.mark.parametrize(
    ("name", "ends", "words"),
    [
        (THROUGHPUT, (0.843, 0.912, 0.984), "? throughput: slower for certain, but perhaps by less than 2.9 %."),
        (CPU, (1.01, 1.03, 1.05), "? CPU/request: more CPU for certain, but perhaps by less than 3.0 %."),
        (THROUGHPUT, (0.90, 0.93, 0.968), "? throughput: slower, but the two figures share the doubt"),
        (THROUGHPUT, (0.95, 0.98, 1.01), None),
        (CPU, (0.97, 1.01, 1.04), None),
    ],
)
def test_an_open_figure_whose_range_is_on_one_side_of_no_change_says_why(
    slower: GateResult, name: str, ends: tuple[float, float, float], words: str | None
) -> None:
    """A range wholly below 0 that is "not settled" reads like a mistake."""
    text = page(decided(slower, OPEN, figure(name, ends, OPEN, 100.0)))
    assert ("? " in text) is (words is not None)
    assert words is None or words in text


def test_the_cause_of_a_disturbance_stands_below_the_table_once(slower: GateResult) -> None:
    text = " ".join(page(disturbed(slower, 6)).split())
    assert "! In all 6 server starts other programs used 33 % of the CPU: figures may be off" in text
    assert "run again" not in text


@pytest.mark.parametrize(("errors", "words"), [(1, "had 1 error: only"), (2000, "had 2,000 errors: only")])
def test_errors_are_counted_in_words(slower: GateResult, errors: int, words: str) -> None:
    first, *others = slower.experiment.arms
    arms = [msgspec.structs.replace(first, errors={"read": errors}), *others]
    faulty = msgspec.structs.replace(slower, experiment=msgspec.structs.replace(slower.experiment, arms=arms))
    assert f"{first.name} {words}" in " ".join(page(faulty).split())
