"""A record whose plan grows: after each phase it can be read, with suite and question as far as they are known."""

from __future__ import annotations

from pathlib import Path

from mocks import confs
from mocks.confs import CostingRig, MockMachine
from mocks.recorders import RunRecorder

from hopcost.measure.protocols.conf.growing import GrowingRecord
from hopcost.measure.protocols.conf.suite import Phase
from hopcost.plan.options import RunOptions
from hopcost.record import reader
from hopcost.statistics.questions.conf.question import ConfQuestion


def test_each_phase_adds_to_the_plan_and_the_suite(tmp_path: Path) -> None:
    plan = confs.plan_of()
    rig = CostingRig(plan, {})
    options = RunOptions(seed=1, folder=tmp_path / "record")
    with GrowingRecord(plan, options, MockMachine(rig), RunRecorder()) as record:
        assert record.read() is None
        with record.phase([Phase("giants", "?", {"giants": [], "giants-a": []})], 10.0, plan.question) as first:
            assert [planned.name for planned in first.plan.experiments] == ["giants"]
        with record.phase([Phase("confirmed", "?", {"as-is": [], "a": []})], 20.0, plan.question) as second:
            assert [planned.name for planned in second.plan.experiments] == ["confirmed"]
            assert second.plan.time_s == 20.0
        read = record.read()
        assert read is not None
        assert [planned.name for planned in read.plan.experiments] == ["giants", "confirmed"]
        assert set(read.suite.configurations) == {"giants", "giants-a", "as-is", "a"}
        assert read.run.ended_utc is None
    assert reader.read_record(tmp_path / "record").run.ended_utc is not None


def test_the_question_is_that_of_the_last_phase(tmp_path: Path) -> None:
    answer = confs.measured(tmp_path)
    assert answer.question.confirmed
    assert isinstance(answer.question, ConfQuestion)
