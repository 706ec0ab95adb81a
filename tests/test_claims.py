"""Claims judged on records made by hand: what holds, what does not, what nobody can tell, and why."""

from __future__ import annotations

import msgspec
import pytest
from factory import MS, block, part, plain_block, plan_of, record, slice_of
from factory import suite as made_up

from hopcost import claims, statistics
from hopcost.claim import Claim, Comparison, Figure, Needs, Relation
from hopcost.judged import Judged, Outcome, Result, decide
from hopcost.network import Surroundings
from hopcost.planned import LeftOut, PlannedArm, PlannedExperiment
from hopcost.record import Block, Failure, MemorySample, Record
from hopcost.statistics import Interval
from hopcost.suite import Experiment, Suite
from hopcost.sweep import Sweep
from hopcost.turns import Turns


def compare(relation: Relation, size: float | None = None, **more: object) -> Comparison:
    """Throughput of the arm `behind` to the control, in the experiment `cost`."""
    fields: dict[str, object] = {"experiment": "cost", "arm": "behind", "relation": relation, "size": size}
    return Comparison(**(fields | more))  # type: ignore[arg-type]


def claim(*tests: Comparison, needs: Needs | None = None) -> Claim:
    return Claim(name="c", says="It is so.", source="its end", tests=list(tests), needs=needs or Needs())


def suite_with(*found: Claim, sweep: Sweep | None = None) -> Suite:
    read = made_up()
    experiments: list[Experiment] = [msgspec.structs.replace(each, sweep=sweep) for each in read.experiments]
    return msgspec.structs.replace(read, claims=list(found), experiments=experiments)


def judged(found: Claim, *records: Record) -> Judged:
    (made,) = claims.judge(suite_with(found), records)
    return made


def one(test: Comparison, *records: Record, needs: Needs | None = None) -> Result:
    (result,) = judged(claim(test, needs=needs), *records).results
    return result


def six(behind: tuple[int, ...] = (392, 408), **more: int) -> list[Block]:
    """Blocks of direct 10,000/s and behind about 4,000/s, whose logs differ a little from block to block."""
    return [plain_block(number, behind=behind[number % len(behind)], **more) for number in range(6)]


def planned(**more: object) -> PlannedExperiment:
    return msgspec.structs.replace(plan_of().experiments[0], **more)


def record_of(experiment: PlannedExperiment, *blocks: Block, **more: object) -> Record:
    return record(*blocks, plan=msgspec.structs.replace(plan_of(), experiments=[experiment]), **more)


# What an interval says


@pytest.mark.parametrize(
    ("relation", "size", "low", "high", "outcome"),
    [
        (Relation.AT_LEAST, 0.9, 0.91, 0.95, Outcome.HOLDS),
        (Relation.AT_LEAST, 0.9, 0.85, 0.89, Outcome.DOES_NOT_HOLD),
        (Relation.AT_LEAST, 0.9, 0.89, 0.95, Outcome.UNKNOWN),
        (Relation.AT_MOST, 0.7, 0.5, 0.6, Outcome.HOLDS),
        (Relation.AT_MOST, 0.7, 0.75, 0.8, Outcome.DOES_NOT_HOLD),
        (Relation.AT_MOST, 0.7, 0.5, 0.8, Outcome.UNKNOWN),
        (Relation.ABOUT, 0.8, 0.73, 0.87, Outcome.HOLDS),
        (Relation.ABOUT, 0.8, 0.60, 0.72, Outcome.DOES_NOT_HOLD),
        (Relation.ABOUT, 0.8, 0.89, 0.95, Outcome.DOES_NOT_HOLD),
        (Relation.ABOUT, 0.8, 0.5, 1.2, Outcome.UNKNOWN),
        (Relation.MORE, None, 1.05, 1.2, Outcome.HOLDS),
        (Relation.MORE, None, 0.9, 0.99, Outcome.DOES_NOT_HOLD),
        (Relation.MORE, None, 0.99, 1.01, Outcome.DOES_NOT_HOLD),  # the same within 2 %
        (Relation.MORE, None, 0.9, 1.1, Outcome.UNKNOWN),
        (Relation.LESS, None, 0.9, 0.95, Outcome.HOLDS),
        (Relation.LESS, None, 1.05, 1.2, Outcome.DOES_NOT_HOLD),
        (Relation.LESS, None, 0.99, 1.01, Outcome.DOES_NOT_HOLD),
    ],
)
def test_an_interval_against_a_relation(relation, size, low, high, outcome) -> None:
    interval = Interval(value=(low + high) / 2, low=low, high=high)
    assert decide(compare(relation, size), interval, 0.02) == (outcome, False)


