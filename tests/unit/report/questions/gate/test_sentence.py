"""The gate's answer in a sentence."""

from __future__ import annotations

import pytest
from samples.questions.gates import FAILED, OPEN, PASSED, decided, disturbed, figure, page

from hopcost.report.questions.gate.sentence import sentence
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions.gate.gate import GateResult


def test_the_sentence_of_a_pass_names_the_worst_that_it_can_be(slower: GateResult) -> None:
    both = [figure(THROUGHPUT, (0.988, 1.001, 1.01), PASSED), figure(CPU, (0.97, 0.98, 0.99), PASSED)]
    words = sentence(decided(slower, PASSED, *both))
    assert words == "At most 1.2 % slower (limit 2.9 %) and no more CPU per request."


def test_the_sentence_of_a_failure_names_the_least_that_it_can_be(slower: GateResult) -> None:
    both = [figure(THROUGHPUT, (0.8, 0.82, 0.84), FAILED), figure(CPU, (0.9, 1.0, 1.1), OPEN, 10.0)]
    assert sentence(decided(slower, FAILED, *both)) == "At least 16.0 % slower (limit 2.9 %)."


def test_without_a_verdict_the_reason_stands_in_the_sentence(slower: GateResult) -> None:
    biased = decided(slower, OPEN, figure(CPU, (1.0, 1.01, 1.02), OPEN), why="before differs from itself here")
    words = page(biased)
    assert "UNDECIDED  No verdict: before differs from itself" in words and "no verdict" in words


@pytest.mark.parametrize(
    ("starts", "seconds", "words"),
    [
        (6, 100.0, "70 s could not settle it, and all 6 server starts were disturbed. Perhaps 2.7 min would."),
        (1, 100.0, "70 s could not settle it, and 1 of 6 server starts were disturbed. Perhaps 2.7 min would."),
        (6, 1e9, "70 s could not settle it, and all 6 server starts were disturbed."),
        (0, 100.0, "70 s could not settle it; about 2.7 min would."),
    ],
)
def test_what_disturbed_starts_promise_is_a_perhaps(
    slower: GateResult, starts: int, seconds: float, words: str
) -> None:
    near = decided(slower, OPEN, figure(THROUGHPUT, (0.95, 0.98, 1.01), OPEN, seconds))
    assert sentence(disturbed(near, starts)) == words
