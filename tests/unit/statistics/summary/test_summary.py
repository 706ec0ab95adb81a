"""What a record says, against figures worked by hand."""

from __future__ import annotations

import math

import msgspec
import pytest
from known import known, near
from samples.blocks import MS, block, broke_off, part, plain_block, slice_of
from samples.comparisons import arm_of, summary_of, two_blocks
from samples.records import plan_of, record

from hopcost.plan.plan import LeftOut
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block, Failure
from hopcost.record.contents.run import Ending, Run, StopReason
from hopcost.statistics import random_effects
from hopcost.statistics.figures import throughput
from hopcost.statistics.intervals import ONE, of_logs
from hopcost.statistics.random_effects import Contrast
from hopcost.statistics.summary.service_time import Quantile
from hopcost.statistics.summary.summary import summarise

# Throughput and ratios


def test_throughput_is_answers_of_all_blocks_by_the_arms_own_time() -> None:
    # direct: (600 + 400 + 2000) ÷ (50 + 50 + 100 ms) = 15,000/s; behind: 1440 ÷ 200 ms = 7,200/s.
    assert arm_of("direct", *two_blocks()).throughput_per_s == pytest.approx(15_000)
    assert arm_of("behind", *two_blocks()).throughput_per_s == pytest.approx(7_200)
    assert arm_of("direct", *two_blocks()).answers == 3000


def test_throughput_of_a_block() -> None:
    assert throughput(two_blocks()[0].arms[0]) == pytest.approx(10_000)
    assert throughput(part(slice_of("direct", 0))) == 0


