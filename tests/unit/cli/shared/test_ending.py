"""What a verb that measures ends with: 0, 1 if something failed, 4 if there is no answer."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from samples.comparisons import six_blocks
from samples.records import ended_run, plan_of, record
from samples.sweeps import soak_block, soak_plan

from hopcost.cli.shared.ending import Ending, end_with, ending_of, error_of, has_verdict
from hopcost.plan.plan import LeftOut, Plan
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block, Failure
from hopcost.record.contents.run import Ending as ExperimentEnding
from hopcost.record.contents.run import Record, StopReason
from hopcost.statistics.summary.summary import summarise
from hopcost.statistics.verdict import NOT_SETTLED, Verdict


def ending(content: Record, *, well: bool = True) -> Ending:
    return ending_of(content, well=well, is_answered=has_verdict(summarise(content)))


def failed(blocks: Sequence[Block], plan: Plan | None = None) -> Record:
    """A record whose experiment did not end well."""
    broken = ExperimentEnding(experiment="cost", why=StopReason.FAILED, detail="2 void blocks: other programs")
    run = msgspec.structs.replace(ended_run(), endings=[broken])
    return record(*blocks, plan=plan, run=run)


def void(blocks: Sequence[Block]) -> list[Block]:
    return [msgspec.structs.replace(block, validity=Validity.VOID) for block in blocks]


def test_one_verdict_is_an_answer() -> None:
    assert ending(record(*six_blocks())) == Ending(0, "")


@pytest.mark.parametrize(
    "blocks", [six_blocks()[:1], six_blocks(again=1.2)], ids=["one start", "the baseline differs from itself"]
)
def test_without_a_verdict_there_is_no_answer(blocks: list[Block]) -> None:
    assert ending(record(*blocks)) == Ending(4, "there is no verdict")


def test_what_is_not_settled_is_no_verdict() -> None:
    (experiment,) = summarise(record(*six_blocks()))
    (behind,) = [arm for arm in experiment.arms if arm.name == "behind"]
    throughput = behind.comparisons[0]
    wide = msgspec.structs.replace(throughput, verdict=Verdict(NOT_SETTLED, None, 0.02))
    for comparisons, expected in (([wide], False), ([wide, throughput], True)):
        arms = [msgspec.structs.replace(behind, comparisons=comparisons)]
        assert has_verdict([msgspec.structs.replace(experiment, arms=arms)]) is expected


def test_with_anyway_nobody_asks_for_verdicts() -> None:
    assert ending(record(*six_blocks(), plan=plan_of(on_busy_machine=True))).exit_code == 0


def test_a_soak_has_no_verdicts_to_give() -> None:
    soak = record(*[soak_block(number, 400, 2**20) for number in range(4)], plan=soak_plan())
    assert ending(soak).exit_code == 0


@pytest.mark.parametrize("plan", [plan_of(), plan_of(on_busy_machine=True)], ids=["plain", "anyway"])
def test_if_no_start_counts_the_machine_is_to_blame_and_no_stack(plan: Plan) -> None:
    expected = Ending(4, "too few starts of cost count")
    assert ending(failed(void(six_blocks()), plan), well=False) == expected


def test_a_stack_that_failed_weighs_more_than_verdicts_and_void_starts() -> None:
    blocks = [*six_blocks(), *void(six_blocks()[:1])]
    blocks[0].failures = [Failure(arm="beside", message="it would not start")]
    assert ending(failed(blocks), well=False) == Ending(1, "beside failed in cost")


def test_an_experiment_that_does_not_run_here_is_told() -> None:
    left = [LeftOut(name="four-cores", reason="it needs 4 cores, here are 2")]
    plan = msgspec.structs.replace(plan_of(), left_out=left)
    assert ending(record(*six_blocks(), plan=plan)) == Ending(1, "four-cores does not run here")


def test_a_run_that_did_not_go_well_is_never_0() -> None:
    assert ending(failed(six_blocks()), well=False) == Ending(1, "cost failed")
    assert ending(record(*six_blocks()), well=False).exit_code == 1


def test_only_the_experiments_that_matter_are_looked_at() -> None:
    content = failed(six_blocks())
    assert ending_of(content, [], well=True, is_answered=True) == Ending(0, "")
    assert ending_of(content, content.plan.experiments, well=True, is_answered=True) == Ending(1, "cost failed")


def test_servers_that_could_not_be_measured_are_an_error_of_the_same_code() -> None:
    lost = error_of(Ending(4, "too few starts"), "4 void blocks: a neighbour", "wait")
    assert (lost.exit_code, lost.hint) == (4, "wait")
    assert lost.message == "4 batches did not count: a neighbour"
    assert error_of(Ending(1, "a failed"), "the baseline failed", None).exit_code == 1


def test_why_it_is_not_0_is_told_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert (end_with(Ending(4, "there is no verdict")), end_with(Ending(0, ""))) == (4, 0)
    assert capsys.readouterr().err == "exit code 4: there is no verdict\n"
