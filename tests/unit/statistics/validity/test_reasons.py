"""Reasons of blocks by kind."""

from __future__ import annotations

import pytest

from hopcost.statistics.validity.reasons import group_reasons, shorten_reasons

LATE = "of the requests were sent late though a connection was free"
OTHERS = "of the CPU time of 2 cores"


def words(*reasons: str) -> list[str]:
    return [kind.words() for kind in group_reasons(enumerate(reasons))]


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        ([f"direct: at 1600/s 6.1% {LATE}"], f"direct: at 1600/s 6.1% {LATE}"),  # once: as it is
        (["others were busy", "others were busy"], "others were busy"),
        (
            [f"direct: at 1600/s {share}% {LATE}" for share in (7.2, 12.0, 6.1)],
            f"direct at 1,600/s: 6.1 to 12.0% {LATE}",
        ),
        ([f"{arm}: at 1600/s 6.1% {LATE}" for arm in ("a", "b-aa")], f"a and b-aa at 1,600/s: 6.1% {LATE}"),
        (
            [f"{arm}: at {rate}/s 7% {LATE}" for arm in "abc" for rate in (800, 1600)],
            f"3 arms at 800 to 1,600/s: 7% {LATE}",
        ),
        (["a: at 1e+06/s late", "a: at 1.5e+06/s late"], "a at 1,000,000 to 1,500,000/s: late"),
        (
            [f"open loop: arm `{arm}`: 1.{tenth} % of its requests were late" for arm in "abcd" for tenth in (2, 7)],
            "4 arms: open loop: 1.2 to 1.7 % of its requests were late",
        ),
        (
            ["tcp: open loop: arm `tcp`: 2 % late", "tcp: open loop: arm `tcp`: 3 % late"],
            "tcp: open loop: 2 to 3 % late",
        ),
        (["3 of its 64 connections", "12 of its 64 connections"], "3 to 12 of its 64 connections"),
        (["it is +2.1% off", "it is -3.0% off"], "it is -3.0 to +2.1% off"),
        (
            ["the machine swapped 1,203 pages", "the machine swapped 900 pages"],
            "the machine swapped 900 to 1,203 pages",
        ),
        (["a: its mean is above its p99", "b: its mean is above its p99"], "a and b: its mean is above its p99"),
    ],
)
def test_reasons_of_one_kind_are_one(reasons: list[str], expected: str) -> None:
    assert words(*reasons) == [expected]


@pytest.mark.parametrize(
    "reasons",
    [
        ["the engine was killed by signal 9", "the engine was killed by signal 11"],
        ["nothing answers at 127.0.0.1:8080 any more", "nothing answers at 127.0.0.1:8081 any more"],
        ["app ended; its last lines:\n1 connection", "app ended; its last lines:\n2 connections"],
        ["its mean is above its p50 today", "its mean is above its p99 today"],
    ],
)
def test_what_is_no_figure_tells_kinds_apart(reasons: list[str]) -> None:
    assert words(*reasons) == reasons


def test_programs_are_named_once_those_first_that_were_named_most() -> None:
    pytest_, cargo = "pytest (pid 6902)", "cargo (pid 71)"
    assert words(
        f"other programs took 4 % {OTHERS}: {cargo}", f"other programs took 9 % {OTHERS}: {pytest_}, {cargo}"
    ) == [f"other programs took 4 to 9 % {OTHERS}: {cargo}, {pytest_}"]
    compilers = [
        f"other programs took 5 % {OTHERS}: rustc (pid {pid}), Web Content (pid 3), c{pid} (pid 4)" for pid in (1, 2)
    ]
    assert words(*compilers) == [
        f"other programs took 5 % {OTHERS}: rustc (2 processes), Web Content (pid 3), c1 (pid 4) and 1 more"
    ]


def test_kinds_stand_as_they_first_occur_with_their_blocks() -> None:
    first, second = group_reasons([(4, "b: 2 % off"), (2, "jumped"), (1, "a: 1 % off"), (4, "a: 3 % off")])
    assert (first.blocks, first.subject, first.what) == ([1, 4], "b and a", "1 to 3 % off")
    assert (second.blocks, second.subject, second.what) == ([2], "", "jumped")


def test_short_are_the_first_kind_and_a_number() -> None:
    assert shorten_reasons([]) == ""
    assert shorten_reasons(["a: 5 % late"]) == "a: 5 % late"
    late = ["a: 5 % late", "b: 6 % late"]
    assert shorten_reasons(late) == "a and b: 5 to 6 % late"
    assert shorten_reasons([*late, "jumped", "swapped"]) == "a and b: 5 to 6 % late; and 2 more"
