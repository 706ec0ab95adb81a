"""Records found by words, labels and digests, in pages; and what there is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from histories.simulated import ARM, EXPERIMENT, SUITE, simulated_history, simulated_record

from hopcost.errors import UsageError
from hopcost.history.history import History
from hopcost.history.points import Search

FIGURES = ["throughput", "cpu_per_request", "cpu_per_request:app"]


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with History.open(str(tmp_path / "h.sqlite")) as history:
        yield history


def test_records_are_found_by_words_suite_arm_label_and_machine(history: History, tmp_path: Path) -> None:
    for number, suite in enumerate(("made-up", "made-up", "another")):
        path = simulated_record(
            tmp_path / f"run-{number}", number, suite=suite, labels={"branch": f"Branch_{number}", "who": "Ärger"}
        )
        history.keep(path)

    def days(**search: object) -> list[int]:
        found = history.records(Search(**search))  # type: ignore[arg-type]
        assert history.count(Search(**search)) == len(found)  # type: ignore[arg-type]
        return [record.started.day for record in found]

    assert days() == [3, 2, 1]
    assert days(suite="made-up") == [2, 1]
    assert days(words="ANOTHER") == [3]
    assert days(words="made run-1") == [2]
    assert days(words="branch=branch_0") == days(words="Branch_0") == [1]
    assert days(words="WHO=ÄRGER run-2") == [3]
    assert days(words="branch%0") == days(words="_a_d_e_") == [], "signs of patterns are signs like others"
    assert days(arm="behind") == days(arm="direct") == [3, 2, 1] and days(arm="beside") == []
    assert days(labels={"branch": "Branch_1"}) == [2] and days(labels={"branch": "Branch_1", "x": "y"}) == []
    assert days(machine="abacus", words="run-2") == [3] and days(machine="nobody") == []
    assert days(words="' OR 1=1 --") == []


def test_records_come_in_pages_the_newest_first(history: History, tmp_path: Path) -> None:
    for path in simulated_history(tmp_path, [0.5] * 5):
        history.keep(path)
    pages = [[record.started.day for record in history.records(limit=2, offset=offset)] for offset in (0, 2, 4, 6)]
    assert pages == [[5, 4], [3, 2], [1], []]


def test_a_few_signs_of_a_digest_name_a_record_and_its_neighbours_are_told(history: History, tmp_path: Path) -> None:
    for path in simulated_history(tmp_path, [0.5] * 2):
        history.keep(path)
    first, second = history.records()
    assert history.record(first.digest[:10].upper()) == first
    with pytest.raises(UsageError, match="no record's digest begins with 'ffff"):
        history.record("f" * 64)
    with pytest.raises(UsageError, match="4 signs"):
        history.record(first.digest[:3])
    for sign in ("%", "_"):
        with pytest.raises(UsageError, match="no record"):
            history.record(sign * 4)
    assert second.digest != first.digest


def test_what_there_is_is_listed(history: History, tmp_path: Path) -> None:
    assert history.arms() == history.machines() == []
    history.keep(simulated_record(tmp_path / "a", 1))
    history.keep(simulated_record(tmp_path / "b", 2, suite="another"))
    assert history.arms() == [("another", EXPERIMENT, ARM), (SUITE, EXPERIMENT, ARM)]
    assert history.figures(SUITE, EXPERIMENT, ARM) == FIGURES
    assert history.figures(SUITE, EXPERIMENT, "none") == []
