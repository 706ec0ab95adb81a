"""Edits that touch, edits of several changes, and how the time is shared."""

from __future__ import annotations

import pytest
from mocks import confs

from hopcost.measure.protocols.conf.plan import conf_time, joined, overlap
from hopcost.nginx.edits import Edit


@pytest.mark.parametrize(
    ("other", "touches"),
    [
        (Edit("a", 10, 20, "x"), False),  # the same
        (Edit("a", 10, 20, "y"), True),
        (Edit("a", 15, 15, "y"), True),
        (Edit("a", 10, 10, "y"), True),  # before it: what stands there is written anew
        (Edit("a", 20, 20, "y"), True),
        (Edit("a", 9, 9, "y"), False),
        (Edit("a", 20, 30, "y"), False),  # the next one
        (Edit("a", 0, 40, ""), True),
        (Edit("b", 10, 20, "y"), False),
    ],
)
def test_two_changes_exclude_each_other_if_they_touch_the_same_text(other: Edit, touches: bool) -> None:
    own = Edit("a", 10, 20, "x")
    assert overlap([own], [other]) is touches
    assert overlap([other], [own]) is touches


def test_two_insertions_at_one_place_are_both_made() -> None:
    assert not overlap([Edit("a", 5, 5, "x;")], [Edit("a", 5, 5, "y;")])


def test_an_edit_that_two_changes_share_is_made_once() -> None:
    shared, own = Edit("a", 1, 2, "x"), Edit("a", 4, 4, "y")
    assert joined([shared], [shared, own]) == [shared, own]


def test_the_buffer_of_a_log_excludes_that_it_is_switched_off() -> None:
    plan = confs.plan_of()
    assert plan.excludes("access-log-off", "access-log-buffer")
    assert not plan.excludes("access-log-off", "keepalive")


@pytest.mark.parametrize(
    ("seconds", "quick", "whole"), [(None, False, 270.0), (None, True, 80.0), (540.0, True, 540.0)]
)
def test_the_phases_share_the_time(seconds: float | None, quick: bool, whole: float) -> None:
    time = conf_time(seconds, quick=quick)
    assert time.whole_s == whole
    assert time.giants_s / time.rest_s == pytest.approx(1 / 3, rel=0.01)
    assert time.giants_s + time.rest_s < whole / 3
