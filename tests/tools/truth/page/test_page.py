"""docs/explain/truth.md: which form and which method its sections are of, and how long the short form takes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
from samples.truth import HERE, line

from hopcost.errors import MeasurementFailed
from hopcost.plan.method import METHOD
from tools.truth import __main__ as command
from tools.truth import kept, lines, made_with
from tools.truth.form import SHORT_S, Form, Runs
from tools.truth.page import page as truth
from tools.truth.page import part

RUNS = Runs(full=4, short=2)


class Mock(part.Section):
    """Runs that give 1; all of them hold."""

    key = "mock"
    heading = "# A mock"
    short_s: ClassVar[float | None] = 100.0

    def cases(self) -> list[lines.Case]:
        return [lines.Case("mock", "a", lambda _: {"a": 1.0}, RUNS.of(self.form), {})]

    def parts(self, done: lines.Sorted) -> list[part.Part]:
        runs = done.of("mock", "a")
        word = "yes" if len(runs) >= self.cases()[0].runs else part.unfinished(len(runs), self.cases()[0].runs)
        return [part.Part(["Words."], ["runs:"], [[str(len(runs))]], [word])]


class Rest(Mock):
    """Takes all the time that the others leave."""

    key = "rest"
    short_s = SHORT_S


class Long(Mock):
    """Has no short form."""

    key = "long"
    short_s = None


class Hours(Mock):
    """Needs more than a number of runs."""

    def parts(self, done: lines.Sorted) -> list[part.Part]:
        why = "unfinished: 4 runs over 6 of 24 hours"
        return [part.Part(["Words."], ["stack", "holds"], [["a", why]], [why])]


@pytest.fixture
def mocks(monkeypatch: pytest.MonkeyPatch) -> dict[str, type[part.Section]]:
    kinds: dict[str, type[part.Section]] = {"rest": Rest, "mock": Mock, "long": Long}
    monkeypatch.setattr(truth, "SECTIONS", kinds)
    monkeypatch.setattr(command, "SECTIONS", kinds)
    return kinds


def keep(folder: Path, number: int, machine: made_with.Machine | None = None, **changed: Any) -> None:
    engine = msgspec.structs.replace(made_with.build(), **changed)
    machine = machine or made_with.this_machine()
    run = msgspec.structs.replace(line("a", number), section="mock", engine=engine, machine=machine)
    lines.append(lines.path_of("mock", folder), run)


def test_the_whole_page(tmp_path: Path) -> None:
    text = truth.page(tmp_path)
    assert not truth.of_this_machine(tmp_path)[1]
    for name, section in truth.SECTIONS.items():
        left = section(tmp_path).kept.left()
        assert f"| {name} | {METHOD.number} | full | 0 of {left} done |" in text
        assert f"- **{section.asks}.** Not measured yet." in " ".join(text.split())
    assert "| 0 of 50 done |" in text, "sensitivity, with what still waits for the calibration"
    assert text.count("\n# ") == 0 and text.count("\n## ") == len(truth.SECTIONS) + 1


def test_each_section_says_its_form(tmp_path: Path, mocks: object) -> None:
    for number in range(2):
        keep(tmp_path, number)
    text = truth.page(tmp_path, Form.SHORT)
    assert f"| mock | {METHOD.number} | short | 2 of 2 done |" in text and "an hour at most" in text
    assert f"| long | {METHOD.number} | full | 0 of 4 done |" in text
    keep(tmp_path, 2)
    text = truth.page(tmp_path, Form.SHORT)
    assert f"| mock | {METHOD.number} | full | 3 of 4 done |" in text, "more is kept than the short form"


def test_a_section_is_of_the_machine_with_the_most_runs_until_this_one_has_the_full_form(
    tmp_path: Path, mocks: object
) -> None:
    here, there = made_with.this_machine().words, HERE.words
    assert there == "x, 2 cores, Linux k, idle cores as set"
    for number in range(2):
        keep(tmp_path, number, HERE)
    keep(tmp_path, 0)
    assert f"| mock | {METHOD.number} | full | 2 of 4 done | {there} |" in truth.page(tmp_path)
    keep(tmp_path, 1)
    assert f"| mock | {METHOD.number} | full | 2 of 4 done | {here} |" in truth.page(tmp_path)
    for number in (2, 3):
        keep(tmp_path, number, HERE)
    assert f"| mock | {METHOD.number} | full | 4 of 4 done | {there} |" in truth.page(tmp_path)
    fuller = f"| mock | {METHOD.number} | full | 4 of 4 done | {there} |"
    assert fuller in truth.page(tmp_path, Form.SHORT), "the short form of this one is whole, and shows less"
    for number in (2, 3):
        keep(tmp_path, number)
    assert f"| mock | {METHOD.number} | full | 4 of 4 done | {here} |" in truth.page(tmp_path)


def test_the_answer_is_of_this_machine(tmp_path: Path, mocks: Any) -> None:
    del mocks["rest"]
    for number in range(4):
        keep(tmp_path, number, HERE)
    words, holds = truth.of_this_machine(tmp_path, Form.SHORT)
    assert not holds and "Not measured yet" in words, "what another machine has does not count"
    for number in range(2):
        keep(tmp_path, number)
    words, holds = truth.of_this_machine(tmp_path, Form.SHORT)
    assert holds and words.count("\n") == 1


def test_the_short_form_holds_without_the_sections_that_have_none(tmp_path: Path, mocks: Any) -> None:
    del mocks["rest"]
    assert not truth.of_this_machine(tmp_path, Form.SHORT)[1]
    for number in range(2):
        keep(tmp_path, number)
    assert truth.of_this_machine(tmp_path, Form.SHORT)[1] and not truth.of_this_machine(tmp_path)[1]


def test_what_an_older_method_said_stays_until_this_one_has_measured(tmp_path: Path, mocks: object) -> None:
    (tmp_path / truth.OLDER).write_text("# Old\n\nOld head.\n\n## A mock\n\nOld words.\n\n### Part\n\n| a |\n")
    for number in range(3):
        keep(tmp_path, number, method=METHOD.number - 1)
    text = truth.page(tmp_path)
    assert f"3 of method {METHOD.number - 1}" in text and "Old words.\n\n### Part" in text and "Old head" not in text
    assert "| mock | 2 |  | of an older method |" in text and not truth.of_this_machine(tmp_path)[1]
    assert text.count("*By method 2, on the machine") == 3
    keep(tmp_path, 0)
    text = truth.page(tmp_path)
    assert f"| mock | {METHOD.number} | full | 1 of 4 done |" in text and "Not finished: 1 of 4 runs" in text


def test_runs_that_are_all_there_and_not_enough_are_not_called_unmeasured(tmp_path: Path, mocks: Any) -> None:
    mocks["mock"] = Hours
    for number in range(4):
        keep(tmp_path, number)
    said = " ".join(truth.page(tmp_path).split())
    assert f"- **{Hours.asks}.** Not finished: 4 runs over 6 of 24 hours." in said


def test_the_one_that_takes_the_rest_of_the_hour_comes_last(mocks: object) -> None:
    assert [kind.key for kind in command.turns(Form.SHORT, None)] == ["mock", "rest"]
    assert [kind.key for kind in command.turns(Form.FULL, None)] == ["rest", "mock", "long"]
    assert [kind.key for kind in command.turns(Form.SHORT, "long")] == []


def test_the_short_form_ends_within_an_hour(monkeypatch: pytest.MonkeyPatch, mocks: object) -> None:
    given: list[tuple[str, float]] = []
    monkeypatch.setattr(command, "require_built", lambda: None)
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0 * len(given))
    monkeypatch.setattr(kept.Kept, "measure", lambda self, at_most_s: given.append((self.path.stem, at_most_s)))
    command.measure(Form.SHORT, None, SHORT_S)
    assert given == [("mock", 100.0), ("rest", SHORT_S - 1000.0)]
    given.clear()
    command.measure(Form.FULL, "mock", float("inf"))
    assert given == [("mock", float("inf"))]


def test_a_section_that_fails_does_not_keep_the_others_from_being_measured(
    monkeypatch: pytest.MonkeyPatch, mocks: object, capsys: pytest.CaptureFixture[str]
) -> None:
    measured: list[str] = []

    def measure(file: kept.Kept, _at_most_s: float) -> None:
        measured.append(file.path.stem)
        if file.path.stem == "rest":
            raise MeasurementFailed("5 runs in a row failed")

    monkeypatch.setattr(command, "require_built", lambda: None)
    monkeypatch.setattr(kept.Kept, "measure", measure)
    command.measure(Form.FULL, None, float("inf"))
    assert measured == ["rest", "mock", "long"] and "rest: 5 runs in a row failed" in capsys.readouterr().err


def test_the_real_sections_leave_time_for_the_last(tmp_path: Path) -> None:
    kinds = [kind for kind in truth.SECTIONS.values() if kind.short_s is not None]
    assert sum(kind.short_s or 0.0 for kind in kinds if kind.short_s != SHORT_S) <= SHORT_S - 600
    for kind in kinds:
        cases = kind(tmp_path, Form.SHORT, HERE).cases()  # no real machine, so no records of this one count
        if kind.short_s != SHORT_S:
            assert sum(case.runs * case.seconds for case in cases) <= (kind.short_s or 0.0), kind.key
