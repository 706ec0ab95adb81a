"""What a screening chooses: giants that are better made, changes that fit together, the top three."""

from __future__ import annotations

import pytest

from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.conf.choice import Effects, by_themselves, fixed_giants, in_whole, rest_of, to_confirm
from hopcost.statistics.questions.conf.question import Candidate


def candidate(name: str, *, is_offered: bool = False, is_giant: bool = False) -> Candidate:
    return Candidate(name, name, [], "nothing", is_offered=is_offered, is_giant=is_giant)


def effects(**us: tuple[float, float]) -> Effects:
    """By change its effect in µs and half its range."""
    return {
        name: Interval(value=1000 * value, low=1000 * (value - half), high=1000 * (value + half))
        for name, (value, half) in us.items()
    }


def never(_one: str, _other: str) -> bool:
    return False


def pair(one: str, other: str) -> bool:
    return {one, other} == {"log", "buffer"}


@pytest.mark.parametrize(
    ("effect", "fixed"),
    [((-20.0, 1.0), ["a"]), ((-4.0, 0.5), []), ((-20.0, 25.0), []), ((5.0, 1.0), [])],
    ids=["saves", "saves too little", "may save nothing", "costs"],
)
def test_a_giant_is_fixed_if_it_saves_enough(effect: tuple[float, float], fixed: list[str]) -> None:
    assert fixed_giants([candidate("a", is_giant=True)], effects(a=effect), 50_000.0, never) == fixed


def test_of_giants_that_exclude_each_other_the_better_one_is_fixed() -> None:
    giants = [candidate("log", is_giant=True), candidate("buffer", is_giant=True)]
    assert fixed_giants(giants, effects(log=(-5.0, 1.0), buffer=(-9.0, 1.0)), 50_000.0, pair) == ["buffer"]


def test_a_giant_is_not_fixed_where_that_would_exclude_what_may_stand_in_the_diff() -> None:
    candidates = [candidate("log", is_giant=True), candidate("buffer", is_offered=True)]
    assert fixed_giants(candidates, effects(log=(-20.0, 1.0)), 50_000.0, pair) == []


def test_what_another_change_leaves_no_room_for_is_screened_by_itself() -> None:
    candidates = [candidate("log"), candidate("buffer", is_offered=True), candidate("giant", is_giant=True)]
    assert by_themselves(candidates, pair) == ["log", "giant"]
    assert rest_of(candidates, [], pair) == ["buffer"]


def test_the_rest_has_no_giant_and_nothing_that_another_excludes() -> None:
    candidates = [candidate("giant", is_giant=True), candidate("log"), candidate("buffer"), candidate("x")]
    assert rest_of(candidates, ["giant"], pair) == ["log", "x"]
    assert rest_of([candidate("buffer"), candidate("x")], ["log"], pair) == ["x"]


def test_the_rest_is_no_more_than_a_design_holds() -> None:
    assert len(rest_of([candidate(str(number)) for number in range(20)], [], never)) == 11


def test_three_are_confirmed_gains_that_are_offered_before_all_others() -> None:
    candidates = [candidate(name, is_offered=name in "ab") for name in "abcde"]
    measured = effects(a=(-1.0, 0.5), b=(-9.0, 10.0), c=(-5.0, 1.0), d=(7.0, 1.0), e=(-0.1, 1.0))
    assert to_confirm(candidates, measured) == ["a", "b", "d"]


def test_what_was_not_screened_is_not_confirmed() -> None:
    assert to_confirm([candidate("a"), candidate("b")], {**effects(a=(1.0, 1.0)), "b": None}) == ["a"]


def test_the_whole_has_what_is_offered_and_cheaper() -> None:
    candidates = [candidate(name, is_offered=name != "log") for name in ("log", "buffer", "x", "y")]
    measured = effects(log=(-5.0, 1.0), buffer=(-4.0, 1.0), x=(2.0, 1.0), y=(-1.0, 2.0))
    assert in_whole(candidates, ["log", "buffer", "x", "y"], measured, pair) == ["buffer", "y"]
