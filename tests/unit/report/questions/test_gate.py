"""The gate's answer: to the last byte, its sentence, the digits that decide, and what to do next."""

from __future__ import annotations

import json
from pathlib import Path

import golden
import msgspec
import pytest
from mock_rig import MockRig, measured, question

from hopcost.record.run import Ending, StopReason
from hopcost.report import Format, render
from hopcost.report.questions import gate
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.intervals import Interval
from hopcost.statistics.precision import Settling
from hopcost.statistics.questions.gate import FigureDecision, GateDecision, GateOutcome, GateResult, decide

PASSED, FAILED, OPEN = GateOutcome.WITHIN, GateOutcome.BEYOND, GateOutcome.NOT_SETTLED
LIMITS = {THROUGHPUT: 1 / 1.03, CPU: 1.03}


def shown(answer: GateResult) -> GateResult:
    """Without what is new with every test's run."""
    run = msgspec.structs.replace(
        answer.record.run, started_utc="2025-01-02T03:04:05Z", ended_utc="2025-01-02T03:05:15Z"
    )
    asked = msgspec.structs.replace(answer.question, path="small/links/unix")
    content = msgspec.structs.replace(answer.record, run=run, path=Path("records/gate"))
    return msgspec.structs.replace(answer, record=content, question=asked)


@pytest.fixture
def slower(ready: MockRig, tmp_path: Path) -> GateResult:
    """A gate whose side after gives a tenth fewer answers."""
    ready.answers["after"] = 90
    return shown(measured(ready, tmp_path, question(tmp_path, "origin.work_rounds=50")))


def figure(name: str, ends: tuple[float, float, float], outcome: GateOutcome, seconds: float = 0.0) -> FigureDecision:
    """A figure with the low end, value and high end of its ratio; `seconds` settle an open one, 0: nothing does."""
    low, value, high = ends
    settling = Settling(half_width=0.1, target=0.01, starts=10, seconds=seconds) if seconds else None
    ratio = Interval(value=value, low=low, high=high)
    return FigureDecision(name, ratio, LIMITS[name], True, outcome, to_settle=settling)


def decided(answer: GateResult, outcome: GateOutcome, *figures: FigureDecision, why: str | None = None) -> GateResult:
    return msgspec.structs.replace(answer, decision=GateDecision(outcome, list(figures), why))


def page(answer: GateResult, format: Format = Format.TEXT, *, details: bool = False) -> str:
    return render(gate.gate_report(answer, details=details), format)


@pytest.mark.parametrize(("format", "ending"), [(Format.TEXT, "txt"), (Format.MARKDOWN, "md"), (Format.JSON, "json")])
def test_the_summary_to_the_last_byte(slower: GateResult, format: Format, ending: str) -> None:
    golden.compare(f"questions/gate/report.{ending}", page(slower, format))


def test_it_fits_a_small_terminal(slower: GateResult) -> None:
    lines = page(slower).splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) <= 20


def test_details_have_three_decimals_p_and_the_machine(slower: GateResult) -> None:
    more = page(slower, details=True)
    assert more.startswith(page(slower))
    for words in ("0.900 [0.900, 0.900]", "P < 0.001", "seed 1", "Abacus 2", "6 starts"):
        assert words in more.replace("\n  ", " ")


def test_the_sentence_of_a_pass_names_the_worst_that_it_can_be(slower: GateResult) -> None:
    both = [figure(THROUGHPUT, (0.988, 1.001, 1.01), PASSED), figure(CPU, (0.97, 0.98, 0.99), PASSED)]
    words = gate.sentence(decided(slower, PASSED, *both))
    assert words == "At most 1.2 % slower (limit 2.9 %) and no more CPU per request."


def test_the_sentence_of_a_failure_names_the_least_that_it_can_be(slower: GateResult) -> None:
    both = [figure(THROUGHPUT, (0.8, 0.82, 0.84), FAILED), figure(CPU, (0.9, 1.0, 1.1), OPEN, 10.0)]
    assert gate.sentence(decided(slower, FAILED, *both)) == "At least 16.0 % slower (limit 2.9 %)."