def test_a_real_difference_within_the_margin_holds_and_is_negligible() -> None:
    interval = Interval(value=1.01, low=1.005, high=1.015)
    assert decide(compare(Relation.MORE), interval, 0.02) == (Outcome.HOLDS, True)
    assert decide(compare(Relation.LESS), interval, 0.02) == (Outcome.DOES_NOT_HOLD, False)


def test_without_a_margin_a_side_is_unknown_and_a_size_is_not() -> None:
    interval = Interval(value=1.5, low=1.4, high=1.6)
    assert decide(compare(Relation.MORE), interval, None) == (Outcome.UNKNOWN, False)
    assert decide(compare(Relation.AT_LEAST, 1.2), interval, None) == (Outcome.HOLDS, False)


# On a record


def test_the_measured_ratio_with_its_interval_beside_the_published_one() -> None:
    result = one(compare(Relation.ABOUT, 0.4), record(*six()))
    assert result.outcome is Outcome.HOLDS
    assert (result.to, result.blocks, result.record) == ("direct", 6, "made-up")
    # √(0.392 × 0.408) = 0.39992; the article has 10,000 ÷ 40,000.
    assert result.measured is not None
    assert result.measured.value == pytest.approx(0.39992, abs=1e-5)
    assert result.published == pytest.approx(0.25)
    assert result.published_fits is False
    assert one(compare(Relation.AT_MOST, 0.3), record(*six())).outcome is Outcome.DOES_NOT_HOLD
    assert one(compare(Relation.AT_MOST, 0.4), record(*six())).outcome is Outcome.UNKNOWN


def test_the_comparisons_of_a_claim_share_its_error() -> None:
    found = claim(compare(Relation.ABOUT, 0.4), compare(Relation.LESS), compare(Relation.NONE, figure=Figure.ERRORS))
    (first, _, _) = judged(found, record(*six())).results
    pairs = [each * 10.0 for each in (392, 408) * 3]
    assert claims.comparisons(found) == 2, "an error count has no interval"
    assert first.measured == statistics.ratio(pairs, [10_000.0] * 6, 0.025)


def test_looks_take_their_share_of_the_error_first() -> None:
    plan = plan_of(quick=False)
    content = record(*six(), plan=plan)
    content.run.endings[0].why = "interrupted"
    result = one(compare(Relation.ABOUT, 0.4), content)
    pairs = [each * 10.0 for each in (392, 408) * 3]
    assert len(plan.looks) == 4
    assert result.measured == statistics.ratio(pairs, [10_000.0] * 6, 0.05 / 4)
    content.run.endings[0].why = "budget"
    result = one(compare(Relation.ABOUT, 0.4), content)
    assert result.measured == statistics.ratio(pairs, [10_000.0] * 6, 0.05), "there will be no look"


def test_two_arms_of_which_none_is_the_baseline() -> None:
    blocks = [
        block(number, *[part(slice_of(arm, answers)) for arm, answers in figures])
        for number, figures in enumerate(
            [
                [("direct", 1000), ("behind", 400), ("beside", 798), ("direct-aa", 1000)],
                [("direct", 900), ("behind", 400), ("beside", 802), ("direct-aa", 900)],
                [("direct", 950), ("behind", 400), ("beside", 800), ("direct-aa", 950)],
            ]
        )
    ]
    result = one(compare(Relation.ABOUT, 2.0, arm="beside", to="behind"), record(*blocks))
    assert (result.outcome, result.to) == (Outcome.HOLDS, "behind")
    assert result.measured is not None
    assert result.measured.value == pytest.approx(2.0, abs=1e-4)
    assert result.published is None, "the article has no figure of `beside`"


