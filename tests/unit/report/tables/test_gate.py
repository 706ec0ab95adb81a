"""The gate's summary, to the last byte."""

from __future__ import annotations

from pathlib import Path

import golden
import msgspec
import pytest
from mock_rig import MockRig, measured, question

from hopcost.report import Format, render
from hopcost.report.tables import gate
from hopcost.statistics.questions.gate import GateResult


def shown(answer: GateResult) -> GateResult:
    """Without what is new with every test's run."""
    run = msgspec.structs.replace(answer.record.run, started_utc="2025-01-02T03:04:05Z")
    asked = msgspec.structs.replace(answer.question, path="small/links/unix")
    made = msgspec.structs.replace(answer.record, run=run, path=Path("records/gate"))
    return msgspec.structs.replace(answer, record=made, question=asked)


@pytest.mark.parametrize(("format", "ending"), [(Format.TEXT, "txt"), (Format.MARKDOWN, "md"), (Format.JSON, "json")])
def test_the_summary_to_the_last_byte(ready: MockRig, tmp_path: Path, format: Format, ending: str) -> None:
    ready.answers["after"] = 90
    answer = measured(ready, tmp_path, question(tmp_path, "origin.work_rounds=50"))
    golden.compare(f"questions/gate.{ending}", render(gate.gate_report(shown(answer)), format))
