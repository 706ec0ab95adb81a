"""The phases on the mock engine: what each chooses, what the record says at the end, and after a death in between."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from mocks import confs
from mocks.confs import BUFFER, DEBUG, GZIP, KEEPALIVE, LOG, REAL_IP, UPGRADE, CostingRig, MockTrials

from hopcost.nginx.edits import Edit
from hopcost.statistics.questions.conf.question import Candidate
from hopcost.statistics.questions.conf.result import Worth

MEND = [Edit(confs.FILE, 400, 405, "upgrade mended;")]


def test_the_giants_are_screened_first_and_fixed_at_their_better_level(tmp_path: Path) -> None:
    answer = confs.measured(tmp_path)
    giants, rest = answer.question.screenings
    assert giants.changes == ["keepalive", "gzip-off", "access-log-off"]  # which shares its text with the buffer
    assert rest.fixed == ["keepalive"]  # without gzip a twenty-fifth is saved
    assert rest.changes == ["access-log-buffer", "real-ip-off"]


def test_what_may_stand_in_the_diff_is_confirmed_first(tmp_path: Path) -> None:
    answer = confs.measured(tmp_path)
    assert answer.question.confirmed == ["keepalive", "access-log-buffer", "gzip-off"]
    assert answer.question.whole == ["keepalive", "access-log-buffer"]
    assert answer.kept == ["keepalive", "access-log-buffer"]
    assert answer.diff == "--- nginx.conf\n+++ nginx.conf\n+ buffer=64k;\n+keepalive 64;\n"
    keepalive = answer.of("keepalive")
    assert keepalive.worth is Worth.SAVES
    assert keepalive.confirmed is not None
    assert keepalive.confirmed.value == pytest.approx(-25_000, rel=0.01)
    assert answer.of("gzip-off").worth is Worth.SAVES  # and yet it is not offered
    assert answer.as_is_ns == pytest.approx(50_000, rel=0.01)


def test_the_whole_diff_saves_what_its_parts_save(tmp_path: Path) -> None:
    plan = confs.plan_of(candidates=[KEEPALIVE, BUFFER])
    answer = confs.measured(tmp_path, plan)
    assert answer.question.whole == ["keepalive", "access-log-buffer"]
    assert answer.kept == ["keepalive", "access-log-buffer"]
    assert answer.added_up == pytest.approx(-25_500, rel=0.01)
    assert answer.together is not None
    assert answer.together.value == pytest.approx(-25_500, rel=0.01)


def test_parts_that_do_more_together_interact(tmp_path: Path) -> None:
    answer = confs.measured(tmp_path, confs.plan_of(candidates=[KEEPALIVE, BUFFER]), together_us=-5.0)
    assert answer.interact is True


def test_a_trap_is_mended_whatever_that_costs(tmp_path: Path) -> None:
    plan = confs.plan_of(mends=MEND, candidates=[KEEPALIVE, GZIP], traps=[DEBUG, UPGRADE])
    answer = confs.measured(tmp_path, plan, costs_us={"keepalive 64;": -25.0, "upgrade mended;": 1.0})
    assert answer.mends is not None
    assert answer.mends.value == pytest.approx(1000, rel=0.05)
    assert answer.diff == "--- nginx.conf\n+++ nginx.conf\n+keepalive 64;\n+upgrade mended;\n"


def test_without_a_gain_there_is_no_diff_but_for_what_mends_traps(tmp_path: Path) -> None:
    answer = confs.measured(tmp_path, costs_us={})
    assert (answer.kept, answer.diff) == ([], None)
    plan = confs.plan_of(mends=MEND, traps=[UPGRADE])
    answer = confs.measured(tmp_path / "again", plan, costs_us={})
    assert answer.diff == "--- nginx.conf\n+++ nginx.conf\n+upgrade mended;\n"


def test_a_diff_that_nginx_refuses_is_none(tmp_path: Path) -> None:
    answer = confs.measured(tmp_path, trials=MockTrials("keepalive 64;"))
    assert (answer.question.whole, answer.diff) == ([], None)


def test_a_change_that_the_app_refuses_is_left_out_and_the_next_one_confirmed(tmp_path: Path) -> None:
    answer = confs.measured(tmp_path, trials=MockTrials(by_app=["keepalive 64;"]))
    assert answer.question.confirmed == ["access-log-buffer", "gzip-off", "access-log-off"]
    assert answer.kept == ["access-log-buffer"]
    refused = answer.of("keepalive")
    assert (refused.worth, refused.why) == (Worth.LEFT_OUT, "the app answers 401 with it, not 200")
    assert refused.screened is not None


def test_changes_that_nginx_takes_alone_and_not_together_are_screened_one_at_a_time(tmp_path: Path) -> None:
    class Trials(MockTrials):
        def refusal(self, edits: Sequence[Edit]) -> str | None:
            return "nginx: no" if {"access_log off;", ""} <= {edit.text for edit in edits} else None

    answer = confs.measured(tmp_path, confs.plan_of(candidates=[LOG, REAL_IP]), trials=Trials())
    assert [arm.changes for arm in answer.question.screenings[0].arms] == [[], ["access-log-off"], ["real-ip-off"], []]


def test_each_choice_of_the_diff_was_tried_before_the_confirmation(tmp_path: Path) -> None:
    trials = MockTrials()
    confs.measured(tmp_path, confs.plan_of(candidates=[KEEPALIVE, BUFFER]), trials=trials)
    assert [[edit.text for edit in edits] for edits in trials.tried][-3:] == [
        ["keepalive 64;"],
        [" buffer=64k;"],
        ["keepalive 64;", " buffer=64k;"],
    ]


@pytest.mark.parametrize(
    ("loads", "screened"), [(1, ["keepalive", "gzip-off"]), (2, ["access-log-off", "keepalive", "real-ip-off"])]
)
def test_a_run_that_is_killed_in_between_keeps_what_was_known(tmp_path: Path, loads: int, screened: list[str]) -> None:
    plan = confs.plan_of()
    rig = CostingRig(plan, confs.COSTS_US)
    rig.interrupted_at = loads
    with pytest.raises(KeyboardInterrupt):
        confs.measured(tmp_path, plan, rig=rig)
    answer = confs.answer_of(tmp_path / "record")
    for name in screened:
        effect = answer.of(name)
        assert effect.screened is not None
        assert effect.worth is Worth.SCREENED
    assert (answer.kept, answer.diff, answer.record.run.ended_utc) == ([], None, None)


def test_more_changes_than_a_screening_holds_are_told(tmp_path: Path) -> None:
    many = [Candidate(f"c{number}", f"change {number}", [], "nothing") for number in range(13)]
    edits = {candidate.name: [Edit(confs.FILE, 10 * n, 10 * n + 5, f"c{n};")] for n, candidate in enumerate(many)}
    confs.EDITS.update(edits)
    answer = confs.measured(tmp_path, confs.plan_of(candidates=many), costs_us={"c3;": 4.0})
    assert len(answer.question.screenings[0].arms) == 13  # twelve, and the second run of the first
    assert [unseen.words for unseen in answer.question.unseen][1:] == ["change 11", "change 12"]
    assert answer.findings[0].candidate.name == "c3"
    assert answer.findings[0].worth is Worth.COSTS


def test_only_what_was_logged_as_giant_is_a_giant(tmp_path: Path) -> None:
    answer = confs.measured(tmp_path, confs.plan_of(candidates=[LOG]))
    assert [screening.experiment for screening in answer.question.screenings] == ["rest"]
    assert answer.as_is_ns == pytest.approx(50_000, rel=0.01)
