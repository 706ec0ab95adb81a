"""What the cross-check with Otava counts. Otava itself is not asked: it is in an environment of its own."""

from __future__ import annotations

import subprocess
from typing import Any

import numpy as np
import pytest

from hopcost.errors import CannotMeasure, MeasurementFailed
from tools.otava import __main__ as otava
from tools.truth.sections.changes.section import SETTINGS


def test_steps_count_if_a_change_is_near_and_changes_without_a_step_are_false() -> None:
    tally = otava.count([[40], [47], [], [3, 9], []], [41, 41, 41, None, None], near=3)
    assert (tally.found, tally.false) == ([True, False, False], 2)


def test_a_row_for_each_tool() -> None:
    ours, theirs = otava.Tally([True, True, False], 2), otava.Tally([True, False, True], 40)
    assert otava.rows(SETTINGS[0], ours, theirs) == [
        ["2 %", "3", "hopcost", "2 of 3", "1", "1", "0.10"],
        ["2 %", "3", "Otava", "2 of 3", "1", "1", "2.00"],
    ]


def test_histories_with_a_step_come_first() -> None:
    histories, steps = otava.simulate(SETTINGS[0], 3)
    assert len(histories) == len(steps) == 3 + otava.WITHOUT
    assert None not in steps[:3] and set(steps[3:]) == {None}
    again, _ = otava.simulate(SETTINGS[0], 3)
    assert all(np.array_equal(one, other) for one, other in zip(histories, again, strict=True))


def test_without_uv_or_if_otava_fails_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(CannotMeasure, match="uv is not installed"):
        otava.ask_otava([np.zeros(3)])

    def failing(*_: Any, **__: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 1, "", "no such version\n")

    monkeypatch.setattr("shutil.which", lambda *_, **__: "/bin/uv")
    monkeypatch.setattr("subprocess.run", failing)
    with pytest.raises(MeasurementFailed, match="no such version"):
        otava.ask_otava([np.zeros(3)])


def test_uv_is_taken_from_where_set_up_puts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answering(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        asked.append(command[0])
        return subprocess.CompletedProcess(command, 0, "[[]]", "")

    monkeypatch.setattr("shutil.which", lambda _, path=None: None if path is None else f"{path}/uv")
    monkeypatch.setattr("subprocess.run", answering)
    assert otava.ask_otava([np.zeros(3)]) == [[]]
    assert asked == [str(otava.SET_UP / "uv")]
