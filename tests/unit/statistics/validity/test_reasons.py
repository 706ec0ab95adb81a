"""Reasons of blocks in words, and by kind."""

from __future__ import annotations

import pytest

from hopcost.record.contents.evidence import OtherProgram
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.statistics.validity.reasons import SENTENCES, group_reasons, sentences, shorten_reasons

LATE = "of the requests were sent late though a connection was free"
OTHERS = "of the CPU"
IN_WORDS = {ReasonKind.ENGINE, ReasonKind.BROKE_OFF}


def late(share: float, arm: str = "direct", rate_per_s: float | None = 1600) -> Reason:
    return Reason(ReasonKind.LATE, arm, rate_per_s, share)


def others(share: float, *programs: tuple[str, int]) -> Reason:
    named = [OtherProgram(name, pid, cpu_ns=1) for name, pid in programs]
    return Reason(ReasonKind.OTHER_PROGRAMS, value=share, programs=named)


def plain(kind: ReasonKind, *values: float) -> list[Reason]:
    return [Reason(kind, value=value) for value in values]


def broke_off(text: str) -> Reason:
    return Reason(ReasonKind.BROKE_OFF, text=text)


def test_each_kind_has_a_sentence_or_stands_as_it_is() -> None:
    assert set(SENTENCES) == set(ReasonKind) - IN_WORDS


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        ([late(0.061)], f"direct at 1,600/s: 6.1 % {LATE}"),
        ([late(share) for share in (0.072, 0.12, 0.061)], f"direct at 1,600/s: 6.1 to 12 % {LATE}"),
        ([late(0.061, arm) for arm in ("a", "b-aa")], f"a and b-aa at 1,600/s: 6.1 % {LATE}"),
        ([late(0.07, arm, rate) for arm in "abc" for rate in (1600, 800)], f"3 stacks at 800 to 1,600/s: 7 % {LATE}"),
        ([late(0.07, rate_per_s=rate) for rate in (1e6, 1.5e6)], f"direct at 1,000,000 to 1,500,000/s: 7 % {LATE}"),
        ([late(0.07, "a", rate_per_s=None), late(0.08, "b")], f"a and b at 1,600/s: 7 to 8 % {LATE}"),
        (plain(ReasonKind.OPENED_LATE, 3, 12), "3 to 12 connections were not open yet at the first slice"),
        (plain(ReasonKind.SWAPPING, 1203, 900), "the machine swapped 900 to 1,203 pages in and out"),
        (plain(ReasonKind.CLOCK_STEP, -4e7), "the wall clock was set by −40 ms meanwhile"),
        (
            plain(ReasonKind.LITTLES_LAW, 0.021, -0.03),
            "the service times are −3.0 to +2.1 % off from the requests in flight over time (Little's law)",
        ),
        (plain(ReasonKind.STEAL, 0.0604), f"the hypervisor kept 6 % {OTHERS}"),
        (
            [Reason(ReasonKind.REFERENCE_FAILED, "direct-aa")],
            "direct-aa: failed under load, and the others are compared with it",
        ),
        (
            [Reason(ReasonKind.STOOD_STILL, arm) for arm in "ab"],
            "a and b: the mean time is above p99: something stood still",
        ),
        ([broke_off("others were busy")] * 2, "others were busy"),
    ],
)
def test_reasons_of_one_kind_are_one(reasons: list[Reason], expected: str) -> None:
    assert sentences(reasons) == [expected]


@pytest.mark.parametrize(
    "texts",
    [
        ["the engine was killed by signal 9", "the engine was killed by signal 11"],
        ["app ended; its last lines:\n1 connection", "app ended; its last lines:\n2 connections"],
    ],
)
def test_reasons_in_their_own_words_are_one_if_the_words_are(texts: list[str]) -> None:
    assert sentences(map(broke_off, texts)) == texts


def test_programs_are_named_once_those_first_that_were_named_most() -> None:
    pytest_, cargo = ("pytest", 6902), ("cargo", 71)
    assert sentences([others(0.04, cargo), others(0.09, pytest_, cargo)]) == [
        f"other programs used 4 to 9 % {OTHERS}: cargo (pid 71), pytest (pid 6902)"
    ]
    compilers = [others(0.05, ("rustc", pid), ("Web Content", 3), (f"c{pid}", 4)) for pid in (1, 2)]
    assert sentences(compilers) == [
        f"other programs used 5 % {OTHERS}: rustc (2 processes), Web Content (pid 3), c1 (pid 4) and 1 more"
    ]
    assert sentences([others(0.05)]) == [f"other programs used 5 % {OTHERS}: none of them can be seen from here"]


def test_kinds_stand_as_they_first_occur_with_their_blocks() -> None:
    off = [Reason(ReasonKind.LITTLES_LAW, arm, value=value) for arm, value in (("b", 0.02), ("a", 0.01), ("a", 0.03))]
    jumped = broke_off("jumped")
    first, second = group_reasons([(4, off[0]), (2, jumped), (1, off[1]), (4, off[2])])
    assert (first.blocks, first.subject) == ([1, 4], "b and a")
    assert first.what.startswith("the service times are +1.0 to +3.0 % off")
    assert (second.blocks, second.subject, second.what) == ([2], "", "jumped")


def test_short_are_the_first_kind_and_a_number() -> None:
    assert shorten_reasons([]) == ""
    assert shorten_reasons([late(0.05)]) == f"direct at 1,600/s: 5 % {LATE}"
    both = [late(0.05, "a"), late(0.06, "b")]
    assert shorten_reasons(both) == f"a and b at 1,600/s: 5 to 6 % {LATE}"
    more = [broke_off("jumped"), broke_off("swapped")]
    assert shorten_reasons([*both, *more]) == f"a and b at 1,600/s: 5 to 6 % {LATE}; and 2 more"
