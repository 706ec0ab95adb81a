"""Groups of arms that open files cannot hold at once: who is in which, and what they share."""

import msgspec
from samples.records import plan_of

from hopcost.plan.groups import in_groups, split
from hopcost.plan.plan import LeftOut, PlannedArm, PlannedExperiment
from hopcost.suites.articles.published import Published


def experiment(*others: str) -> PlannedExperiment:
    """The factory's experiment with these arms beside its baseline."""
    planned = plan_of().experiments[0]
    baseline, copy = planned.arms[0], planned.arms[-1]
    assert (baseline.name, copy.copy_of) == (planned.baseline, planned.baseline)
    arms = [PlannedArm(name=name, arm=baseline.arm) for name in others]
    return msgspec.structs.replace(planned, arms=[baseline, *arms, copy])


def test_all_in_one_where_they_fit() -> None:
    planned = experiment("a", "b")
    assert in_groups(planned, 4) == [planned]
    assert planned.suite_name == planned.name


def test_each_group_has_the_baseline_and_its_copy_first_and_last() -> None:
    planned = experiment("a", "b", "c")
    baseline = planned.baseline
    groups = in_groups(planned, 4)
    assert [[arm.name for arm in group.arms] for group in groups] == [
        [baseline, "a", f"{baseline}-aa"],
        [baseline, "b", "c", f"{baseline}-aa"],
    ]
    assert [group.name for group in groups] == [f"{planned.name}+a", f"{planned.name}+b+c"]
    assert {group.suite_name for group in groups} == {planned.name}


def test_groups_share_the_weight_and_only_the_first_has_the_notes() -> None:
    planned = msgspec.structs.replace(
        experiment("a", "b"),
        weight=3,
        notes=["a note"],
        left_out=[LeftOut(name="c", reason="it is not here")],
        published=[Published(arm=name, throughput_per_s=1.0) for name in ("direct", "a", "b")],
    )
    first, second = in_groups(planned, 3)
    assert (first.weight, second.weight) == (1.5, 1.5)
    assert (first.notes, second.notes) == (["a note"], [])
    assert (len(first.left_out), second.left_out) == (1, [])
    assert [row.arm for row in first.published] == ["direct", "a"]
    assert [row.arm for row in second.published] == ["direct", "b"]


def test_groups_are_few_and_about_as_large() -> None:
    assert split(list("abcdefg"), 3) == [["a", "b"], ["c", "d"], ["e", "f", "g"]]
