"""Planted directives: what is counted of an answer, and how many directions are too many. Nothing is run."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from samples.truth import filled

from tools.truth.sections.conf.planted import FAULT, NULL, Planted, _Answer, counted, verdict


def change(name: str, words: str, worth: str, value_ns: float | None) -> dict[str, Any]:
    confirmed = None if value_ns is None else {"value": value_ns, "low": value_ns - 500, "high": value_ns + 500}
    return {"candidate": {"name": name, "words": words}, "worth": worth, "confirmed": confirmed, "screened": None}


def answer(*changes: dict[str, Any], kept: tuple[str, ...] = ()) -> _Answer:
    return msgspec.json.decode(json.dumps({"changes": changes, "kept": kept, "more": 1}), type=_Answer)


QUIET = counted(answer(change("no-real-ip", "no real_ip", "not settled", 100.0))) | {"seconds": 150.0}
ALARM = counted(answer(change("no-real-ip", "no real_ip", "costs", 700.0))) | {"seconds": 150.0}
SEEN = counted(answer(change("keepalive", "keepalive 2 → 64", "saves", -27_000.0), kept=("keepalive",)))
SEEN |= {"seconds": 150.0}


def test_directions_of_null_directives_are_counted() -> None:
    assert (QUIET["null"], QUIET["directions"]) == (1, 0)
    assert (ALARM["null"], ALARM["directions"]) == (1, 1)


def test_what_was_not_confirmed_has_no_direction() -> None:
    figures = counted(answer(change("no-real-ip", "no real_ip", "saves", None)))
    assert (figures["confirmed"], figures["null"], figures["directions"]) == (0, 0, 0)


def test_the_pool_is_found_if_it_stands_in_the_diff() -> None:
    assert (SEEN["kept"], SEEN["effect_us"], SEEN["half_width_us"]) == (1, -27, 0.5)
    assert QUIET["kept"] == 0


def test_two_of_twenty_may_have_a_direction_and_not_three() -> None:
    assert verdict(NULL, 20, [*[ALARM] * 2, *[QUIET] * 18]) == "yes"
    assert verdict(NULL, 20, [ALARM] * 3) == "no"
    assert verdict(NULL, 20, [QUIET] * 19).startswith("unfinished")


def test_without_null_directives_nothing_is_proven() -> None:
    assert verdict(NULL, 20, [SEEN] * 20) == "no: 20 runs confirmed no null directive"


def test_the_fault_must_be_found_in_eighteen_of_twenty() -> None:
    assert verdict(FAULT, 20, [*[SEEN] * 18, *[QUIET] * 2]) == "yes"
    assert verdict(FAULT, 20, [*[SEEN] * 17, *[QUIET] * 3]) == "no"


def test_the_page_has_a_row_for_each_file() -> None:
    section = Planted()
    lines, holds = section.page(filled(section, lambda case, *_: SEEN if case.name == FAULT else QUIET))
    assert holds
    assert [line.split("|")[1].strip() for line in lines if "20 of 20" in line] == [NULL, FAULT]
