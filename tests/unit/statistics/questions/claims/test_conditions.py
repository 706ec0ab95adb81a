"""Conditions of claims: errors, needs, arms that are missing, and which record decides."""

from __future__ import annotations

import msgspec
import pytest
from samples.blocks import block, part, slice_of
from samples.questions.judgements import claim, compare, record_of, result_of, six, suite_with
from samples.records import plan_of, record
from samples.sweeps import planned

from hopcost.plan.plan import LeftOut, PlannedArm
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Failure
from hopcost.record.contents.evidence import NetworkKind, Surroundings
from hopcost.record.contents.run import Record
from hopcost.statistics.questions.claims import claims
from hopcost.statistics.questions.claims.decision import ClaimOutcome
from hopcost.suites.articles.claim import ClaimFigure, ClaimTest, Needs, Relation
from hopcost.suites.experiments.experiment import Sweep


def with_errors(*counts: int) -> Record:
    return record(
        *[
            block(
                number,
                part(slice_of("direct", 1000)),
                part(slice_of("behind", 400, errors={"timeout": count} if count else {})),
                part(slice_of("direct-aa", 1000)),
            )
            for number, count in enumerate(counts)
        ]
    )


def of_errors(claimed: Relation | int) -> ClaimTest:
    """That there are some, or none, or at least so many in each start."""
    relation, size = (claimed, None) if isinstance(claimed, Relation) else (Relation.AT_LEAST, claimed)
    return compare(relation, size, figure=ClaimFigure.ERRORS)


@pytest.mark.parametrize(
    ("claimed", "counts", "outcome"),
    [
        (3, (3, 5), ClaimOutcome.HOLDS),
        (3, (90, 2), ClaimOutcome.DOES_NOT_HOLD),  # each start must have them
        (Relation.SOME, (3, 1), ClaimOutcome.HOLDS),
        (Relation.SOME, (0, 0), ClaimOutcome.DOES_NOT_HOLD),
        (Relation.SOME, (3, 0), ClaimOutcome.HOLDS),  # it did err
        (Relation.NONE, (0, 0), ClaimOutcome.HOLDS),
        (Relation.NONE, (3, 1), ClaimOutcome.DOES_NOT_HOLD),
        (Relation.NONE, (0, 1), ClaimOutcome.DOES_NOT_HOLD),
        (Relation.NONE, (0,), ClaimOutcome.HOLDS),  # a count needs no second block
    ],
)
def test_errors_some_none_or_at_least_so_many(
    claimed: Relation | int, counts: tuple[int, ...], outcome: ClaimOutcome
) -> None:
    result = result_of(of_errors(claimed), with_errors(*counts))
    assert (result.outcome, result.to) == (outcome, None)
    assert result.errors is not None
    assert result.errors.count == sum(counts)


def test_no_errors_say_nothing_where_connections_never_opened() -> None:
    without = with_errors(0, 0)
    behind = without.blocks[1].arms[1]
    assert behind.totals is not None
    behind.totals.all_opened = False
    for claimed in (Relation.SOME, Relation.NONE, 3):
        result = result_of(of_errors(claimed), without)
        assert (result.outcome, result.reason) == (
            ClaimOutcome.NOT_SETTLED,
            "connections that never opened in 1 of 2 blocks",
        )


def test_published_errors_stand_beside_ours() -> None:
    for claimed in (Relation.SOME, 3):
        behind = result_of(of_errors(claimed), with_errors(0, 0))
        assert (behind.published_errors, behind.published_fits) == (True, True)  # 661 time-outs, 2 write errors
    direct = result_of(compare(Relation.SOME, figure=ClaimFigure.ERRORS, arm="direct"), with_errors(0, 0))
    assert (direct.published_errors, direct.published_fits) == (False, False)


def test_of_an_arm_with_errors_no_speed_is_judged() -> None:
    result = result_of(compare(Relation.LESS), with_errors(3, 0, 4))
    assert (result.outcome, result.reason) == (ClaimOutcome.NOT_SETTLED, "behind: 7 errors: timeout 7")
    assert result.measured is not None, "shown all the same"


@pytest.mark.parametrize(
    ("needs", "reason"),
    [
        (Needs(cores=4, because="it had four"), "ran on 2 cores, 4 needed: it had four"),
        (Needs(link_mbit_per_s=1000, because="it had one"), "no link of 1000 Mbit/s: it had one"),
    ],
)
def test_what_is_needed_and_not_had_shows_its_figure_and_decides_nothing(needs: Needs, reason: str) -> None:
    result = result_of(compare(Relation.LESS), record(*six()), needs=needs)
    assert (result.outcome, result.reason) == (ClaimOutcome.NOT_TESTABLE, reason)
    assert result.measured is not None
    assert result_of(compare(Relation.LESS), record(*six()), needs=Needs(cores=2)).outcome is ClaimOutcome.HOLDS


