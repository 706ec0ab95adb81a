"""Two records side by side: figures, ratios, verdicts, and what is refused."""

from __future__ import annotations

import msgspec
import pytest
from samples.questions.pairs import block_of_pair, half
from samples.records import ENVIRONMENT, plan_of

from hopcost.errors import UsageError
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.offered_load import LoadFault, LoadFaultKind, VoidLoad
from hopcost.statistics.arms import RecordBlocks
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.figures import throughput
from hopcost.statistics.intervals import of_logs, subtract
from hopcost.statistics.questions.two_records import two_records
from hopcost.statistics.questions.two_records.result import FigureChange, RecordComparison
from hopcost.statistics.questions.two_records.two_records import ONLY_ABSOLUTE
from hopcost.statistics.validity.grounds import GENERATOR_FULL


def figure(comparison: RecordComparison, arm: str, name: str = THROUGHPUT, load: float | None = None) -> FigureChange:
    (experiment,) = comparison.experiments
    figures = next(part.figures for part in experiment.arms if part.name == arm)
    return next(figure for figure in figures if (figure.figure, figure.load_per_s) == (name, load))


def test_a_slower_machine_is_in_the_absolute_figures_and_not_in_the_ratio_to_the_baseline() -> None:
    comparison = two_records.compare_records(half("a"), half("b", machine=0.7))
    behind, direct = figure(comparison, "behind"), figure(comparison, "direct")
    assert behind.ratio is not None and behind.relative is not None and direct.ratio is not None
    assert behind.ratio.value == pytest.approx(0.7, rel=1e-5)
    assert direct.ratio.value == pytest.approx(0.7, rel=1e-5)
    assert behind.relative.value == pytest.approx(1.0, rel=1e-5)
    assert (str(behind.verdict), behind.no_verdict) == ("same", None)
    assert (direct.relative, direct.no_verdict) == (None, ONLY_ABSOLUTE)
    assert direct.verdict.word == "no verdict"


@pytest.mark.parametrize(("share", "word"), [(0.45, "slower"), (0.56, "faster"), (0.505, "faster, negligible")])
def test_a_change_of_the_arm_alone_is_seen_whatever_the_machine_did(share: float, word: str) -> None:
    comparison = two_records.compare_records(half("a"), half("b", machine=1.4, behind=share))
    behind = figure(comparison, "behind")
    assert behind.relative is not None and behind.relative.value == pytest.approx(share / 0.5, rel=1e-4)
    assert str(behind.verdict) == word


def test_a_ratio_of_two_records_is_the_difference_of_what_each_says_by_itself() -> None:
    """Throughput and CPU per request of one arm: two intervals share the 5 %."""
    a, b = half("a"), half("b", behind=0.45)
    comparison = two_records.compare_records(a, b)
    assert comparison.intervals == 2
    own = []
    for content in (a, b):
        (experiment,) = content.plan.experiments
        estimate = RecordBlocks([experiment], content.blocks).of(experiment).estimate("behind", throughput)
        assert estimate is not None
        own.append(estimate.interval(0.05 / 2))
    assert figure(comparison, "behind").relative == of_logs(subtract(*own))


def test_how_narrow_it_is_does_not_depend_on_how_often_a_run_looked() -> None:
    full = plan_of(quick=False)
    looked, quick = (
        two_records.compare_records(half("a", plan=plan), half("b", plan=plan)) for plan in (full, plan_of())
    )
    assert figure(looked, "behind").relative == figure(quick, "behind").relative


def test_response_times_are_compared_at_equal_loads_and_only_there() -> None:
    full = plan_of(quick=False)
    same = two_records.compare_records(half("a", open_loop_at=5000, plan=full), half("b", open_loop_at=5000, plan=full))
    median = figure(same, "behind", "response_p50", 5000).relative
    assert median is not None and median.value == pytest.approx(1)
    assert any(cost.load_per_s == 5000 for cost in same.experiments[0].hop_costs)
    other = two_records.compare_records(
        half("a", open_loop_at=5000, plan=full), half("b", open_loop_at=6000, plan=full)
    )
    assert {change.load_per_s for arm in other.experiments[0].arms for change in arm.figures} == {None}
    assert {cost.load_per_s for cost in other.experiments[0].hop_costs} == {None}
    assert "A 5,000/s; B 6,000/s" in other.experiments[0].notes[-1]


