"""The gate's page: to the last byte, how it fits a terminal, and an interrupted one."""

from __future__ import annotations

import json
from pathlib import Path

import golden
import msgspec
import pytest
from samples.questions.gates import FAILED, OPEN, decided, figure, page

from hopcost.record.contents.run import Ending, StopReason
from hopcost.report import Format
from hopcost.report.questions.gate.document import append, last_line
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.questions.gate.decision import decide
from hopcost.statistics.questions.gate.gate import GateResult


@pytest.mark.parametrize(("format", "ending"), [(Format.TEXT, "txt"), (Format.MARKDOWN, "md"), (Format.JSON, "json")])
def test_the_summary_to_the_last_byte(slower: GateResult, format: Format, ending: str) -> None:
    golden.compare(f"questions/gate/report.{ending}", page(slower, format))


def test_it_fits_a_small_terminal(slower: GateResult) -> None:
    lines = page(slower).splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) <= 20


def test_details_have_three_decimals_p_and_the_machine(slower: GateResult) -> None:
    more = page(slower, details=True)
    assert more.startswith(page(slower))
    for words in ("0.900 (0.900–0.900)", "P < 0.001", "seed 1", "Abacus 2", "6 server starts"):
        assert words in more.replace("\n  ", " ")


def test_as_many_digits_as_decide(slower: GateResult) -> None:
    """The range ends at 0.9712 and the limit is 0.9709: with one decimal both would read −2.9 %."""
    near = decided(slower, OPEN, figure(THROUGHPUT, (0.839, 0.903, 0.9712), OPEN, 100.0))
    (line,) = [line for line in page(near).splitlines() if line.startswith("  throughput ")]
    assert line.split() == [
        "throughput", "−9.70", "%", "(−16.10", "to", "−2.88)", "−2.91", "%", "not", "settled",
    ]  # fmt: skip


def test_an_interrupted_gate_tells_what_was_measured_and_decides_nothing(slower: GateResult) -> None:
    ending = Ending(experiment="gate", why=StopReason.INTERRUPTED, detail="interrupted")
    experiment = msgspec.structs.replace(slower.experiment, ending=ending)
    decision = decide(experiment, slower.decision.figures)
    stopped = msgspec.structs.replace(slower, experiment=experiment, decision=decision)
    words = page(stopped)
    assert "INTERRUPTED  Nothing is decided; the figures are of 6 server starts." in words and "failed" not in words
    (line,) = [line for line in words.splitlines() if line.startswith("  throughput ")]
    assert "−10.00 %" in line and line.endswith("no verdict")
    assert "next    hopcost gate small/links/unix --after origin.work_rounds=50\n" in words
    assert words.endswith("exit 130: interrupted, nothing is decided\n")
    data = json.loads(page(stopped, Format.JSON))
    assert (data["outcome"], data["exit_code"], data["why"]) == ("not settled", 130, "interrupted")
    assert last_line(stopped).startswith("gate interrupted (exit code 130); record: ")


def test_what_does_not_work_after_the_change_is_not_called_slower(slower: GateResult) -> None:
    broken = decided(slower, FAILED, why="after failed: origin ended with exit code 1")
    words = page(broken)
    assert "FAILED  It does not work after the change: after failed" in words
    assert words.endswith("exit 1: it does not work after the change\n") and "margin\n" not in words


def test_the_summary_of_a_job_ends_in_sentences(slower: GateResult, tmp_path: Path) -> None:
    """Whoever reads it is on another machine, where `record  gate` says nothing."""
    summary = tmp_path / "summary.md"
    append(decided(slower, OPEN, figure(THROUGHPUT, (0.95, 0.98, 1.01), OPEN, 100.0)), summary)
    text = summary.read_text()
    assert "- Exit code 4: neither passed nor failed.\n- Next: hopcost gate small/links/unix" in text
    assert "- The record is the folder records/gate of the runner: keep it as an artifact.\n" in text
    assert "\nrecord " not in text and "<br>" not in text
