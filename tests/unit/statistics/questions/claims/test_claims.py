"""Claims judged on records made by hand: relations, sizes, margins, intervals."""

from __future__ import annotations

import math

import msgspec
import pytest
from known import known
from samples.blocks import MS, block, part, plain_block, slice_of
from samples.questions.judgements import claim, compare, judged, result_of, six
from samples.records import record

from hopcost.plan import groups as groups_of_arms
from hopcost.plan.plan import LeftOut
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.statistics.questions.claims.decision import ClaimOutcome
from hopcost.statistics.validity.bias import RUN_IS_BIASED
from hopcost.suites.articles.claim import ClaimFigure, Relation


def test_the_measured_ratio_with_its_interval_beside_the_published_one() -> None:
    result = result_of(compare(Relation.ABOUT, 0.4), record(*six()))
    assert result.outcome is ClaimOutcome.HOLDS
    assert (result.to, result.blocks, result.record) == ("direct", 6, "made-up")
    # √(0.392 × 0.408) = 0.39992; the article has 10,000 ÷ 40,000.
    assert result.measured is not None
    assert result.measured.value == pytest.approx(0.39992, abs=1e-5)
    assert result.published == pytest.approx(0.25)
    assert result.published_fits is False
    assert result_of(compare(Relation.AT_MOST, 0.3), record(*six())).outcome is ClaimOutcome.DOES_NOT_HOLD
    about = result_of(compare(Relation.AT_MOST, 0.4), record(*six()))
    assert (about.outcome, about.reason) == (ClaimOutcome.NOT_SETTLED, "its range lies on both sides of 0.4")
    narrow = result_of(compare(Relation.ABOUT, 0.4, tolerance=0.001), record(*six()))
    assert (narrow.outcome, narrow.reason) == (ClaimOutcome.NOT_SETTLED, "its range reaches beyond 0.4 to 0.4")


def test_each_comparison_shows_its_own_interval_and_p_value() -> None:
    """As many comparisons as you like: what holds shares no error, so the first reads as it does alone."""
    first = compare(Relation.ABOUT, 0.4)
    alone = result_of(first, record(*six()))
    errors = compare(Relation.NONE, figure=ClaimFigure.ERRORS)
    results = judged(claim(first, compare(Relation.LESS), errors), record(*six())).results
    assert results[0] == alone
    assert [result.outcome for result in results] == [ClaimOutcome.HOLDS] * 3
    assert results[0].p_value is not None and results[0].p_value < 0.001
    assert (results[2].p_value, results[2].measured) == (None, None), "an error count has neither"


def test_what_fails_shares_the_error_among_the_comparisons() -> None:
    """Blocks of 0.396 and 0.404: "at most 0.39" fails with P = 0.016 alone, and not beside four others."""
    test = compare(Relation.AT_MOST, 0.39)
    blocks = six(behind=(396, 404))
    alone = result_of(test, record(*blocks))
    assert (alone.outcome, alone.reason) == (ClaimOutcome.DOES_NOT_HOLD, "")
    assert alone.p_value is not None and 0.01 < alone.p_value < 0.05
    beside = judged(claim(test, *[compare(Relation.LESS)] * 4), record(*blocks))
    assert (beside.results[0].outcome, beside.results[0].p_value) == (ClaimOutcome.NOT_SETTLED, None)
    assert beside.results[0].reason.startswith("its range lies outside, but not clearly enough")
    assert beside.outcome is ClaimOutcome.NOT_SETTLED


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
    result = result_of(compare(Relation.ABOUT, 2.0, arm="beside", to="behind"), record(*blocks))
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
    whole = result_of(compare(Relation.MORE, figure=ClaimFigure.CPU_PER_REQUEST), content)
    of_app = result_of(compare(Relation.MORE, figure=ClaimFigure.CPU_PER_REQUEST, hop="app"), content)
    assert whole.measured is not None and of_app.measured is not None
    assert whole.measured.value == pytest.approx((4.5 * 4.6 * 4.7) ** (1 / 3))
    assert of_app.measured.value == pytest.approx((1.5 * 1.6 * 1.7) ** (1 / 3))
    assert (whole.outcome, of_app.outcome) == (ClaimOutcome.HOLDS, ClaimOutcome.HOLDS)


def test_a_figure_that_a_block_lacks_is_told_with_its_block() -> None:
    blocks = six()
    for piece in blocks[2].arms[1].slices:
        piece.cpu_ns = dict.fromkeys(piece.cpu_ns, None)
    result = result_of(compare(Relation.LESS, figure=ClaimFigure.CPU_PER_REQUEST, hop="app"), record(*blocks))
    assert (result.outcome, result.measured) == (ClaimOutcome.NOT_SETTLED, None)
    assert result.reason.startswith("no figure in block ") and "3" in result.reason


def test_two_starts_suffice() -> None:
    result = result_of(compare(Relation.LESS), record(*six()[:2]))
    assert (result.outcome, result.blocks) == (ClaimOutcome.HOLDS, 2)


