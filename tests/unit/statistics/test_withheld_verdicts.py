"""When nothing is said: too few starts, errors, arms that failed, a machine or an instrument that cannot be trusted."""

from __future__ import annotations

from known import known
from samples.comparisons import RATE_PER_S, arm, of_behind, six_blocks, summary
from samples.records import plan_of

from hopcost.record.contents.block import Failure
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.precision import stop


def test_a_baseline_that_differs_from_itself_leaves_the_run_without_verdicts() -> None:
    experiment = summary(six_blocks(again=1.2))
    assert experiment.instrument_is_biased is True
    assert "differs from itself" in known(experiment.no_verdicts)
    assert {comparison.verdict.word for arm in experiment.arms for comparison in arm.comparisons} == {"no verdict"}
    assert summary(six_blocks()).instrument_is_biased is False


def test_a_run_on_a_machine_that_is_known_to_be_busy_has_no_verdicts_and_convicts_nobody() -> None:
    experiment = summary(six_blocks(again=1.2), plan=plan_of(on_busy_machine=True))
    assert "--anyway" in known(experiment.no_verdicts)
    assert experiment.instrument_is_biased is None, "nobody judged it"
    assert {comparison.verdict.word for arm in experiment.arms for comparison in arm.comparisons} == {"no verdict"}


def test_two_starts_give_verdicts_and_one_gives_none() -> None:
    assert of_behind(summary(six_blocks()[:2]), "throughput").verdict.word == "slower"
    experiment = summary(six_blocks()[:1])
    assert experiment.no_verdicts == "from one start: 2 are needed"
    assert of_behind(experiment, "throughput").verdict.word == "no verdict"
    assert of_behind(experiment, "throughput").ratio is not None


def test_many_errors_take_the_verdict_on_throughput_and_a_few_are_a_caveat() -> None:
    blocks = six_blocks()
    known(blocks[3].arms[1].totals).errors["timeout"] = 2
    few = of_behind(summary(blocks), "throughput")
    assert (few.verdict.word, few.caveats) == ("slower", ["2 errors: timeout 2"])
    known(blocks[3].arms[1].totals).errors["timeout"] = 2000
    many = of_behind(summary(blocks), "throughput")
    assert (many.verdict.word, many.no_verdict) == ("no verdict", "2000 errors: timeout 2000")
    cpu = of_behind(summary(blocks), "cpu_per_request")
    assert (cpu.verdict.word, cpu.caveats) == ("dearer", ["2000 errors: timeout 2000"])


def test_an_arm_is_not_judged_against_a_baseline_with_errors() -> None:
    blocks = six_blocks()
    known(blocks[3].arms[0].totals).errors["timeout"] = 2000
    experiment = of_behind(summary(blocks), "throughput")
    assert (experiment.verdict.word, experiment.no_verdict) == ("no verdict", "direct: 2000 errors: timeout 2000")


def test_a_figure_in_which_the_baseline_differs_from_itself_has_no_verdict() -> None:
    assert of_behind(summary(six_blocks()), "response_p50", RATE_PER_S).verdict.word == "slower"
    blocks = six_blocks()
    for block in blocks:
        block.arms[2] = arm("direct-aa", 10_000, 100, 20.0, 600.0)
    experiment = summary(blocks)
    p50 = of_behind(experiment, "response_p50", RATE_PER_S)
    assert p50.ratio is not None and p50.verdict.word == "no verdict"
    assert known(p50.no_verdict).startswith("direct differs from itself here: ")
    assert experiment.instrument_is_biased is False, "its throughput and CPU do not differ"
    assert of_behind(experiment, "throughput").verdict.word == "slower"


def test_two_blocks_of_the_arm_itself_are_needed() -> None:
    blocks = six_blocks()
    for block in blocks[1:]:
        block.arms = [arm for arm in block.arms if arm.name != "behind"]
    experiment = of_behind(summary(blocks), "throughput")
    assert (experiment.verdict.word, experiment.no_verdict) == ("no verdict", "from one start: 2 are needed")


def test_an_arm_that_failed_has_no_verdict_and_is_not_waited_for() -> None:
    blocks = six_blocks(0.99, 0.05)
    for block in blocks:
        block.arms[2] = arm("direct-aa", 10_000, 100, 20.0)
    experiment = plan_of().experiments[0]
    beside = [arm("beside", 10_000, 100, 20.0) for _ in blocks]
    for block, other in zip(blocks, beside, strict=True):
        block.arms.append(other)
    assert not stop.is_precise_enough(PairedBlocks(experiment, blocks), error=0.05, precision=0.06)
    blocks[5].arms = [arm for arm in blocks[5].arms if arm.name != "behind"]
    blocks[5].failures = [Failure(arm="behind", message="under load: proxy: gzip = true, but nothing came of it")]
    assert stop.is_precise_enough(PairedBlocks(experiment, blocks), error=0.05, precision=0.06)
    comparison = of_behind(summary(blocks), "throughput")
    assert (comparison.verdict.word, comparison.no_verdict) == ("no verdict", "it failed in 1 of 6 starts (block 6)")


def test_an_arm_that_failed_in_some_starts_may_still_be_slower() -> None:
    blocks = six_blocks(0.5)
    blocks[5].arms = [arm for arm in blocks[5].arms if arm.name != "behind"]
    blocks[5].failures = [Failure(arm="behind", message="it ended")]
    slower = of_behind(summary(blocks), "throughput")
    assert (slower.verdict.word, slower.caveats) == ("slower", ["it failed in 1 of 6 starts (block 6)"])
    assert of_behind(summary(blocks), "cpu_per_request").verdict.word == "dearer"