def test_the_link_that_is_needed() -> None:
    blocks = six()
    for start in blocks:
        for arm in start.arms:
            arm.surroundings = Surroundings(network=NetworkKind.OWN, open_files=1, link_mbit_per_s=1000)
    needs = Needs(link_mbit_per_s=1000, because="it had one")
    assert result_of(compare(Relation.LESS), record(*blocks), needs=needs).outcome is ClaimOutcome.HOLDS
    blocks[3].arms[1].surroundings = None
    assert result_of(compare(Relation.LESS), record(*blocks), needs=needs).outcome is ClaimOutcome.NOT_TESTABLE


def test_an_experiment_that_no_record_has() -> None:
    other = msgspec.structs.replace(plan_of(), suite="another")
    assert result_of(compare(Relation.LESS)).reason == "in none of the records"
    assert result_of(compare(Relation.LESS), record(*six(), plan=other)).reason == "in none of the records"
    left = msgspec.structs.replace(
        plan_of(), experiments=[], left_out=[LeftOut(name="cost", reason="too few cores for it")]
    )
    result = result_of(compare(Relation.LESS), record(plan=left))
    assert (result.outcome, result.reason) == (ClaimOutcome.NOT_TESTABLE, "left out: too few cores for it")


def test_an_arm_that_was_left_out_is_absent_or_failed() -> None:
    content = planned(left_out=[LeftOut(name="behind", reason="nginx is not installed")])
    result = result_of(compare(Relation.LESS), record_of(content, *six()))
    assert (result.outcome, result.reason) == (ClaimOutcome.NOT_TESTABLE, "behind is left out: nginx is not installed")
    arms: list[PlannedArm] = [arm for arm in planned().arms if arm.name != "beside"]
    absent = result_of(compare(Relation.LESS, arm="beside"), record_of(planned(arms=arms), *six()))
    assert absent.reason == "the record's experiment has no stack beside"
    void = block(9, validity=Validity.VOID, failures=(Failure(arm="behind", message="did not start\nbind: in use"),))
    failed = result_of(compare(Relation.LESS), record(*six(), void))
    assert (failed.outcome, failed.reason) == (ClaimOutcome.NOT_TESTABLE, "behind failed: did not start")


def test_fewer_connections_than_asked_for() -> None:
    result = result_of(compare(Relation.LESS), record_of(planned(connections_asked=5000), *six()))
    assert result.reason == "run with 32 connections, 5000 asked for"
    assert result.outcome is ClaimOutcome.NOT_TESTABLE


def started(content: Record, hour: int, path: str) -> Record:
    run = msgspec.structs.replace(content.run, started_utc=f"2025-01-02T{hour:02}:00:00Z")
    return msgspec.structs.replace(content, run=run, path=content.path.parent / path)


def test_the_record_with_most_blocks_the_latest_of_those() -> None:
    few = started(record(*six()[:3]), 9, "few")
    old, new = (started(record(*six()), hour, name) for hour, name in ((1, "old"), (5, "new")))
    for order in ([few, old, new], [new, old, few]):
        result = result_of(compare(Relation.LESS), *order)
        assert (result.record, result.started_utc, result.blocks) == ("new", "2025-01-02T05:00:00Z", 6)


def test_points_of_a_sweep_from_records_of_their_own() -> None:
    def at(value: int, behind: int) -> Record:
        blocks = [msgspec.structs.replace(block, experiment=f"cost@{value}") for block in six((behind, behind + 4))]
        return started(record_of(planned(name=f"cost@{value}"), *blocks), 1, f"at-{value}")

    test = compare(Relation.AT_LEAST, 0.3, at=[10, 1000])
    read = suite_with(claim(test), sweep=Sweep(key="workload.connections", values=[10, 1000]))
    (result,) = claims.judge_claims(read, [at(10, 400), at(1000, 200)])
    assert [(test.experiment, test.record, test.outcome) for test in result.results] == [
        ("cost@10", "at-10", ClaimOutcome.HOLDS),
        ("cost@1000", "at-1000", ClaimOutcome.DOES_NOT_HOLD),
    ]
    assert result.outcome is ClaimOutcome.DOES_NOT_HOLD
    (half,) = claims.judge_claims(read, [at(10, 400)])
    assert half.outcome is ClaimOutcome.NOT_SETTLED, "one point holds, the other is in no record"
    (neither,) = claims.judge_claims(read, [])
    assert neither.outcome is ClaimOutcome.NOT_TESTABLE


def test_whose_claims_are_judged() -> None:
    first, second = claim(compare(Relation.LESS)), claim(compare(Relation.MORE))
    old = started(record(suite=suite_with(first)), 1, "old")
    new = started(record(suite=suite_with(second)), 5, "new")
    before = started(record(), 9, "before claims")
    assert [suite.claims for suite in claims.suites([before, new, old])] == [[second]]
    assert [suite.claims for suite in claims.suites([new], [suite_with(first)])] == [[first]]
    assert claims.suites([before]) == []