def test_cpu_per_request_of_the_stack_and_of_one_hop() -> None:
    def a_block(number: int) -> Block:
        direct_ns, behind_ns = {"app": 10 * MS}, {"proxy": 30 * MS, "app": (15 + number) * MS}
        return block(
            number,
            part(slice_of("direct", 1000, cpu_ns=direct_ns)),
            part(slice_of("behind", 1000, cpu_ns=behind_ns)),
            part(slice_of("direct-aa", 1000, cpu_ns=direct_ns)),
        )

    content = record(a_block(0), a_block(1), a_block(2))
    whole = one(compare(Relation.MORE, figure=Figure.CPU_PER_REQUEST), content)
    of_app = one(compare(Relation.MORE, figure=Figure.CPU_PER_REQUEST, hop="app"), content)
    assert whole.measured is not None and of_app.measured is not None
    assert whole.measured.value == pytest.approx((4.5 * 4.6 * 4.7) ** (1 / 3))
    assert of_app.measured.value == pytest.approx((1.5 * 1.6 * 1.7) ** (1 / 3))
    assert (whole.outcome, of_app.outcome) == (Outcome.HOLDS, Outcome.HOLDS)
    two = one(compare(Relation.MORE, figure=Figure.CPU_PER_REQUEST), record(a_block(0), a_block(1)))
    assert (two.outcome, two.reason) == (Outcome.UNKNOWN, "too few valid blocks: 2, 3 needed"), "as in the report"


def test_one_block_is_not_enough_and_void_ones_are_none() -> None:
    void = [plain_block(number, behind=400) for number in (1, 2)]
    for each in void:
        each.validity = "void"
    result = one(compare(Relation.LESS), record(plain_block(0), *void))
    assert (result.outcome, result.reason, result.blocks) == (Outcome.UNKNOWN, "valid blocks: 1, no interval", 1)
    assert one(compare(Relation.LESS), record()).reason == "valid blocks: 0, no interval"


def test_a_baseline_that_differs_from_itself_decides_nothing() -> None:
    result = one(compare(Relation.LESS), record(*six(again=900)))
    assert result.outcome is Outcome.UNKNOWN
    assert result.reason == "the baseline differs from itself in cost: no verdicts"


def test_a_wide_floor_widens_what_is_the_same() -> None:
    """The baseline's second run is up to 10 % off either way; an arm within that is neither more nor less."""
    wide = [plain_block(number, again=(900, 1111)[number % 2], behind=1040) for number in range(6)]
    assert one(compare(Relation.MORE), record(*wide)).outcome is not Outcome.HOLDS
    assert one(compare(Relation.MORE), record(*six(behind=(1040,)))).outcome is Outcome.HOLDS


def test_arms_that_never_share_a_block_are_compared_over_the_baseline() -> None:
    """Blocks of three. Each ratio takes half of the error, and the ends are the farthest that the two leave."""

    def three(number: int, name: str, answers: int) -> Block:
        return block(
            number,
            part(slice_of("direct", 1000)),
            part(slice_of(name, answers)),
            part(slice_of("direct-aa", 1000)),
        )

    own, other = (796, 800, 804), (398, 400, 402)
    blocks = [three(2 * number, "beside", answers) for number, answers in enumerate(own)]
    blocks += [three(2 * number + 1, "behind", answers) for number, answers in enumerate(other)]
    result = one(compare(Relation.MORE, arm="beside", to="behind"), record(*blocks))
    first = statistics.ratio([each * 10.0 for each in own], [10_000.0] * 3, 0.025)
    second = statistics.ratio([each * 10.0 for each in other], [10_000.0] * 3, 0.025)
    assert first is not None and second is not None and result.measured is not None
    assert first.low and first.high and second.low and second.high
    assert (result.outcome, result.blocks) == (Outcome.HOLDS, 3)
    assert result.measured.value == pytest.approx(first.value / second.value)
    assert (result.measured.low, result.measured.high) == (first.low / second.high, first.high / second.low)
    lone = one(compare(Relation.MORE, arm="beside", to="behind"), record(*blocks[2:4]))
    assert (lone.outcome, lone.reason) == (Outcome.UNKNOWN, "valid blocks: 1, no interval")
    assert lone.measured == Interval(value=pytest.approx(804 / 398), low=None, high=None)


# Errors


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


@pytest.mark.parametrize(
    ("relation", "counts", "outcome"),
    [
        (Relation.SOME, (3, 1), Outcome.HOLDS),
        (Relation.SOME, (0, 0), Outcome.DOES_NOT_HOLD),
        (Relation.SOME, (3, 0), Outcome.UNKNOWN),
        (Relation.NONE, (0, 0), Outcome.HOLDS),
        (Relation.NONE, (3, 1), Outcome.DOES_NOT_HOLD),
        (Relation.NONE, (0,), Outcome.HOLDS),  # a count needs no second block
    ],
)
def test_errors_some_or_none(relation, counts, outcome) -> None:
    result = one(compare(relation, figure=Figure.ERRORS), with_errors(*counts))
    assert (result.outcome, result.to) == (outcome, None)
    assert result.errors is not None
    assert result.errors.count == sum(counts)


