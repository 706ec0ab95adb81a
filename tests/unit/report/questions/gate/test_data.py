"""The gate's JSON says all that its text does."""

from __future__ import annotations

import json

from samples.questions.gates import OPEN, decided, disturbed, figure, page

from hopcost.report import Format
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.questions.gate.gate import GateResult


def test_an_open_and_disturbed_gate_has_the_cautions_and_who_disturbed(slower: GateResult) -> None:
    near = decided(slower, OPEN, figure(THROUGHPUT, (0.95, 0.98, 1.01), OPEN, 100.0))
    content = json.loads(page(disturbed(near, 2), Format.JSON))
    assert content["confidence_of_each_end"] == 0.95
    assert content["to_settle"] == {
        "half_width_share": 0.1,
        "half_width_share_needed": 0.01,
        "more_starts": 10,
        "more_seconds": 100.0,
        "is_doubtful": True,
    }
    first, second = content["disturbed_starts"]
    assert (first["start"], second["start"]) == (1, 2)
    assert first["reasons"] == ["other programs used 33 % of the CPU: python3 (pid 812)"]
    assert first["programs"] == [{"name": "python3", "pid": 812, "cpu_ns": 1_000_000_000}]
    (caution,) = content["cautions"]
    assert caution.startswith("In 2 of 6 server starts other programs used 33 % of the CPU")
    assert content["noise"]["is_wider_than_margin"] is False and content["noise"]["before_against_itself"]["value"] == 1


def test_without_a_disturbance_nothing_is_doubtful(slower: GateResult) -> None:
    near = decided(slower, OPEN, figure(THROUGHPUT, (0.95, 0.98, 1.01), OPEN, 100.0))
    content = json.loads(page(near, Format.JSON))
    assert content["to_settle"]["is_doubtful"] is False
    assert content["disturbed_starts"] == content["cautions"] == []
