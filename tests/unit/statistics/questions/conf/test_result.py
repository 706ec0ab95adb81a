"""What a record of a configuration says: directions, the error that all candidates share, and whether parts add up."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from mocks import confs
from mocks.confs import BUFFER, KEEPALIVE, LOG

from hopcost.record import reader
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.conf.question import Candidate
from hopcost.statistics.questions.conf.result import ConfResult, Worth, read_conf
from hopcost.statistics.questions.conf.screened import confirmed_part, screened_effects


@pytest.fixture
def answer(tmp_path: Path) -> ConfResult:
    return confs.measured(tmp_path, confs.plan_of(candidates=[KEEPALIVE, BUFFER, LOG]))


def with_gap(answer: ConfResult, low: float | None, high: float | None) -> ConfResult:
    return msgspec.structs.replace(answer, disagreement=Interval(value=0.0, low=low, high=high))


@pytest.mark.parametrize(
    ("low", "high", "interact"),
    [(-1e3, 1e3, False), (0.5e3, 2e3, True), (-2e3, -0.5e3, True), (None, None, None)],
)
def test_parts_interact_if_the_range_of_the_gap_excludes_0(
    answer: ConfResult, low: float | None, high: float | None, interact: bool | None
) -> None:
    assert with_gap(answer, low, high).interact is interact


def test_nobody_knows_whether_they_interact_without_a_whole(answer: ConfResult) -> None:
    assert msgspec.structs.replace(answer, disagreement=None).interact is None


@pytest.mark.parametrize(("low", "high", "adds_up"), [(-26e3, -24e3, True), (-24e3, -23e3, False), (None, None, False)])
def test_parts_add_up_if_their_sum_lies_in_the_range_of_the_whole(
    answer: ConfResult, low: float | None, high: float | None, adds_up: bool
) -> None:
    whole = Interval(value=-25e3, low=low, high=high)
    assert msgspec.structs.replace(answer, together=whole, added_up=-25e3).adds_up is adds_up


def test_more_candidates_make_every_range_wider(tmp_path: Path, answer: ConfResult) -> None:
    """The error is shared by all that might have been chosen, not by the three that were."""
    more = [Candidate(f"other-{number}", "other", [], "nothing") for number in range(20)]
    record = reader.read_record(answer.record.path)
    for block in record.blocks:
        for part in block.arms:
            for piece in part.slices:
                piece.answers += (7 * piece.round + 3 * block.number + len(part.name)) % 11
    narrow = read_conf(answer.question, record).of("keepalive").confirmed
    question = msgspec.structs.replace(answer.question, candidates=[*answer.question.candidates, *more])
    wide = read_conf(question, record).of("keepalive").confirmed
    assert narrow is not None
    assert wide is not None
    assert narrow.low is not None
    assert wide.low is not None
    assert wide.value == pytest.approx(narrow.value)
    assert wide.low < narrow.low


def test_screenings_tell_nothing_of_how_starts_differ(answer: ConfResult) -> None:
    part = confirmed_part(answer.record)
    assert {block.experiment for block in part.blocks} == {"confirmed"}
    assert [planned.name for planned in part.plan.experiments] == ["confirmed"]
    assert len(answer.record.plan.experiments) == 3


def test_a_void_start_of_a_screening_counts_for_nothing(answer: ConfResult) -> None:
    record = reader.read_record(answer.record.path)
    for block in record.blocks:
        block.validity = type(block.validity).VOID
    assert set(screened_effects(answer.question, record).values()) == {None}


def test_with_anyway_there_is_no_verdict_and_the_diff_is_of_what_was_measured(tmp_path: Path) -> None:
    answer = confs.measured(tmp_path, on_busy_machine=True)
    assert {finding.worth for finding in answer.findings if finding.confirmed is not None} == {Worth.NO_VERDICT}
    assert (answer.kept, answer.is_settled) == (["keepalive", "access-log-buffer"], False)
    keepalive = answer.of("keepalive")
    assert keepalive.why is not None
    assert "--anyway" in keepalive.why


def test_an_arm_that_fails_has_no_verdict_and_the_others_have_one(tmp_path: Path) -> None:
    plan = confs.plan_of(candidates=[KEEPALIVE, LOG])
    rig = confs.CostingRig(plan, confs.COSTS_US)
    rig.fails_at_start = {"access-log-off"}
    answer = confs.measured(tmp_path, plan, rig=rig)
    failed = answer.of("access-log-off")
    assert (failed.worth, failed.confirmed, failed.why) == (Worth.NO_VERDICT, None, "it would not start")
    assert answer.of("keepalive").worth is Worth.SAVES
