"""What is shown while a run goes on is what its report will print."""

from __future__ import annotations

from known import known
from samples.records import block, part, plain_block, plan_of, record, slice_of
from samples.reports import everything

from hopcost.generators.engine_protocol import Validity
from hopcost.record.block import Failure
from hopcost.statistics import stop
from hopcost.statistics.intervals import ONE
from hopcost.statistics.summary.summary import summarise


def test_ratios_and_errors_are_the_reports() -> None:
    """Of a full run with a void block, errors, and an arm that is not in every block; interrupted now."""
    content = everything()
    content.run.endings = []
    (reported,) = summarise(content)
    shown = {arm.name: arm for arm in stop.arms_so_far(content.plan.experiments[0], content.blocks)}
    for arm in reported.arms:
        assert (shown[arm.name].ratio, shown[arm.name].cpu_ratio) == (arm.ratio, arm.cpu_ratio)
        assert shown[arm.name].errors == sum(arm.errors.values())
    assert shown["behind"].errors == 3606
    assert shown["direct-aa"].ratio == reported.aa_floor
    assert shown["beside"].has_failed and not shown["behind"].has_failed


def test_the_widest_is_the_one_below_the_table() -> None:
    content = record(plain_block(0), plain_block(1, behind=440))
    arms = stop.arms_so_far(content.plan.experiments[0], content.blocks)
    widest = stop.widest_interval(content.plan.experiments[0], arms)
    content.run.endings = []  # as it would be, were it interrupted now
    (reported,) = summarise(content)
    assert widest == known(reported.arms[1].ratio).half_width, "the A/A arm's own width is no answer's"


def test_before_any_block_nothing_is_known_not_even_of_the_baseline() -> None:
    plan = plan_of()
    for blocks in ([], [block(0, validity=Validity.VOID, failures=(Failure(arm="behind", message="gone"),))]):
        arms = stop.arms_so_far(plan.experiments[0], blocks)
        assert [arm.name for arm in arms] == [arm.name for arm in plan.experiments[0].arms]
        assert {arm.ratio for arm in arms} == {None}
        assert stop.widest_interval(plan.experiments[0], arms) is None
        assert [arm.has_failed for arm in arms] == [bool(blocks) and arm.name == "behind" for arm in arms]


def test_the_baseline_is_one() -> None:
    plan = plan_of()
    direct = stop.arms_so_far(plan.experiments[0], [block(0, part(slice_of("direct", 10)))])[0]
    assert (direct.name, direct.ratio, direct.cpu_ratio) == ("direct", ONE, ONE)
