"""What a terminal leaves out of an experiment that has more than fifteen lines."""

from __future__ import annotations

import pytest

from hopcost.report.document import Bar, BarRow, Bars, Document, Heading, Lines, Section, Style
from hopcost.report.formats import text
from hopcost.report.formats.text.room import FEWEST_ROWS, MOST_LINES, MOST_ROWS

WEIGHTY = ["! Disturbed: 6 of 6 starts; other programs used 99 % of the CPU.", "The generator shares a core."]


def experiment(rows: int, entries: list[list[str]], question: str = "What?", answer: str = "Much.") -> Section:
    bars = Bars(["", "of go"], [BarRow(f"stack-{n}", [], Bar(1, 1, 1), ["100 %"]) for n in range(rows)])
    below = Lines.of_sentences(entries, Style.CAUTIONS)
    return [Heading("one", about=question), Lines([answer], Style.ANSWER), bars, below]


def shown(section: Section) -> list[str]:
    return text.text(Document([section])).splitlines()


def test_what_has_room_stays() -> None:
    lines = shown(experiment(4, [WEIGHTY, ["No errors."]]))
    assert len(lines) == 11 and lines[-1] == "  No errors." and "more" not in " ".join(lines)


def test_the_last_cautions_go_first_and_are_counted() -> None:
    entries = [WEIGHTY, *[[f"Remark {n}: {'word ' * 14}."] for n in range(9)]]
    lines = shown(experiment(6, entries))
    assert len(lines) == MOST_LINES
    assert lines[-5].startswith("  ! Disturbed") and lines[-3].startswith("  Remark 0")
    assert lines[-1] == "  8 more cautions: --details"


@pytest.mark.parametrize("rows", [1, 4, 5, 6, 7, 8, 9, 20])
@pytest.mark.parametrize("cautions", [0, 1, 2, 5, 12])
@pytest.mark.parametrize("words", [1, 20, 40])
def test_no_experiment_has_more_than_fifteen_lines(rows: int, cautions: int, words: int) -> None:
    """As long as question and answer have seven lines at most."""
    entries = [[f"! Fault {n}: {'word ' * 20}."] for n in range(cautions)]
    lines = shown(experiment(rows, [*entries, ["No errors."]], "word " * words, "word " * words))
    assert len(lines) <= MOST_LINES
    assert min(rows, FEWEST_ROWS) <= sum(" stack-" in line for line in lines) <= MOST_ROWS
    hidden = rows - sum(" stack-" in line for line in lines)
    assert (f"{hidden} more row" in lines[-1]) == (hidden > 0)


def test_the_weightiest_caution_stays_and_rows_go() -> None:
    entries = [[f"! Fault {n}: {'word ' * 20}."] for n in range(12)]
    lines = shown(experiment(6, entries, "word " * 40, "word " * 40))
    assert len(lines) == MOST_LINES and any(line.startswith("  ! Fault 0") for line in lines)
    assert lines[-1] == "  ! 2 more rows and 11 more cautions: --details"


def test_a_count_of_what_changes_the_reading_has_its_mark() -> None:
    entries = [[f"! Fault {n}: {'word ' * 20}."] for n in range(12)]
    assert shown(experiment(4, entries))[-1].startswith("  ! ")