def test_a_ratio_is_to_the_mean_of_the_baselines_two_runs() -> None:
    # Block 0: 4,400 ÷ mean(10,000, 12,000) = 0.4; block 1: 10,000 ÷ 20,000 = 0.5. √(0.4 × 0.5) = 0.447214.
    # Two arms are compared: 5 % ÷ 2 each.
    ratio = known(arm_of("behind", *two_blocks()).ratio)
    assert ratio.value == pytest.approx(0.447214, rel=1e-5)
    logs = [math.log(0.4), math.log(0.5)]
    (estimate,) = random_effects.estimate([Contrast(logs, [1, 1], None, 0)])
    expected = of_logs(estimate.interval(0.025))  # out of the two blocks alone: no other arm has two
    assert (ratio.low, ratio.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_the_floor_is_the_second_run_to_the_first() -> None:
    # 12,000 ÷ 10,000 = 1.2 and 20,000 ÷ 20,000 = 1: √1.2 = 1.095445.
    floor = known(summary_of(*two_blocks()).aa_floor)
    assert floor.value == pytest.approx(1.095445, rel=1e-6)


def test_the_baseline_is_one_by_definition() -> None:
    baseline = arm_of("direct", *two_blocks())
    assert (baseline.ratio, baseline.cpu_ratio) == (ONE, ONE)


def test_a_run_that_was_broken_off_has_wider_intervals_for_whoever_looked() -> None:
    content = record(*two_blocks())
    content.run.endings = []
    (experiment,) = summarise(content)
    wide, narrow = experiment.arms[1].ratio, arm_of("behind", *two_blocks()).ratio
    assert wide is not None and narrow is not None
    assert wide.value == narrow.value
    assert known(wide.high) > known(narrow.high)


def test_a_single_block_has_a_wide_interval() -> None:
    ratio = known(arm_of("behind", plain_block(0)).ratio)
    assert ratio.value == near(0.4)
    assert known(ratio.low) < 0.2 and known(ratio.high) > 0.8, "nothing shows how much starts differ"


def test_an_arm_that_answered_nothing_in_a_block_has_no_ratio() -> None:
    behind = arm_of("behind", plain_block(0), plain_block(1, behind=0))
    assert (behind.ratio, behind.cpu_ratio) == (None, None)
    assert behind.throughput_per_s == pytest.approx(400 / 0.2)


def test_an_arm_that_never_answered_has_no_figures_per_request() -> None:
    behind = arm_of("behind", plain_block(0, behind=0))
    assert (behind.answers, behind.throughput_per_s) == (0, 0.0)
    assert (behind.cpu_ns_per_request, behind.cpu_outside, behind.ratio) == (
        {"proxy": None, "app": None, "generator": None},
        None,
        None,
    )
    assert behind.service_time_ns == {"p50": None, "p99": None}


def test_a_baseline_that_never_answered_is_not_one() -> None:
    assert arm_of("direct", plain_block(0, direct=0)).ratio is None


@pytest.mark.parametrize("silent", [{"direct": 0}, {"again": 0}])
def test_a_baselines_run_without_answers_is_no_reference(silent: dict[str, int]) -> None:
    assert arm_of("behind", plain_block(0, **silent)).ratio is None


def test_the_harness_own_load_is_a_share_of_the_engines_time() -> None:
    blocks = two_blocks()  # 300 ms each
    blocks[0].harness_cpu_ns, blocks[1].harness_cpu_ns = 2 * MS, 1 * MS
    assert summary_of(*blocks).harness_load == pytest.approx(3 / 600)


# Errors, sizes, response


def test_errors_are_added_up_by_kind_and_all_kinds_are_there() -> None:
    def with_errors(number: int, errors: dict[str, int], reconnects: int) -> Block:
        behind = part(slice_of("behind", 10, errors=errors, reconnects=reconnects), slice_of("behind", 10))
        return block(number, part(slice_of("direct", 10)), behind)

    stack = arm_of("behind", with_errors(0, {"timeout": 2, "read": 1}, 5), with_errors(1, {"timeout": 3}, 6))
    assert stack.errors == {
        "connect": 0,
        "tls": 0,
        "write": 0,
        "read": 1,
        "protocol": 0,
        "status": 0,
        "body": 0,
        "timeout": 5,
    }
    assert stack.reconnects == 11
    assert sum(arm_of("direct", with_errors(0, {"timeout": 2}, 5)).errors.values()) == 0


def test_sizes_are_those_of_the_check() -> None:
    odd = part(slice_of("behind", 10), header_bytes=200, body_bytes=13)
    behind = arm_of("behind", block(0, part(slice_of("direct", 10)), odd))
    assert (behind.header_bytes, behind.body_bytes) == (200, 13)


def test_the_first_warm_up_tells_whether_there_is_a_steady_state() -> None:
    def warmed(number: int, *answers: int) -> Block:
        return block(number, part(slice_of("direct", 10), warmed_up=answers))

    assert arm_of("direct", warmed(0, *[50] * 4, *[100] * 16), warmed(1, 100, 100)).steady is True
    assert arm_of("direct", warmed(0, *[50] * 16, *[100] * 4)).steady is False
    assert arm_of("direct", warmed(0, 50, 100, 100)).steady is None, "too few slices to tell"


def test_service_times_are_merged_over_blocks() -> None:
    # 1000 ns 99 times and 2000 ns 101 times: the 100th of 200 is 2000, where each block alone gives 1000 and 2000.
    first = part(slice_of("direct", 100), service_time_ns=(1000,) * 99 + (2000,))
    second = part(slice_of("direct", 100), service_time_ns=(2000,) * 100)
    direct = arm_of("direct", block(0, first), block(1, second)).service_time_ns
    assert direct == {"p50": Quantile(ns=2000, at_least=False), "p99": Quantile(ns=2000, at_least=False)}


def test_a_quantile_among_the_unanswered_is_at_least() -> None:
    hanging = part(slice_of("direct", 97), service_time_ns=(1000,) * 97, unanswered_ns=(2000, 2000, 2000))
    direct = arm_of("direct", block(0, hanging)).service_time_ns
    assert direct == {"p50": Quantile(ns=1000, at_least=False), "p99": Quantile(ns=2000, at_least=True)}


# Published


def test_published_ratios_are_to_the_articles_own_control() -> None:
    beside = part(slice_of("beside", 10))
    blocks = [block(0, *plain_block(0).arms, beside)]
    assert arm_of("behind", *blocks).published_ratio == pytest.approx(10_000 / 40_000)
    assert arm_of("direct", *blocks).published_ratio == 1.0
    assert (arm_of("beside", *blocks).published_ratio, arm_of("beside", *blocks).published) == (None, None)
    published = arm_of("behind", *blocks).published
    assert published is not None and published.errors == {"timeout": 661, "write": 2}


# Blocks


def test_void_blocks_count_for_nothing_and_are_kept_with_their_reasons() -> None:
    void = block(1, *plain_block(1, behind=999_999).arms, validity=Validity.VOID, reasons=("stolen",))
    experiment = summary_of(plain_block(0), void, plain_block(2))
    assert (experiment.blocks, [start.number for start in experiment.void], experiment.suspect) == (2, [1], [])
    assert experiment.void[0].reasons == [broke_off("stolen")]
    assert experiment.arms == summary_of(plain_block(0), plain_block(2)).arms


def test_suspect_blocks_count_and_are_named() -> None:
    suspect = block(1, *plain_block(1, behind=500).arms, validity=Validity.SUSPECT, reasons=("busy",))
    experiment = summary_of(plain_block(0, behind=400), suspect)
    assert (experiment.blocks, [start.number for start in experiment.suspect], experiment.void) == (2, [1], [])
    assert known(experiment.arms[1].ratio).value == pytest.approx((0.4 * 0.5) ** 0.5)


def test_an_arm_that_is_missing_in_some_blocks_is_compared_in_its_own() -> None:
    alone = block(1, part(slice_of("direct", 100)), part(slice_of("direct-aa", 100)))
    behind = arm_of("behind", plain_block(0), alone, plain_block(2))
    assert known(behind.ratio).value == near(0.4)
    assert behind.throughput_per_s == pytest.approx(4_000)


def test_an_arm_that_was_in_no_valid_block_has_no_row() -> None:
    experiment = summary_of(plain_block(0))
    assert [arm.name for arm in experiment.arms] == ["direct", "behind"], "beside was planned, the copy has no row"


def test_without_the_second_run_the_first_one_is_the_reference() -> None:
    alone = block(0, part(slice_of("direct", 1000)), part(slice_of("behind", 250)))
    experiment = summary_of(alone)
    assert experiment.aa_floor is None
    assert known(experiment.arms[1].ratio).value == pytest.approx(0.25)


def test_blocks_of_other_experiments_are_not_mixed_in() -> None:
    other = msgspec.structs.replace(plain_block(0, behind=1), experiment="another")
    assert summary_of(plain_block(0), other) == summary_of(plain_block(0))


def test_an_experiment_without_blocks_is_there_and_empty() -> None:
    experiment = summary_of(run=Run(format=1, hopcost="0.1.0", command=[], started_utc=""))
    assert (experiment.blocks, experiment.arms, experiment.aa_floor, experiment.harness_load, experiment.ending) == (
        0,
        [],
        None,
        None,
        None,
    )


def test_the_ending_is_the_experiments_own() -> None:
    endings = [
        Ending(experiment="another", why=StopReason.FAILED, detail="no arm is left"),
        Ending(experiment="cost", why=StopReason.TIME, detail="6 blocks"),
    ]
    run = Run(format=1, hopcost="0.1.0", command=[], started_utc="", endings=endings)
    assert summary_of(plain_block(0), run=run).ending == endings[1]


def test_failures_of_all_blocks_are_kept_the_void_ones_too() -> None:
    failed = Failure(arm="beside", message="it fell", hint="catch it")
    late = Failure(arm="behind", message="under load")
    blocks = [block(0, validity=Validity.VOID, failures=(failed,)), block(1, *plain_block(1).arms, failures=(late,))]
    assert summary_of(*blocks).failures == [failed, late]


def test_what_was_left_out_is_in_the_plan_that_the_summary_carries() -> None:
    left = [LeftOut(name="beside", reason="not installed", remedy="apt-get install it")]
    plan = plan_of()
    plan = msgspec.structs.replace(plan, experiments=[msgspec.structs.replace(plan.experiments[0], left_out=left)])
    assert summary_of(plain_block(0), plan=plan).plan.left_out == left
