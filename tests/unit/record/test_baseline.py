"""Any two arms beside each other: a record with another arm as its baseline."""

from __future__ import annotations

import math
import statistics

import msgspec
import pytest
from known import known
from samples.blocks import block, part, slice_of
from samples.records import record
from samples.reports import rendered

from hopcost.errors import UsageError
from hopcost.plan.turns import Turns
from hopcost.record.baseline import with_baseline
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Record
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.figures import throughput
from hopcost.statistics.intervals import ONE
from hopcost.statistics.precision import looks
from hopcost.statistics.summary.summary import ExperimentSummary, summarise

FIGURES = [(1000, 500, 250), (1000, 505, 250), (1000, 500, 252), (1000, 495, 249)]


def blocks(again: int = 1010) -> list[Block]:
    """Direct and its second run, behind about half of it, beside about a quarter."""
    names = ("direct", "behind", "beside", "direct-aa")
    return [
        block(number, *(part(slice_of(name, answers)) for name, answers in zip(names, (*figures, again), strict=True)))
        for number, figures in enumerate(FIGURES)
    ]


def experiment_of(content: Record) -> ExperimentSummary:
    (experiment,) = summarise(content)
    return experiment


def test_all_arms_stand_beside_the_one_that_was_asked_for() -> None:
    compared = experiment_of(with_baseline(record(*blocks()), "behind"))
    by_name = {arm.name: arm for arm in compared.arms}
    assert compared.plan.baseline == "behind" and by_name["behind"].ratio == ONE
    # Three arms, three pairs: a third of the error, of one look since the factory's plan is quick.
    content = record(*blocks())
    arms = PairedBlocks(content.plan.experiments[0], content.blocks)
    assert by_name["beside"].ratio == arms.ratio("beside", throughput, 0.05 / 3, "behind")
    ratios = [beside / behind for _, behind, beside in FIGURES]
    assert known(by_name["beside"].ratio).value == pytest.approx(statistics.geometric_mean(ratios), rel=1e-3)
    direct = known(by_name["direct"].ratio)
    assert direct.value == pytest.approx(1005 / math.prod(figure[1] for figure in FIGURES) ** (1 / 4)), (
        "of both its runs"
    )
    assert [
        comparison.verdict.word for comparison in by_name["beside"].comparisons if comparison.figure == "throughput"
    ] == ["slower"]
    assert "beside behind on request, planned was direct" in compared.plan.notes[-1]


def test_the_floor_stays_that_of_the_copied_arm() -> None:
    planned, rebased = (
        experiment_of(record(*blocks(1200))),
        experiment_of(with_baseline(record(*blocks(1200)), "behind")),
    )
    assert planned.aa_floor is not None and planned.aa_floor.value == pytest.approx(1.2)
    assert rebased.aa_floor == planned.aa_floor
    assert rebased.instrument_is_biased == planned.instrument_is_biased is True
    assert rebased.no_verdicts == planned.no_verdicts


def test_what_an_arm_did_that_is_no_part_of_the_ratio_says_nothing_of_it() -> None:
    starts = blocks()
    for start in starts:
        for arm in start.arms:
            if arm.name in ("direct", "direct-aa"):
                assert arm.totals is not None
                arm.totals = msgspec.structs.replace(arm.totals, errors={"read": 1})
    by_name = {arm.name: arm for arm in experiment_of(with_baseline(record(*starts), "behind")).arms}
    assert {comparison.no_verdict for comparison in by_name["beside"].comparisons} == {None, "it is not known here"}
    assert by_name["direct"].comparisons[0].no_verdict == "4 errors: read 4"


def test_a_soak_stays_as_it_is() -> None:
    content = record(*blocks())
    (planned,) = content.plan.experiments
    soak = msgspec.structs.replace(planned, name="soak", turns=Turns.SOAK)
    both = msgspec.structs.replace(content, plan=msgspec.structs.replace(content.plan, experiments=[planned, soak]))
    assert [experiment.baseline for experiment in with_baseline(both, "behind").plan.experiments] == [
        "behind",
        "direct",
    ]
    alone = msgspec.structs.replace(content, plan=msgspec.structs.replace(content.plan, experiments=[soak]))
    with pytest.raises(UsageError):
        with_baseline(alone, "behind")


def test_the_planned_baseline_changes_nothing() -> None:
    content = record(*blocks())
    assert with_baseline(content, "direct").plan == content.plan
    (planned,) = content.plan.experiments
    assert looks.error_of_one_arm(planned, 0.06) == pytest.approx(0.03), "two arms beside the baseline"


def test_an_arm_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="no experiment of made-up has a stack 'behimd'") as error:
        with_baseline(record(*blocks()), "behimd")
    assert error.value.hint is not None and "behind" in error.value.hint
    with pytest.raises(UsageError):
        with_baseline(record(*blocks()), "direct-aa")


def test_every_format_shows_it() -> None:
    content = with_baseline(record(*blocks()), "behind")
    for format in ("txt", "md", "json", "html"):
        assert "beside behind on request" in " ".join(rendered(format, content).split())
    assert '"baseline": "behind",\n      "twice": "direct",' in rendered("json", content)
    beside = next(row for row in rendered("csv", content).splitlines() if ",beside," in row)
    assert ",beside,behind,throughput," in beside
    again = next(row for row in rendered("csv", content).splitlines() if ",direct-aa," in row)
    assert ",direct-aa,direct,throughput," in again
