"""The engine's sentences as reasons."""

from __future__ import annotations

import pytest
from places import ROOT

from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.statistics.validity.engine import PHRASES, engine_reason

JUDGEMENT = ROOT / "crates" / "engine" / "src" / "session" / "judgement.rs"


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        (
            "arm `b-aa`: 7.2 % of its requests were sent more than 1 ms late though a connection was free",
            Reason(ReasonKind.LATE, "b-aa", 1600, 0.072),
        ),
        (
            "arm `a`: 1.1 % of its CPU time was used outside its own slices",
            Reason(ReasonKind.OUTSIDE, "a", 1600, 0.011),
        ),
        (
            "arm `a`: 3 of its 64 connections were not open yet when it was measured first",
            Reason(ReasonKind.OPENED_LATE, "a", 1600, 3),
        ),
        (
            "arm `a`: 5 times there was no local port left (net.ipv4.ip_local_port_range) for a connection",
            Reason(ReasonKind.NO_PORTS, "a", 1600, 5),
        ),
        (
            "it ended early: by a signal, or because nobody reads its output any more",
            Reason(ReasonKind.ENDED_EARLY, None, 1600),
        ),
        (
            "on bench3: arm `a`: 1.1 % of its CPU time was used outside its own slices",
            Reason(ReasonKind.OUTSIDE, "a", 1600, 0.011),
        ),
        (
            "on bench3: arm `a`: 3 of its 64 connections were not open yet when it was measured first",
            Reason(ReasonKind.OPENED_LATE, "a", 1600, 3, machine="bench3"),
        ),
        ("arm `a`: tomorrow's 3 words", Reason(ReasonKind.ENGINE, "a", 1600, text="tomorrow's 3 words")),
    ],
)
def test_a_sentence_has_a_kind_and_a_figure(sentence: str, reason: Reason) -> None:
    read = engine_reason(sentence, 1600)
    assert read.value == pytest.approx(reason.value)
    assert read == Reason(reason.kind, reason.arm, 1600, read.value, machine=reason.machine, text=reason.text)


@pytest.mark.parametrize("phrase", PHRASES)
def test_the_engine_has_such_a_sentence(phrase: str) -> None:
    assert phrase in JUDGEMENT.read_text()
