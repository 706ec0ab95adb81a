"""A gate's question, and its experiment on the mock engine."""

from __future__ import annotations

from pathlib import Path

from mocks.mock_rig import LIMITS, MockRig
from mocks.recorders import Recorder
from texts import suite_files

from hopcost.measure import loop
from hopcost.measure.protocols import before_after
from hopcost.plan.make import make_plan
from hopcost.plan.options import RunOptions
from hopcost.record import reader
from hopcost.record.contents.question import Verb, keep
from hopcost.record.writer import Writer
from hopcost.statistics.questions.gate import gate
from hopcost.statistics.questions.gate.figures import GateFigures
from hopcost.statistics.questions.gate.gate import GateQuestion, GateResult


def question(
    tmp_path: Path,
    *after: str,
    deciding: GateFigures = GateFigures.BOTH,
    text: str = suite_files.TWO_ARMS,
    point: str = "",
) -> GateQuestion:
    path = suite_files.write(tmp_path, text)
    return GateQuestion(f"{path}/links{point}/unix", [], list(after), 0.03, deciding)


def measured(rig: MockRig, tmp_path: Path, asked: GateQuestion, time_s: float = 1000.0) -> GateResult:
    """The gate's experiment on the mock engine, and its answer."""
    suite = before_after.gate_suite(asked)
    options = RunOptions(time_s=time_s, seed=1, margin=asked.margin, precision=0.003)
    planned = make_plan(suite, [], options, LIMITS)
    kept = before_after.question_to_keep(asked, suite)
    words = ["hopcost", "gate"]
    with Writer(tmp_path / "record", suite, planned, {"cpu": "Abacus 2"}, words, keep(Verb.GATE, kept)) as writer:
        loop.measure_plan(planned, rig, writer, Recorder())
    return gate.read_gate(kept, reader.read_record(tmp_path / "record"))
