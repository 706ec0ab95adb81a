"""What is shown while a run goes on is what its report will print."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from known import known
from samples.blocks import block, part, plain_block, slice_of
from samples.records import plan_of, record
from samples.reports import everything

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block, Failure
from hopcost.record.contents.run import Record
from hopcost.statistics.arms import PairedBlocks, RecordBlocks
from hopcost.statistics.intervals import ONE
from hopcost.statistics.precision import stop
from hopcost.statistics.precision.stop import ArmSoFar
from hopcost.statistics.summary.summary import summarise

EXPERIMENT = plan_of().experiments[0]


def of_record(content: Record) -> list[ArmSoFar]:
    planned = content.plan.experiments
    return stop.arms_so_far(RecordBlocks(planned, content.blocks).of(planned[0]))


def of_blocks(blocks: Sequence[Block]) -> list[ArmSoFar]:
    return stop.arms_so_far(PairedBlocks(EXPERIMENT, blocks))


def test_ratios_and_errors_are_the_reports() -> None:
    """Of a full run with a void block, errors, and an arm that is not in every block; interrupted now."""
    content = everything()
    content.run.endings = []
    (reported,) = summarise(content)
    shown = {arm.name: arm for arm in of_record(content)}
    for arm in reported.arms:
        assert shown[arm.name].ratio == arm.ratio
        assert shown[arm.name].errors == sum(arm.errors.values())
    assert shown["behind"].errors == 3606
    assert shown["direct-aa"].ratio == reported.aa_floor
    assert shown["beside"].has_failed and not shown["behind"].has_failed


def test_the_cpu_time_that_an_arm_adds_is_the_reports() -> None:
    content = everything()
    arms = RecordBlocks(content.plan.experiments, content.blocks).of(content.plan.experiments[0])
    behind = next(arm for arm in stop.arms_so_far(arms) if arm.name == "behind")
    own, baseline = (known(summarise(content)[0].arms[number].cpu_at(None)) for number in (1, 0))
    expected_ns = known(own["proxy"]) + known(own["app"]) - known(baseline["app"])
    assert abs(known(behind.cpu_added_ns).value - expected_ns) < 0.1 * expected_ns


def test_the_widest_is_the_one_below_the_table() -> None:
    content = record(plain_block(0), plain_block(1, behind=440))
    widest = stop.widest_interval(content.plan.experiments[0], of_record(content))
    content.run.endings = []  # as it would be, were it interrupted now
    (reported,) = summarise(content)
    assert widest == known(reported.arms[1].ratio).half_width, "the A/A arm's own width is no answer's"


def test_one_start_has_a_figure_and_no_range_to_show() -> None:
    (behind,) = [arm for arm in of_blocks([plain_block(0)]) if arm.name == "behind"]
    assert known(behind.ratio).value == pytest.approx(0.4) and (behind.starts, behind.has_range) == (1, False)
    assert stop.widest_interval(EXPERIMENT, [behind]) is None


def test_before_any_block_nothing_is_known_not_even_of_the_baseline() -> None:
    for blocks in ([], [block(0, validity=Validity.VOID, failures=(Failure(arm="behind", message="gone"),))]):
        arms = of_blocks(blocks)
        assert [arm.name for arm in arms] == [arm.name for arm in EXPERIMENT.arms]
        assert {arm.ratio for arm in arms} == {None}
        assert stop.widest_interval(EXPERIMENT, arms) is None
        assert [arm.has_failed for arm in arms] == [bool(blocks) and arm.name == "behind" for arm in arms]


def test_the_baseline_is_one() -> None:
    direct = of_blocks([block(0, part(slice_of("direct", 10)))])[0]
    assert (direct.name, direct.ratio, direct.cpu_added_ns) == ("direct", ONE, None)
