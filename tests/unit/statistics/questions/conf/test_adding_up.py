"""The whole minus the sum of its parts: exact without noise, and how often noise alone is called an interaction."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from known import known
from mocks import confs
from mocks.confs import BUFFER, KEEPALIVE

from hopcost.record import reader
from hopcost.record.contents.run import Record
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.conf.adding_up import apart
from hopcost.statistics.questions.conf.result import ConfResult, read_conf

DRAWS = 30


def shaken(record: Record, dice: np.random.Generator, starts: float, rounds: float) -> Record:
    """The record as if starts of each arm differed by a share, and rounds within them too."""
    for block in record.blocks:
        for part in block.arms:
            own = dice.normal() * starts
            for piece in part.slices:
                piece.answers = max(1, round(piece.answers * np.exp(own + dice.normal() * rounds)))
    return record


def answers(folder: Path, together_us: float, starts: float) -> Sequence[ConfResult]:
    """What is read off many records of one truth."""
    answer = confs.measured(folder, confs.plan_of(candidates=[KEEPALIVE, BUFFER]), together_us=together_us)
    dice = np.random.default_rng(5)
    path = answer.record.path
    return [read_conf(answer.question, shaken(reader.read_record(path), dice, starts, 0.01)) for _ in range(DRAWS)]


def test_without_noise_the_gap_is_what_the_changes_do_only_together(tmp_path: Path) -> None:
    answer = confs.measured(tmp_path, confs.plan_of(candidates=[KEEPALIVE, BUFFER]), together_us=-5.0)
    assert known(answer.disagreement).value == pytest.approx(-5_000, rel=0.01)


def test_parts_that_add_up_are_rarely_said_to_interact_however_much_starts_differ(tmp_path: Path) -> None:
    found = answers(tmp_path, together_us=0.0, starts=0.03)
    assert sum(answer.interact is True for answer in found) <= DRAWS // 10
    assert all(answer.interact is not None for answer in found)


def test_parts_that_do_far_more_together_are_said_to_interact(tmp_path: Path) -> None:
    found = answers(tmp_path, together_us=-12.0, starts=0.01)
    assert sum(answer.interact is True for answer in found) >= DRAWS * 0.9


def test_ranges_of_experiments_without_common_starts_add_as_squares() -> None:
    whole, first, second = (Interval(value, value - half, value + half) for value, half in ((9, 2), (4, 1), (3, 2)))
    assert apart(whole, [first, second]) == Interval(2, 2 - 3, 2 + 3)
    assert apart(whole, [first, None]) is None
    assert apart(None, [first]) is None
    assert known(apart(whole, [Interval(4, None, None)])).low is None