def test_one_block_is_not_enough_and_void_ones_are_none() -> None:
    void = [plain_block(number, behind=400) for number in (1, 2)]
    for start in void:
        start.validity = Validity.VOID
    result = result_of(compare(Relation.LESS), record(plain_block(0), *void))
    assert (result.outcome, result.blocks) == (ClaimOutcome.NOT_SETTLED, 1)
    assert result.reason == "from one start: 2 are needed"
    assert result.measured is not None and result.measured.low is None
    assert result_of(compare(Relation.LESS), record()).reason == "no valid block"


def test_a_baseline_that_differs_from_itself_decides_nothing() -> None:
    result = result_of(compare(Relation.LESS), record(*six(again=900)))
    assert result.outcome is ClaimOutcome.NOT_SETTLED
    assert result.reason == RUN_IS_BIASED.format(figures="throughput")


def test_errors_of_the_baselines_second_run_take_the_answer_too() -> None:
    erring = part(slice_of("direct-aa", 1000, errors={"read": 20}))
    blocks = [
        block(number, part(slice_of("direct", 1000)), part(slice_of("behind", 500)), erring) for number in range(6)
    ]
    result = result_of(compare(Relation.LESS), record(*blocks))
    assert (result.outcome, result.reason.partition(":")[0]) == (ClaimOutcome.NOT_SETTLED, "direct-aa")


def test_a_wide_floor_changes_nothing() -> None:
    """The baseline's second run is up to 1 % off either way, the arm 4 % above: more, whatever the A/A arm says."""
    wide = [plain_block(number, again=(990, 1010)[number % 2], behind=1040) for number in range(6)]
    assert result_of(compare(Relation.MORE), record(*wide)).outcome is ClaimOutcome.HOLDS
    assert result_of(compare(Relation.MORE), record(*six(behind=(1040,)))).outcome is ClaimOutcome.HOLDS


def full(name: str, answers: int) -> ArmBlock:
    """The generator's core is full while the stack idles."""
    return part(slice_of(name, answers, generator_cpu_ns=100 * MS))


def test_a_full_generator_proves_one_side() -> None:
    def blocks(behind: int) -> list[Block]:
        return [
            block(number, part(slice_of("direct", 1000)), full("behind", behind), part(slice_of("direct-aa", 1000)))
            for number in range(6)
        ]

    assert result_of(compare(Relation.MORE), record(*blocks(1500))).outcome is ClaimOutcome.HOLDS
    less = result_of(compare(Relation.LESS), record(*blocks(500)))
    assert (less.outcome, less.reason) == (
        ClaimOutcome.NOT_SETTLED,
        "behind: the generator was full while the stack idled: its throughput is a lower bound",
    )
    both = [block(number, full("direct", 1000), full("behind", 500), full("direct-aa", 1000)) for number in range(6)]
    neither = result_of(compare(Relation.LESS), record(*both))
    assert neither.outcome is ClaimOutcome.NOT_SETTLED
    assert neither.reason.startswith("behind and direct: the generator was full")


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
    assert [group.name for group in groups] == ["cost+behind", "cost+beside"]
    content = msgspec.structs.replace(content, plan=msgspec.structs.replace(content.plan, experiments=groups))
    less, more = result_of(compare(Relation.LESS, arm="beside"), content), result_of(compare(Relation.MORE), content)
    assert (less.outcome, less.blocks, less.experiment) == (ClaimOutcome.HOLDS, 3, "cost")
    assert (more.outcome, more.blocks) == (ClaimOutcome.HOLDS, 4)
    apart = result_of(compare(Relation.MORE, arm="beside", to="behind"), content)
    assert apart.outcome is ClaimOutcome.NOT_TESTABLE
    assert apart.reason == "beside and behind ran in different groups of arms, so they share no block"


def test_what_is_not_settled_tells_its_time() -> None:
    """0.39992 beside "at most 0.405": an interval of ±1.3 % holds it; blocks take a second."""
    result = result_of(compare(Relation.AT_MOST, 0.405), record(*six()))
    assert result.outcome is ClaimOutcome.NOT_SETTLED
    to_settle = known(result.to_settle)
    assert to_settle.target == pytest.approx(math.sinh(math.log(0.405 / 0.39992)), rel=1e-3)
    assert to_settle.half_width > to_settle.target and to_settle.starts >= 1
    assert result_of(compare(Relation.AT_MOST, 0.5), record(*six())).to_settle is None


def test_a_claim_tells_of_the_comparison_that_is_furthest_from_an_answer() -> None:
    near, far = compare(Relation.AT_MOST, 0.407), compare(Relation.AT_MOST, 0.404)
    result = judged(claim(near, far, compare(Relation.LESS)), record(*six()))
    assert [own.outcome for own in result.results[:2]] == [ClaimOutcome.NOT_SETTLED] * 2
    assert result.telling == result.results[1]
    assert known(result.to_settle).seconds > known(result.results[0].to_settle).seconds


def test_a_claim_without_a_verdict_on_one_comparison_tells_no_time() -> None:
    beside = compare(Relation.MORE, arm="beside")
    result = judged(claim(compare(Relation.AT_MOST, 0.404), beside), record(*six()))
    assert (result.telling, result.to_settle) == (result.results[1], None)
