"""Claims judged on records made by hand: relations, sizes, margins, intervals."""

from __future__ import annotations

import msgspec
import pytest
from samples.judgements import claim, compare, judged, one, six
from samples.records import MS, block, part, plain_block, plan_of, record, slice_of

from hopcost.generators.engine_protocol import Validity
from hopcost.plan import groups as groups_of_arms
from hopcost.plan.plan import LeftOut
from hopcost.record.block import Block
from hopcost.record.run import StopReason
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.figures import throughput
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions import claims
from hopcost.statistics.questions.claim_result import ClaimOutcome, decide_claim
from hopcost.suites.claim import ClaimFigure, Relation


@pytest.mark.parametrize(
    ("relation", "size", "low", "high", "outcome"),
    [
        (Relation.AT_LEAST, 0.9, 0.91, 0.95, ClaimOutcome.HOLDS),
        (Relation.AT_LEAST, 0.9, 0.85, 0.89, ClaimOutcome.DOES_NOT_HOLD),
        (Relation.AT_LEAST, 0.9, 0.89, 0.95, ClaimOutcome.UNKNOWN),
        (Relation.AT_MOST, 0.7, 0.5, 0.6, ClaimOutcome.HOLDS),
        (Relation.AT_MOST, 0.7, 0.75, 0.8, ClaimOutcome.DOES_NOT_HOLD),
        (Relation.AT_MOST, 0.7, 0.5, 0.8, ClaimOutcome.UNKNOWN),
        (Relation.ABOUT, 0.8, 0.73, 0.87, ClaimOutcome.HOLDS),
        (Relation.ABOUT, 0.8, 0.60, 0.72, ClaimOutcome.DOES_NOT_HOLD),
        (Relation.ABOUT, 0.8, 0.89, 0.95, ClaimOutcome.DOES_NOT_HOLD),
        (Relation.ABOUT, 0.8, 0.5, 1.2, ClaimOutcome.UNKNOWN),
        (Relation.MORE, None, 1.05, 1.2, ClaimOutcome.HOLDS),
        (Relation.MORE, None, 0.9, 0.99, ClaimOutcome.DOES_NOT_HOLD),
        (Relation.MORE, None, 0.99, 1.01, ClaimOutcome.DOES_NOT_HOLD),  # the same within 2 %
        (Relation.MORE, None, 0.9, 1.1, ClaimOutcome.UNKNOWN),
        (Relation.LESS, None, 0.9, 0.95, ClaimOutcome.HOLDS),
        (Relation.LESS, None, 1.05, 1.2, ClaimOutcome.DOES_NOT_HOLD),
        (Relation.LESS, None, 0.99, 1.01, ClaimOutcome.DOES_NOT_HOLD),
    ],
)
def test_an_interval_against_a_relation(
    relation: Relation, size: float | None, low: float, high: float, outcome: ClaimOutcome
) -> None:
    interval = Interval(value=(low + high) / 2, low=low, high=high)
    assert decide_claim(compare(relation, size), interval, 0.02) == (outcome, False)


def test_a_real_difference_within_the_margin_holds_and_is_negligible() -> None:
    interval = Interval(value=1.01, low=1.005, high=1.015)
    assert decide_claim(compare(Relation.MORE), interval, 0.02) == (ClaimOutcome.HOLDS, True)
    assert decide_claim(compare(Relation.LESS), interval, 0.02) == (ClaimOutcome.DOES_NOT_HOLD, False)


def test_the_measured_ratio_with_its_interval_beside_the_published_one() -> None:
    result = one(compare(Relation.ABOUT, 0.4), record(*six()))
    assert result.outcome is ClaimOutcome.HOLDS
    assert (result.to, result.blocks, result.record) == ("direct", 6, "made-up")
    # √(0.392 × 0.408) = 0.39992; the article has 10,000 ÷ 40,000.
    assert result.measured is not None
    assert result.measured.value == pytest.approx(0.39992, abs=1e-5)
    assert result.published == pytest.approx(0.25)
    assert result.published_fits is False
    assert one(compare(Relation.AT_MOST, 0.3), record(*six())).outcome is ClaimOutcome.DOES_NOT_HOLD
    assert one(compare(Relation.AT_MOST, 0.4), record(*six())).outcome is ClaimOutcome.UNKNOWN


def test_the_comparisons_of_a_claim_share_its_error() -> None:
    found = claim(
        compare(Relation.ABOUT, 0.4), compare(Relation.LESS), compare(Relation.NONE, figure=ClaimFigure.ERRORS)
    )
    (first, _, _) = judged(found, record(*six())).results
    assert claims.comparisons(found) == 2, "an error count has no interval"
    arms = PairedBlocks(plan_of().experiments[0], six())
    assert first.measured == arms.ratio("behind", throughput, 0.025)


