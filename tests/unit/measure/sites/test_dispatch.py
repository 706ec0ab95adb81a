"""Who takes which block, as tables: the parts of the loop that need no loop."""

from __future__ import annotations

import msgspec
import pytest
from mocks.mock_rig import SUITE, plan_of
from samples.blocks import plain_block

from hopcost.measure.sites.dispatch import (
    FleetCourse,
    SiteState,
    Turn,
    by_need,
    common_rates,
    seconds_of,
    void_block,
)
from hopcost.plan.plan import Plan
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block
from hopcost.statistics.figures import throughput

SITES = ["a", "b"]


def courses(*weights: float) -> tuple[Plan, list[FleetCourse]]:
    experiments = [
        msgspec.structs.replace(SUITE.experiments[0], name=f"e{number}", weight=weight)
        for number, weight in enumerate(weights)
    ]
    plan = plan_of(True, 1000.0, msgspec.structs.replace(SUITE, experiments=experiments))
    return plan, [FleetCourse(plan, experiment) for experiment in plan.experiments]


def take(course: FleetCourse, site: str, now_s: float = 0.0) -> Turn:
    turn = course.next(site, SITES, 1000.0, [])
    assert isinstance(turn, Turn)
    course.begin(turn, site, now_s)
    return turn


def done(plan: Plan, course: FleetCourse, turn: Turn, now_s: float, *, void: bool = True) -> Block:
    empty = void_block(plan, course.experiment.name, turn.step.number, "a", "lost", "now")
    ended = empty if void else msgspec.structs.replace(empty, validity=Validity.VALID, reasons=[])
    course.end(ended, now_s)
    return ended


def test_numbers_are_handed_out_in_order_and_never_twice() -> None:
    plan, (course,) = courses(1)
    first, second = take(course, "a"), take(course, "b")
    assert (first.step.number, second.step.number) == (0, 1)
    done(plan, course, second, 5.0)
    assert take(course, "b").step.number == 2, "the void one's number is used up"
    done(plan, course, first, 6.0)
    assert take(course, "a").step.number == 3


def test_a_block_that_comes_early_counts_after_those_before_it() -> None:
    plan, (course,) = courses(1)
    first, second = take(course, "a"), take(course, "b")
    done(plan, course, second, 5.0, void=False)
    assert course.finished.valid == [] and course.in_flight == 2
    done(plan, course, first, 6.0, void=False)
    assert [ended.number for ended in course.finished.valid] == [0, 1] and course.in_flight == 0


def test_a_site_that_measured_more_waits_for_one_that_measured_fewer() -> None:
    plan, (course,) = courses(1)
    first = take(course, "a")
    done(plan, course, first, 5.0, void=False)
    assert course.next("a", SITES, 1000.0, []) is None
    assert isinstance(course.next("a", ["a"], 1000.0, []), Turn), "alone it goes on"
    take(course, "b")
    assert isinstance(course.next("a", SITES, 1000.0, []), Turn)


def test_the_sites_time_goes_by_weight() -> None:
    _, running = courses(1, 3)
    assert [seconds_of(course, running, 2, 100.0, 0.0) for course in running] == [25.0, 75.0]
    take(running[0], "a", now_s=0.0)
    used = seconds_of(running[0], running, 2, 80.0, 20.0)
    assert used == pytest.approx(((160 + 20) / 4 - 20) / 2), "what it uses just now counts"


def test_a_site_takes_what_it_measured_least() -> None:
    _, running = courses(1, 1)
    take(running[0], "a")
    assert by_need(running, "a", 1.0) == [running[1], running[0]]
    assert by_need(running, "b", 1.0)[0] is running[1], "the other has used time"


def test_the_slowest_arm_of_the_slowest_site_decides_the_loads() -> None:
    fast = plain_block(0, direct=1000, behind=500)
    slow = plain_block(1, direct=800, behind=300)
    nothing = plain_block(2, direct=0, again=0, behind=0)
    slowest = throughput(slow.arms[1])
    assert slowest is not None
    assert common_rates([fast, slow, nothing], [0.25]) == {0.25: pytest.approx(slowest / 4)}
    assert common_rates([nothing], [0.25]) is None


def test_a_site_leaves_at_its_third_void_block() -> None:
    plan = plan_of(True)
    state = SiteState("a")
    for number in range(3):
        assert state.left is None
        state.note(plain_block(number))
        state.note(void_block(plan, "one", number, "a", f"fault {number}", "now"))
    assert state.left is not None and state.left.startswith("3 void blocks: ")


def test_a_block_that_did_not_arrive_says_so() -> None:
    plan = plan_of(True)
    lost = void_block(plan, "one", 4, "a", "a: its worker was lost", "2026-01-01T00:00:00Z")
    assert (lost.validity, lost.site, lost.reasons[0].text) == (Validity.VOID, "a", "a: its worker was lost")
    assert lost.seed != void_block(plan, "one", 5, "a", "", "").seed
