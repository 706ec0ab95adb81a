"""An experiment with restarts on the mock engine: one arm at a time, its copies one after the other."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from known import known
from mocks.mock_rig import SUITE, MockRig, measure, plan_of

from hopcost.errors import ArmFailed
from hopcost.measure.load.restarting import NOT_BACK
from hopcost.plan.method import METHOD
from hopcost.plan.turns import Turns
from hopcost.record.contents.restart import RestartedCopy
from hopcost.record.contents.run import StopReason
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.running.programs import RestartTimes
from hopcost.stacks.stack import Stack as AnyStack
from hopcost.statistics.summary.summary import summarise
from hopcost.suites.experiments.restart import Restart
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.suite import Suite


@pytest.fixture
def suite() -> Suite:
    (experiment,) = SUITE.experiments
    restart = Restart(program="origin", rate_per_s=50.0)
    return msgspec.structs.replace(SUITE, experiments=[msgspec.structs.replace(experiment, restart=restart)])


def test_one_arm_is_alive_at_a_time_and_no_load_follows(suite: Suite) -> None:
    (planned,) = plan_of(quick=True, suite=suite, loads=1).experiments
    assert (planned.turns, planned.loads, planned.settle_ns) == (Turns.WHOLE, 0, 0)
    assert planned.slice_ns == planned.slice_ns_least == 1e9 * (2 * METHOD.restart_pause_s + METHOD.restart_stop_s)


def test_an_arm_is_loaded_and_restarted_before_the_next_one_starts(suite: Suite, rig: MockRig, tmp_path: Path) -> None:
    rig.load_s = 30.0
    well, read, _ = measure(rig, tmp_path, time_s=1.0, suite=suite)
    assert well
    steps = [step for step in rig.log if not step.startswith(("watch", "check"))]
    for number in range(0, len(steps), 4):
        name = steps[number].removeprefix("start ")
        assert sorted(steps[number : number + 4]) == sorted(
            [f"start {name}", f"load {name}", f"restart origin of {name}", f"stop {name}"]
        )
    assert len(steps) == 4 * 3
    (block,) = read.blocks
    for part in block.arms:
        run = known(part.restarted)
        assert run.copies == [RestartedCopy("origin", stopping_ns=1, starting_ns=2)]
        assert run.visits > 0 and run.failed == {} and run.broken == 0
        assert run.sent == run.answers == rig.answers[part.name]
        assert part.slices == [] and part.totals is None


def test_the_load_is_open_and_nothing_is_frozen(suite: Suite, rig: MockRig, tmp_path: Path) -> None:
    measure(rig, tmp_path, time_s=1.0, suite=suite)
    for plan in rig.plans:
        (arm,) = plan.arms
        assert known(arm.arrivals)["poisson"].rate_per_s == 50.0
        assert arm.freeze is None and plan.rounds == 1
        assert known(arm.slice_ns) > 1e9 * 2 * METHOD.restart_pause_s + 0.5e9, "twice its first start is in it"


def test_a_program_that_does_not_start_again_fails_its_arm(suite: Suite, rig: MockRig, tmp_path: Path) -> None:
    rig.does_not_restart = True
    well, read, _ = measure(rig, tmp_path, suite=suite)
    assert not well
    assert {failure.message for failure in read.blocks[0].failures} == {"origin did not get ready"}
    assert read.run.endings[0].why is StopReason.FAILED


def test_the_summary_has_the_runs_of_all_blocks_and_no_verdict(suite: Suite, rig: MockRig, tmp_path: Path) -> None:
    rig.load_s = 10.0
    _, read, _ = measure(rig, tmp_path, time_s=100.0, suite=suite)
    (experiment,) = summarise(read)
    assert [(arm.name, len(arm.restarts)) for arm in experiment.arms] == [
        ("slow", experiment.blocks),
        ("base", experiment.blocks),
    ]
    assert experiment.blocks > 1
    assert all(comparison.ratio is None for arm in experiment.arms for comparison in arm.comparisons)


class UnheardRig(MockRig):
    """After its restart an arm gives this many visitors no answer, who wait for a second each."""

    def __init__(self, visitors: int) -> None:
        super().__init__()
        self.visitors, self.unheard = visitors, 0

    def restart(self, stack: AnyStack, hop: str) -> RestartTimes:
        self.unheard = self.visitors
        return super().restart(stack, hop)

    def ask(self, stack: AnyStack, workload: Workload) -> HttpAnswer:
        if self.unheard == 0:
            return super().ask(stack, workload)
        self.unheard -= 1
        self.clock_s += 1
        raise ArmFailed(stack.arm, "no answer") from ConnectionRefusedError()


@pytest.mark.parametrize(("visitors", "is_back"), [(3, True), (40, False)])
def test_visitors_go_on_after_restarts_until_one_is_answered(
    visitors: int, is_back: bool, suite: Suite, tmp_path: Path
) -> None:
    rig = UnheardRig(visitors)
    rig.load_s = 30.0
    _, read, _ = measure(rig, tmp_path, time_s=1.0, suite=suite)
    part = read.blocks[0].arms[-1]
    run = known(part.restarted)
    assert (NOT_BACK in part.notes) is not is_back
    assert run.failed["refused"] == visitors if is_back else run.failed["refused"] > METHOD.restart_patience_s
    assert run.longest_gap_ns >= 1e9 * min(visitors, METHOD.restart_patience_s)
