"""The short form of the truth about changes: simulated histories with fixed seeds, and the bars of tools/truth."""

from __future__ import annotations

import numpy as np
import pytest

from tools.truth.sections.changes.histories import Stepped, changes_in, look_for, told_in_passing
from tools.truth.sections.changes.section import PER, SETTINGS, Setting, run
from tools.truth.sections.coverage.judge import probability_of_so_few

SHARE = 0.3


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_steps_are_found_in_time_and_few_others(setting: Setting) -> None:
    """Sixty histories with a step: not significantly below 90 %, at one in a thousand."""
    figures = run(setting, 0, SHARE)
    assert figures["histories"] == 60
    assert probability_of_so_few(figures["found"], figures["histories"], 0.9) > 0.001
    assert figures["found"] >= figures["stands"] >= figures["covers"] >= 0.8 * figures["stands"] > 0
    assert PER * (figures["false"] + figures["false_short"]) / (figures["records"] + figures["records_short"]) <= 1.5
    assert figures["learned"] == pytest.approx(setting.spread, rel=0.1)


def test_a_step_counts_if_it_is_near_and_of_its_direction() -> None:
    logs = np.zeros(30)
    logs[24:] = 0.1
    assert look_for(Stepped(logs, 0.1, 24, near=3)).seen
    assert not look_for(Stepped(logs, -0.1, 24, near=3)).seen
    assert not look_for(Stepped(logs, 0.1, 12, near=3)).stands


def test_each_new_change_is_told_once() -> None:
    logs = np.zeros(30)
    logs[15:] = 0.2
    assert told_in_passing(logs) == 1 == len(changes_in(logs))
    assert told_in_passing(np.zeros(30)) == 0
