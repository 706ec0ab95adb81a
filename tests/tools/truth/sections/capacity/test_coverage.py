"""A few simulated searches hold the truth; ranges that are too narrow are caught."""

from __future__ import annotations

import pytest

from hopcost.statistics.intervals import Interval
from tools.truth.form import Form
from tools.truth.lines import Figures
from tools.truth.sections.capacity.coverage import COVERED_LEAST, RUNS, Setting, counted, run, settings_of, verdicts
from tools.truth.sections.coverage.judge import probability_of_so_few

SHORT = settings_of(Form.SHORT)
SEARCHES = 4


def batch(covers: int, near: int, searches: int = 100) -> Figures:
    return {"searches": searches, "ranges": searches, "covers": covers, "near": near, "half_width": 0.03}


def test_ranges_of_simulated_searches_hold_the_truth() -> None:
    """Not significantly below what is promised: at one in a thousand, so that another seed is no lottery."""
    batches = [run(setting, 0, SEARCHES) for setting in SHORT]
    whole = {name: sum(figures[name] for figures in batches) for name in ("searches", "ranges", "covers", "near")}
    assert whole["searches"] == SEARCHES * len(SHORT)
    assert whole["ranges"] > 0.9 * whole["searches"]
    assert probability_of_so_few(whole["covers"], whole["ranges"], COVERED_LEAST) > 0.001
    assert whole["near"] >= 0.85 * whole["searches"]


def test_a_search_is_counted_by_its_range() -> None:
    wide, off = Interval(value=102.0, low=95.0, high=109.0), Interval(value=110.0, low=104.0, high=116.0)
    no_ends = Interval(value=99.0, low=None, high=None)
    figures = counted([wide, off, no_ends, None], 100.0)
    assert figures == {
        "searches": 4,
        "ranges": 2,
        "covers": 1,
        "near": 2,
        "half_width": pytest.approx((7 / 102 + 6 / 110) / 2, abs=1e-5),
    }


def test_too_few_that_hold_or_come_near_are_a_no() -> None:
    good, narrow, wrong = SHORT[:3]
    words = verdicts({good: [batch(93, 90)], narrow: [batch(75, 95)], wrong: [batch(96, 60)]}, wanted=1)
    assert words == {good: "yes", narrow: "no", wrong: "no"}
    assert verdicts({good: [batch(93, 90)]}, wanted=2) == {good: "unfinished: 1 of 2 runs"}


def test_the_short_form_is_a_corner_of_the_grid() -> None:
    assert set(SHORT) < set(settings_of(Form.FULL)) and RUNS.short < RUNS.full
    assert len({setting.name for setting in settings_of(Form.FULL)}) == len(settings_of(Form.FULL))
    assert Setting("two, 1 ms", 20, 0.03, 120.0) in SHORT