def test_the_hop_cost_is_a_difference_in_nanoseconds() -> None:
    """A request costs direct 80 ns, behind 160 ns per half an answer: 320 ns; a machine of 0.8 makes both dearer."""
    (cost,) = two_records.compare_records(half("a"), half("b", machine=0.8)).experiments[0].hop_costs
    assert (cost.arm, cost.without, cost.hop, cost.load_per_s) == ("behind", "direct", "proxy", None)
    assert cost.a_ns == pytest.approx(240, rel=0.01)
    assert cost.b_ns == pytest.approx(240 / 0.8**2, rel=0.01)
    assert cost.difference_ns is not None and cost.difference_ns.value == pytest.approx(cost.b_ns - cost.a_ns)


def test_the_hop_cost_of_a_load_that_one_record_has_in_one_start_has_no_range() -> None:
    plan = plan_of(quick=False)
    a, b = (half(name, open_loop_at=5000, plan=plan) for name in "ab")
    for block in b.blocks[1:]:
        block.void_loads = [VoidLoad(0.25, 5000, [LoadFault("direct", LoadFaultKind.LATE, 0.1)])]
    costs = two_records.compare_records(a, b).experiments[0].hop_costs
    ranges = {cost.load_per_s: cost.difference_ns and cost.difference_ns.low for cost in costs}
    assert ranges[5000] is None and ranges[None] is not None


def test_a_changed_baseline_leaves_no_verdict() -> None:
    environment = ENVIRONMENT | {"programs": {"app": "1", "proxy": "2"}}
    newer = ENVIRONMENT | {"programs": {"app": "1.1", "proxy": "2"}}
    comparison = two_records.compare_records(half("a", environment=environment), half("b", environment=newer))
    behind = figure(comparison, "behind")
    assert behind.relative is not None
    assert behind.no_verdict == "the baseline direct is not the same in both (version.app: 1 → 1.1)"
    proxy = two_records.compare_records(
        half("a", environment=environment),
        half("b", environment=environment | {"programs": {"app": "1", "proxy": "3"}}),
    )
    assert figure(proxy, "behind").no_verdict is None
    assert [difference.key for difference in proxy.experiments[0].arms[1].differences] == ["version.proxy"]


def test_what_has_no_verdict_in_its_own_record_has_none_here() -> None:
    def beside(blocks: int) -> FigureChange:
        short = half("b", behind=0.2)
        short.blocks = short.blocks[:blocks]
        return figure(two_records.compare_records(half("a"), short), "behind")

    assert beside(1).no_verdict == "B: from one start: 2 are needed"
    alone = beside(1).relative
    assert alone is not None and alone.low is None
    assert (beside(2).no_verdict, beside(2).verdict.word) == (None, "slower"), "two starts suffice"


def test_a_full_generator_leaves_no_verdict_on_throughput() -> None:
    full = half("b", behind=0.2)
    for block in full.blocks:
        for piece in block.arms[1].slices:
            piece.generator_cpu_ns = piece.elapsed_ns
    comparison = two_records.compare_records(half("a"), full)
    why = figure(comparison, "behind").no_verdict
    assert why is not None and why.startswith("B: ") and why.endswith(GENERATOR_FULL)
    assert figure(comparison, "behind", CPU).no_verdict is None


def test_void_blocks_do_not_count() -> None:
    with_void = half("b")
    with_void.blocks.append(msgspec.structs.replace(block_of_pair(6, 1.0, 0.01), validity=Validity.VOID))
    clean, spoilt = (two_records.compare_records(half("a"), record) for record in (half("b"), with_void))
    assert figure(clean, "behind") == figure(spoilt, "behind")


def test_records_without_a_common_experiment() -> None:
    plan = plan_of()
    renamed = [msgspec.structs.replace(experiment, name="other") for experiment in plan.experiments]
    b = half("b", plan=msgspec.structs.replace(plan, experiments=renamed))
    with pytest.raises(UsageError, match="made-up has cost, made-up has other"):
        two_records.compare_records(half("a"), b, anyway=True)