def test_no_errors_say_nothing_where_connections_never_opened() -> None:
    without = with_errors(0, 0)
    behind = without.blocks[1].arms[1]
    assert behind.totals is not None
    behind.totals.all_opened = False
    for relation in (Relation.SOME, Relation.NONE):
        result = one(compare(relation, figure=Figure.ERRORS), without)
        assert (result.outcome, result.reason) == (
            Outcome.UNKNOWN,
            "connections that never opened in 1 of 2 blocks",
        )


def test_published_errors_stand_beside_ours() -> None:
    behind = one(compare(Relation.SOME, figure=Figure.ERRORS), with_errors(0, 0))
    direct = one(compare(Relation.SOME, figure=Figure.ERRORS, arm="direct"), with_errors(0, 0))
    assert (behind.published_errors, behind.published_fits) == (True, True)  # 661 time-outs, 2 write errors
    assert (direct.published_errors, direct.published_fits) == (False, False)


def test_of_an_arm_with_errors_no_speed_is_judged() -> None:
    result = one(compare(Relation.LESS), with_errors(3, 0, 4))
    assert (result.outcome, result.reason) == (Outcome.UNKNOWN, "behind: 3 errors: timeout 3")
    assert result.measured is not None, "shown all the same"


# What cannot be tested here


@pytest.mark.parametrize(
    ("needs", "reason"),
    [
        (Needs(cores=4, because="it had four"), "ran on 2 cores, 4 needed: it had four"),
        (Needs(link_mbit_per_s=1000, because="it had one"), "no link of 1000 Mbit/s: it had one"),
    ],
)
def test_what_is_needed_and_not_had_shows_its_figure_and_decides_nothing(needs, reason) -> None:
    result = one(compare(Relation.LESS), record(*six()), needs=needs)
    assert (result.outcome, result.reason) == (Outcome.NOT_TESTABLE, reason)
    assert result.measured is not None
    assert one(compare(Relation.LESS), record(*six()), needs=Needs(cores=2)).outcome is Outcome.HOLDS


def test_the_link_that_is_needed() -> None:
    blocks = six()
    for each in blocks:
        for arm in each.arms:
            arm.surroundings = Surroundings(network="own", open_files=1, link_mbit_per_s=1000)
    needs = Needs(link_mbit_per_s=1000, because="it had one")
    assert one(compare(Relation.LESS), record(*blocks), needs=needs).outcome is Outcome.HOLDS
    blocks[3].arms[1].surroundings = None
    assert one(compare(Relation.LESS), record(*blocks), needs=needs).outcome is Outcome.NOT_TESTABLE


def test_an_experiment_that_no_record_has() -> None:
    other = msgspec.structs.replace(plan_of(), suite="another")
    assert one(compare(Relation.LESS)).reason == "in none of the records"
    assert one(compare(Relation.LESS), record(*six(), plan=other)).reason == "in none of the records"
    left = msgspec.structs.replace(
        plan_of(), experiments=[], left_out=[LeftOut(name="cost", reason="too few cores for it")]
    )
    result = one(compare(Relation.LESS), record(plan=left))
    assert (result.outcome, result.reason) == (Outcome.NOT_TESTABLE, "left out: too few cores for it")


def test_an_arm_that_was_left_out_is_absent_or_failed() -> None:
    content = planned(left_out=[LeftOut(name="behind", reason="nginx is not installed")])
    result = one(compare(Relation.LESS), record_of(content, *six()))
    assert (result.outcome, result.reason) == (
        Outcome.NOT_TESTABLE,
        "behind is left out: nginx is not installed",
    )
    arms: list[PlannedArm] = [each for each in planned().arms if each.name != "beside"]
    absent = one(compare(Relation.LESS, arm="beside"), record_of(planned(arms=arms), *six()))
    assert absent.reason == "the record's experiment has no arm beside"
    void = block(9, validity="void", failures=(Failure(arm="behind", message="did not start\nbind: in use"),))
    failed = one(compare(Relation.LESS), record(*six(), void))
    assert (failed.outcome, failed.reason) == (Outcome.NOT_TESTABLE, "behind failed: did not start")


def test_fewer_connections_than_asked_for() -> None:
    result = one(compare(Relation.LESS), record_of(planned(connections_asked=5000), *six()))
    assert result.reason == "run with 32 connections, 5000 asked for"
    assert result.outcome is Outcome.NOT_TESTABLE


# Several records


def started(content: Record, hour: int, path: str) -> Record:
    run = msgspec.structs.replace(content.run, started_utc=f"2025-01-02T{hour:02}:00:00Z")
    return msgspec.structs.replace(content, run=run, path=content.path.parent / path)


