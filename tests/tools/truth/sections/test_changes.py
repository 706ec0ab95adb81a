"""What the section on changes in a history says of its batches."""

from __future__ import annotations

from pathlib import Path

from tools.truth.form import Form
from tools.truth.lines import Figures
from tools.truth.sections.changes.section import HISTORIES, SETTINGS, ChangePoints, run, verdict


def batch(found: int = 190, false: int = 20, false_short: int = 20) -> Figures:
    return {
        "histories": 200,
        "found": found,
        "stands": found,
        "covers": found,
        "false": false,
        "records": 12_000,
        "false_short": false_short,
        "records_short": 12_000,
        "told": 3,
        "records_told": 1200,
        "learned": 0.02,
    }


def test_too_few_found_or_too_many_false_are_a_no() -> None:
    assert verdict([batch()], 1) == "yes"
    assert verdict([batch(found=180)], 1) == "yes" and verdict([batch(found=179)], 1) == "no"
    assert verdict([batch(false=60)], 1) == "yes" and verdict([batch(false=61)], 1) == "no"
    assert verdict([batch(false_short=61)], 1) == "no"
    assert verdict([batch(found=175), batch(found=190)], 2) == "yes"
    assert verdict([batch()], 2) == "unfinished: 1 of 2 runs"


def test_the_settings_are_those_that_were_set_beforehand() -> None:
    assert [(setting.spread, setting.within) for setting in SETTINGS] == [(0.02, 3), (0.03, 6), (0.04, 11)]
    assert HISTORIES == 200


def test_a_batch_is_the_same_whenever_it_is_run() -> None:
    assert run(SETTINGS[0], 3, 0.02) == run(SETTINGS[0], 3, 0.02) != run(SETTINGS[0], 4, 0.02)


def test_without_lines_the_page_says_so(tmp_path: Path) -> None:
    section = ChangePoints(tmp_path, Form.SHORT)
    body, holds = section.page(section.kept.done())
    assert not holds and any("unfinished: 0 of 1 runs" in line for line in body)
