"""Figures of an arm against the baseline, and their verdicts."""

from __future__ import annotations

import math

import msgspec
import pytest
from known import known
from samples import blocks as sample
from samples.blocks import histogram
from samples.comparisons import RATE_PER_S, arm, of_behind, six_blocks, summary
from samples.records import plan_of

from hopcost.statistics import figures
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.comparisons import DIFFERENCE_OPEN, P99_UNPROVEN
from hopcost.statistics.precision.looks import error_of_one_arm
from hopcost.statistics.summary import open_loop
from hopcost.statistics.validity.grounds import GENERATOR_FULL


def test_half_the_throughput_is_slower_and_twice_the_cpu_is_dearer() -> None:
    experiment = summary(six_blocks())
    assert str(of_behind(experiment, "throughput").verdict) == "slower"
    assert str(of_behind(experiment, "cpu_per_request").verdict) == "dearer"
    assert str(of_behind(experiment, "cpu_per_request", RATE_PER_S).verdict) == "dearer"
    assert str(of_behind(experiment, "response_p50", RATE_PER_S).verdict) == "slower"


def test_p99_has_a_range_and_no_verdict() -> None:
    p99 = of_behind(summary(six_blocks()), "response_p99", RATE_PER_S)
    assert p99.ratio is not None and p99.ratio.low is not None and p99.ratio.low > 1
    assert (p99.verdict.word, p99.no_verdict, p99.to_settle) == ("no verdict", P99_UNPROVEN, None)


def test_a_hop_that_both_have_is_compared_by_itself() -> None:
    # app: 11 µs of behind's 22 to the baseline's 10: at saturation 1.1; in the open loop 30 to 20.
    experiment = summary(six_blocks(noise=0.0))
    assert known(of_behind(experiment, "cpu_per_request:app").ratio).value == pytest.approx(1.1, rel=1e-3)
    assert known(of_behind(experiment, "cpu_per_request:app", RATE_PER_S).ratio).value == pytest.approx(1.5, rel=1e-3)


def test_as_fast_within_the_margin_is_the_same_and_a_wide_interval_is_not_settled() -> None:
    assert str(of_behind(summary(six_blocks(behind=1.0)), "throughput").verdict) == "same"
    assert str(of_behind(summary(six_blocks(behind=1.0, noise=0.1)), "throughput").verdict) == "not settled"


def test_what_is_not_settled_says_what_an_answer_takes_and_a_verdict_does_not() -> None:
    assert of_behind(summary(six_blocks(behind=1.0)), "throughput").to_settle is None
    noisy = of_behind(summary(six_blocks(behind=1.0, noise=0.1)), "throughput")
    ratio, to_settle = known(noisy.ratio), known(noisy.to_settle)
    assert to_settle.half_width == ratio.half_width
    distance = abs(math.log(ratio.value))
    assert to_settle.target == pytest.approx(max(distance, math.log(1.02) - distance), rel=1e-3)
    assert to_settle.starts > 6
    assert to_settle.seconds == pytest.approx(to_settle.starts * 1.3), "a block takes 1 s and three slices of 0.1 s"


def test_the_noise_of_the_baseline_does_not_widen_the_margin() -> None:
    coarse = of_behind(summary(six_blocks(behind=1.0, noise=0.03)), "throughput")
    assert (coarse.verdict.word, coarse.verdict.margin) == ("not settled", 0.02)


def test_the_errors_of_arms_add_up() -> None:
    assert error_of_one_arm(plan_of().experiments[0], 0.05) == 0.025, "two arms beside the baseline and its copy"


@pytest.mark.parametrize(
    ("full", "behind", "word"),
    [
        (("direct",), 0.5, "slower"),  # the baseline is at least so fast, so the arm is at most this share of it
        (("direct",), 2.0, "no verdict"),
        (("behind",), 2.0, "faster"),
        (("behind",), 0.5, "no verdict"),
        (("behind",), 1.0, "no verdict"),
        (("direct", "behind"), 0.5, "no verdict"),
    ],
)
def test_where_the_generator_is_the_limit_one_direction_is_left(
    full: tuple[str, ...], behind: float, word: str
) -> None:
    blocks = six_blocks(behind)
    for part in (part for block in blocks for part in block.arms):
        for piece in part.slices:
            piece.elapsed_ns *= 20  # every stack is idle for the most part
            piece.generator_cpu_ns = piece.elapsed_ns if part.name in full else 0
    experiment = summary(blocks)
    throughput = of_behind(experiment, "throughput")
    assert throughput.verdict.word == word
    told = throughput.caveats if word != "no verdict" else [known(throughput.no_verdict)]
    assert any(f"{full[-1]}: {GENERATOR_FULL}" in reason for reason in told)
    assert of_behind(experiment, "cpu_per_request").verdict.word == "dearer"
    assert [arm.throughput_is_a_bound for arm in experiment.arms] == [arm in full for arm in ("direct", "behind")]
    assert {arm.baseline_is_a_bound for arm in experiment.arms} == {"direct" in full}


def test_quantiles_need_a_hundred_samples_beyond() -> None:
    (direct, _) = summary(six_blocks()[:1]).arms
    # 5,000 answers: 50 beyond p99 and 5 beyond p99.9; six blocks have 300 and 30.
    assert direct.open_loop[0].response_time_ns["p90"] is not None
    assert direct.open_loop[0].response_time_ns["p99"] is None
    (direct, _) = summary(six_blocks()).arms
    assert direct.open_loop[0].response_time_ns["p99"] == pytest.approx(1_200_000, rel=0.01)
    assert direct.open_loop[0].response_time_ns["p999"] is None