def test_the_record_with_most_blocks_the_latest_of_those() -> None:
    few = started(record(*six()[:3]), 9, "few")
    old, new = (started(record(*six()), hour, name) for hour, name in ((1, "old"), (5, "new")))
    for order in ([few, old, new], [new, old, few]):
        result = one(compare(Relation.LESS), *order)
        assert (result.record, result.started_utc, result.blocks) == ("new", "2025-01-02T05:00:00Z", 6)


def test_points_of_a_sweep_from_records_of_their_own() -> None:
    def at(value: int, behind: int) -> Record:
        blocks = [msgspec.structs.replace(each, experiment=f"cost@{value}") for each in six((behind, behind + 4))]
        return started(record_of(planned(name=f"cost@{value}"), *blocks), 1, f"at-{value}")

    test = compare(Relation.AT_LEAST, 0.3, at=[10, 1000])
    read = suite_with(claim(test), sweep=Sweep(key="workload.connections", values=[10, 1000]))
    (found,) = claims.judge(read, [at(10, 400), at(1000, 200)])
    assert [(each.experiment, each.record, each.outcome) for each in found.results] == [
        ("cost@10", "at-10", Outcome.HOLDS),
        ("cost@1000", "at-1000", Outcome.DOES_NOT_HOLD),
    ]
    assert found.outcome is Outcome.DOES_NOT_HOLD
    (half,) = claims.judge(read, [at(10, 400)])
    assert half.outcome is Outcome.UNKNOWN, "one point holds, the other is in no record"
    (neither,) = claims.judge(read, [])
    assert neither.outcome is Outcome.NOT_TESTABLE


def test_whose_claims_are_judged() -> None:
    first, second = claim(compare(Relation.LESS)), claim(compare(Relation.MORE))
    old = started(record(suite=suite_with(first)), 1, "old")
    new = started(record(suite=suite_with(second)), 5, "new")
    before = started(record(), 9, "before claims")
    assert [each.claims for each in claims.suites([before, new, old])] == [[second]]
    assert [each.claims for each in claims.suites([new], [suite_with(first)])] == [[first]]
    assert claims.suites([before]) == []


# Soaks


def soak_block(number: int, behind: int, memory_bytes: int) -> Block:
    slices = [slice_of("direct", 1000), slice_of("behind", behind), slice_of("direct-aa", 1000)]
    for each in slices:
        each.start_ns = number * 150_000 * MS
    made = block(number, *map(part, slices))
    made.arms[1].memory_samples = [
        MemorySample(elapsed_ns=number * 150_000 * MS, resident_bytes=memory_bytes + number % 3)
    ]
    return made


def soak(behind_at_the_end: int, memory_grows: float, length_s: float = 1800.0) -> Record:
    blocks = []
    for number in range(12):
        share = number / 11
        behind = round(1000 + (behind_at_the_end - 1000) * share) + number % 3
        blocks.append(soak_block(number, behind, round(2**30 * memory_grows**share)))
    return record_of(planned(turns=Turns.SOAK, soak_s=length_s, soak_asked_s=1800), *blocks)


STEADY = compare(Relation.ABOUT, 1.0, figure=Figure.DRIFT, tolerance=0.05)
STEADY_MEMORY = compare(Relation.ABOUT, 1.0, figure=Figure.MEMORY_DRIFT, tolerance=0.25)


def test_a_soak_that_keeps_its_throughput_and_one_that_does_not() -> None:
    assert one(STEADY, soak(1000, 1.0)).outcome is Outcome.HOLDS
    falling = one(STEADY, soak(800, 1.0))
    assert falling.outcome is Outcome.DOES_NOT_HOLD
    assert falling.measured is not None
    assert falling.measured.value == pytest.approx(0.8, abs=0.02)


def test_memory_of_a_soak() -> None:
    assert one(STEADY_MEMORY, soak(1000, 1.1)).outcome is Outcome.HOLDS
    assert one(STEADY_MEMORY, soak(1000, 2.0)).outcome is Outcome.DOES_NOT_HOLD


def test_a_shorter_soak_can_refute_and_cannot_confirm() -> None:
    short = one(STEADY, soak(1000, 1.0, length_s=240.0))
    assert (short.outcome, short.reason) == (Outcome.UNKNOWN, "over 240 s, the article's over 1800 s")
    assert one(STEADY, soak(800, 1.0, length_s=240.0)).outcome is Outcome.DOES_NOT_HOLD