def test_as_many_digits_as_decide(slower: GateResult) -> None:
    """The range ends at 0.9712 and the limit is 0.9709: with one decimal both would read −2.9 %."""
    near = decided(slower, OPEN, figure(THROUGHPUT, (0.839, 0.903, 0.9712), OPEN, 100.0))
    (line,) = [line for line in page(near).splitlines() if "throughput" in line]
    assert line.split() == [
        "throughput", "−9.70", "%", "(−16.10", "to", "−2.88)", "−2.91", "%", "not", "settled",
    ]  # fmt: skip


def test_what_is_open_tells_the_time_and_the_command(slower: GateResult) -> None:
    """Ten more starts take 100 s, so a start takes 10 s; six were done: a new gate takes 160 s."""
    near = decided(slower, OPEN, figure(THROUGHPUT, (0.95, 0.98, 1.01), OPEN, 100.0))
    words = page(near)
    assert "UNDECIDED  70 s could not settle it; about 2.7 min would." in words
    assert "--after origin.work_rounds=50 --time 3m" in words and "exit 4: neither passed nor failed" in words


def test_a_run_that_would_end_sooner_gets_a_precision(slower: GateResult) -> None:
    plan = msgspec.structs.replace(slower.record.plan, precision=0.02)
    usual = msgspec.structs.replace(slower, record=msgspec.structs.replace(slower.record, plan=plan))
    near = decided(usual, OPEN, figure(THROUGHPUT, (0.95, 0.98, 1.01), OPEN, 100.0))
    assert "--time 3m --precision 1%" in page(near)


def test_what_no_time_settles_asks_for_another_margin(slower: GateResult) -> None:
    close = decided(slower, OPEN, figure(CPU, (1.01, 1.03, 1.052), OPEN, 1e9))
    words = " ".join(page(close).split())
    assert "too close to the limit for any time" in words and "--margin 5.5%" in words


def test_without_a_verdict_the_reason_stands_in_the_sentence(slower: GateResult) -> None:
    biased = decided(slower, OPEN, figure(CPU, (1.0, 1.01, 1.02), OPEN), why="before differs from itself here")
    words = page(biased)
    assert "UNDECIDED  No verdict: before differs from itself" in words and "no verdict" in words


def test_both_sides_alike_show_the_noise(slower: GateResult) -> None:
    same = msgspec.structs.replace(slower, is_same=True)
    assert "! Both sides are identical, so this shows the machine's noise." in page(same)


def test_noise_beyond_the_limit_changes_the_reading(slower: GateResult) -> None:
    floor = Interval(value=1.03, low=0.75, high=1.41)
    noisy = msgspec.structs.replace(slower, experiment=msgspec.structs.replace(slower.experiment, aa_floor=floor))
    assert "! Before against itself: +3 % (−25 to +41). The noise is wider than the limit." in page(noisy)


def test_an_interrupted_gate_tells_what_was_measured_and_decides_nothing(slower: GateResult) -> None:
    ending = Ending(experiment="gate", why=StopReason.INTERRUPTED, detail="interrupted")
    experiment = msgspec.structs.replace(slower.experiment, ending=ending)
    decision = decide(experiment, slower.decision.figures)
    stopped = msgspec.structs.replace(slower, experiment=experiment, decision=decision)
    words = page(stopped)
    assert "INTERRUPTED  Nothing is decided; the figures are of 6 starts." in words and "failed" not in words
    (line,) = [line for line in words.splitlines() if "throughput" in line]
    assert "−10.00 %" in line and line.endswith("no verdict")
    assert "next    hopcost gate small/links/unix --after origin.work_rounds=50\n" in words
    assert words.endswith("exit 130: interrupted, nothing is decided\n")
    data = json.loads(page(stopped, Format.JSON))
    assert (data["outcome"], data["exit_code"], data["why"]) == ("not settled", 130, "interrupted")
    assert gate.last_line(stopped).startswith("gate interrupted (exit code 130); record: ")