def test_a_block_counts_its_own_rounds() -> None:
    long, brief = six_blocks(0.5, 0.0, open_loop=False)[:2]
    for stack in long.arms:
        stack.slices = stack.slices * 3
    for stack in brief.arms:
        if stack.name == "behind":
            stack.slices = [msgspec.structs.replace(piece, answers=piece.answers * 2) for piece in stack.slices]
    arms = PairedBlocks(plan_of().experiments[0], [long, brief])
    assert arms.rounds("behind", figures.throughput) == [3, 1]


def test_an_offered_load_weighs_by_its_own_slices() -> None:
    long, brief = six_blocks(0.5, 0.0)[:2]
    for stack in long.arms:
        stack.slices = stack.slices * 9
    arms, figure = PairedBlocks(plan_of().experiments[0], [long, brief]), open_loop.cpu_per_request_at(0.25)
    assert arms.rounds("behind", figure) == [1, 1]
    for stack in brief.arms:
        stack.open_loop[0].slices = stack.open_loop[0].slices * 3
    assert arms.rounds("behind", figure) == [1, 3]


def test_a_block_without_the_offered_load_says_nothing_of_it() -> None:
    blocks = six_blocks()
    for stack in blocks[0].arms:
        stack.open_loop = []
    experiment = summary(blocks)
    assert of_behind(experiment, "cpu_per_request", RATE_PER_S).verdict.word == "dearer"
    assert [cost.load_per_s for cost in experiment.hop_costs] == [RATE_PER_S, None]
    for stack in blocks[1].arms:
        if stack.name == "behind":
            stack.open_loop = []
    behind = summary(blocks).arms[1]
    assert behind.comparison("cpu_per_request", RATE_PER_S) is None, "a block that the arm alone lacks is its outcome"


def test_the_own_figures_of_an_arm_leave_out_what_nobody_was_asked_and_nothing_else() -> None:
    blocks, figure = six_blocks(), open_loop.cpu_per_request_at(0.25)
    for stack in blocks[0].arms:
        stack.open_loop = []
    arms = PairedBlocks(plan_of().experiments[0], blocks)
    assert len(arms.values("behind", figure) or []) == 5 and len(arms.values("behind", figures.throughput) or []) == 6
    blocks[1].arms[1].open_loop = []
    assert PairedBlocks(plan_of().experiments[0], blocks).values("behind", figure) is None


def test_a_quantile_that_is_not_shown_is_not_compared() -> None:
    few = summary(six_blocks()[:3])  # 3 blocks × 5,000 answers: 150 beyond p99
    assert of_behind(few, "response_p99", RATE_PER_S).ratio is not None
    blocks = six_blocks()[:3]
    for stack in [part for start in blocks for part in start.arms]:
        for load in stack.open_loop:  # 3 × 3,000: 90 beyond p99 in all, 30 in each block
            load.totals = msgspec.structs.replace(load.totals, response_time=histogram(*[300_000] * 3000))
    (_, behind) = summary(blocks).arms
    assert behind.comparison("response_p99", RATE_PER_S) is None
    assert behind.comparison("response_p50", RATE_PER_S) is not None


def test_an_arm_that_runs_twice_stands_for_both_runs_on_either_side() -> None:
    blocks = six_blocks(0.5, 0.0, again=0.8, open_loop=False)
    arms = PairedBlocks(plan_of().experiments[0], blocks)
    there, back = (arms.ratio(*pair) for pair in (
        ("behind", figures.throughput, 0.05), ("direct", figures.throughput, 0.05, "behind"),
    ))  # fmt: skip
    assert there is not None and back is not None
    assert there.value == pytest.approx(0.5 / 0.9) and back.value == pytest.approx(0.9 / 0.5)


def test_a_ratio_that_moves_from_start_to_start_is_a_caveat_and_no_veto() -> None:
    blocks = six_blocks(noise=0.0)
    for number, block in enumerate(blocks):
        block.arms[1] = arm("behind", 4_500 + 50 * number, 110, 60.0, 350.0)
    moving = summary(blocks)
    throughput = of_behind(moving, "throughput")
    assert (throughput.verdict.word, throughput.caveats) == ("slower", ["its ratio moved during the run"])
    assert of_behind(moving, "cpu_per_request", RATE_PER_S).caveats == [], "that one stayed"
    assert of_behind(summary(blocks[:5]), "throughput").caveats == [], "too few starts to tell"


def test_a_direction_needs_the_range_of_the_difference_too() -> None:
    """One start at a level twenty times that of the others: each ratio is 1.5, and the difference may be anything."""
    levels = (1.0, 1.0, 1.0, 1.0, 1.0, 20.0)
    blocks = [
        sample.block(
            number,
            arm("direct", 10_000, 100, 20.0, 300 * level),
            arm("behind", 5_000, 110, 60.0, 450 * level * (1 + (-1) ** number / 1000)),
            arm("direct-aa", 10_000, 100, 20.0, 300 * level),
        )
        for number, level in enumerate(levels)
    ]
    experiment = summary(blocks, plan_of(quick=False))
    median = of_behind(experiment, "response_p50", RATE_PER_S)
    (cost,) = [cost for cost in experiment.hop_costs if cost.load_per_s == RATE_PER_S]
    assert median.ratio is not None and median.ratio.low is not None and median.ratio.low > 1
    assert cost.p50_ns is not None and cost.p50_ns.low is not None and cost.p50_ns.low < 0
    assert (median.verdict.word, median.caveats, median.to_settle) == ("not settled", [DIFFERENCE_OPEN], None)
    assert of_behind(experiment, "cpu_per_request", RATE_PER_S).verdict.word == "dearer", "no such doubt there"