def test_looks_take_their_share_of_the_error_first() -> None:
    plan = plan_of(quick=False)
    content = record(*six(), plan=plan)
    content.run.endings[0].why = StopReason.INTERRUPTED
    result = one(compare(Relation.ABOUT, 0.4), content)
    assert len(plan.looks) == 4
    arms = PairedBlocks(plan.experiments[0], six())
    assert result.measured == arms.ratio("behind", throughput, 0.05 / 4)
    content.run.endings[0].why = StopReason.TIME
    result = one(compare(Relation.ABOUT, 0.4), content)
    assert result.measured == arms.ratio("behind", throughput, 0.05), "there will be no look"


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
    assert (result.outcome, result.to) == (ClaimOutcome.HOLDS, "behind")
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
    whole = one(compare(Relation.MORE, figure=ClaimFigure.CPU_PER_REQUEST), content)
    of_app = one(compare(Relation.MORE, figure=ClaimFigure.CPU_PER_REQUEST, hop="app"), content)
    assert whole.measured is not None and of_app.measured is not None
    assert whole.measured.value == pytest.approx((4.5 * 4.6 * 4.7) ** (1 / 3))
    assert of_app.measured.value == pytest.approx((1.5 * 1.6 * 1.7) ** (1 / 3))
    assert (whole.outcome, of_app.outcome) == (ClaimOutcome.HOLDS, ClaimOutcome.HOLDS)
    two = one(compare(Relation.MORE, figure=ClaimFigure.CPU_PER_REQUEST), record(a_block(0), a_block(1)))
    assert two.outcome is ClaimOutcome.HOLDS, "as in the report"


def test_one_block_is_not_enough_and_void_ones_are_none() -> None:
    void = [plain_block(number, behind=400) for number in (1, 2)]
    for each in void:
        each.validity = Validity.VOID
    result = one(compare(Relation.LESS), record(plain_block(0), *void))
    assert (result.outcome, result.reason, result.blocks) == (ClaimOutcome.UNKNOWN, "valid blocks: 1, no interval", 1)
    assert one(compare(Relation.LESS), record()).reason == "valid blocks: 0, no interval"


def test_a_baseline_that_differs_from_itself_decides_nothing() -> None:
    result = one(compare(Relation.LESS), record(*six(again=900)))
    assert result.outcome is ClaimOutcome.UNKNOWN
    assert result.reason == "the baseline differs from itself in cost: no verdicts"


def test_a_wide_floor_widens_what_is_the_same() -> None:
    """The baseline's second run is up to 10 % off either way; an arm within that is neither more nor less."""
    wide = [plain_block(number, again=(900, 1111)[number % 2], behind=1040) for number in range(6)]
    assert one(compare(Relation.MORE), record(*wide)).outcome is not ClaimOutcome.HOLDS
    assert one(compare(Relation.MORE), record(*six(behind=(1040,)))).outcome is ClaimOutcome.HOLDS


def test_a_claim_finds_the_group_of_its_arms() -> None:
    """Open files did not hold all arms: `beside` and `behind` are in experiments of their own, with one baseline."""

    def three(number: int, name: str, answers: int) -> Block:
        parts = (part(slice_of("direct", 1000)), part(slice_of(name, answers)), part(slice_of("direct-aa", 1000)))
        return msgspec.structs.replace(block(number, *parts), experiment=f"cost+{name}")

    content = record(
        *(three(number, "beside", 400) for number in range(3)), *(three(number, "behind", 1500) for number in range(4))
    )
    (planned,) = content.plan.experiments
    out = LeftOut(name="away", reason="not installed")
    whole = msgspec.structs.replace(planned, left_out=[out], notes=["too many"], weight=3)
    groups = groups_of_arms.in_groups(whole, together=3)
    assert [each.name for each in groups] == ["cost+behind", "cost+beside"]
    content = msgspec.structs.replace(content, plan=msgspec.structs.replace(content.plan, experiments=groups))
    less, more = one(compare(Relation.LESS, arm="beside"), content), one(compare(Relation.MORE), content)
    assert (less.outcome, less.blocks, less.experiment) == (ClaimOutcome.HOLDS, 3, "cost")
    assert (more.outcome, more.blocks) == (ClaimOutcome.HOLDS, 4)
    apart = one(compare(Relation.MORE, arm="beside", to="behind"), content)
    assert apart.outcome is ClaimOutcome.NOT_TESTABLE
    assert apart.reason == "beside and behind ran in different groups of arms, so they share no block"
