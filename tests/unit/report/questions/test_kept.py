"""The answer of a verb, read again from its record."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from mocks import confs, fronts
from mocks.gates import measured, question
from mocks.mock_rig import MockRig
from samples.written import written

from hopcost.errors import UsageError
from hopcost.record import reader
from hopcost.report import Format, render
from hopcost.report.questions.conf.words import diff_text
from hopcost.report.questions.front import front_report
from hopcost.report.questions.gate import gate_report
from hopcost.report.questions.kept import kept_answer, kept_diff


def test_a_record_of_fronts_gives_the_same_answer_again(rig: MockRig, tmp_path: Path) -> None:
    answer = fronts.express(rig, tmp_path, "keepalive,unix")
    again = kept_answer(reader.read_record(tmp_path / "record"))
    assert again is not None
    assert render(again, Format.TEXT) == render(front_report(answer), Format.TEXT)


def test_a_gates_record_gives_the_same_answer_again(ready: MockRig, tmp_path: Path) -> None:
    answer = measured(ready, tmp_path, question(tmp_path))
    again = kept_answer(reader.read_record(tmp_path / "record"), details=True)
    assert again is not None
    assert render(again, Format.TEXT) == render(gate_report(answer, details=True), Format.TEXT)
    assert "Both sides are identical" in render(again, Format.TEXT)


def test_a_gate_that_was_killed_decides_nothing(ready: MockRig, tmp_path: Path) -> None:
    """What it has so far may please: whoever kills it then must not have chosen the outcome."""
    measured(ready, tmp_path, question(tmp_path))
    record = reader.read_record(tmp_path / "record")
    killed = msgspec.structs.replace(record, run=msgspec.structs.replace(record.run, endings=[], ended_utc=None))
    again = kept_answer(killed)
    assert again is not None
    assert "INTERRUPTED  Nothing is decided; the figures are of 6 server starts." in render(again, Format.TEXT)


def test_a_plain_record_has_no_question(tmp_path: Path) -> None:
    assert kept_answer(reader.read_record(written(tmp_path / "r"))) is None


def test_a_damaged_question_is_a_clear_error_and_the_record_stays_readable(rig: MockRig, tmp_path: Path) -> None:
    fronts.express(rig, tmp_path)
    path = tmp_path / "record" / "question.json"
    path.write_text(json.dumps({"verb": "front", "content": {"command": 3}}))
    record = reader.read_record(tmp_path / "record")
    with pytest.raises(UsageError, match=r"question\.json: .*command"):
        kept_answer(record)


def test_the_diff_alone_is_what_the_answer_ends_with(tmp_path: Path) -> None:
    answer = confs.measured(tmp_path)
    diff = kept_diff(reader.read_record(answer.record.path))
    assert diff == diff_text(answer)
    assert diff.endswith("--- nginx.conf\n+++ nginx.conf\n+ buffer=64k;\n+keepalive 64;\n")


def test_a_record_without_a_diff_says_so(tmp_path: Path) -> None:
    answer = confs.measured(tmp_path, costs_us={})
    with pytest.raises(UsageError, match="no change of it is worth one"):
        kept_diff(reader.read_record(answer.record.path))
    with pytest.raises(UsageError, match="only records of hopcost conf have one"):
        kept_diff(reader.read_record(written(tmp_path / "r")))
