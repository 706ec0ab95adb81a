"""The gate on a mock engine: its experiment, the order in which it runs, and its answers."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from mocks.gates import measured, question
from mocks.mock_rig import MockRig
from texts import suite_files

from hopcost.errors import UsageError
from hopcost.measure.protocols import before_after
from hopcost.report import Format, render
from hopcost.report.questions.gate import gate_report
from hopcost.report.questions.gate.sentence import sentence
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions.gate.decision import GateOutcome, decide
from hopcost.statistics.questions.gate.figures import GateFigures
from hopcost.suites.experiments.experiment import Placement

SWEPT = suite_files.TWO_ARMS + '\n[experiments.sweep]\nkey = "workload.connections"\nvalues = [4, 8]\n'


def test_both_sides_are_arms_of_one_experiment_and_before_is_the_baseline(tmp_path: Path) -> None:
    made = before_after.gate_suite(question(tmp_path, "origin.work_rounds=50"))
    (experiment,) = made.experiments
    assert (experiment.baseline, experiment.arms) == ("before", ["before", "after"])
    assert (experiment.placement, experiment.workload.connections) == (Placement.ALL_CORES, 4)
    before, after = (made.arms[name].hops[0] for name in ("before", "after"))
    assert (before.settings, after.settings) == ({}, {"work_rounds": 50})
    assert before.link == after.link and before.link.value == "http+unix"
    assert made.arms["after"].title == "origin.work_rounds=50"


def test_settings_of_the_experiment_are_in_both_sides_and_yield_to_the_changes(tmp_path: Path) -> None:
    text = suite_files.TWO_ARMS + "settings = { origin = { threads = 1, work_rounds = 7 } }\n"
    made = before_after.gate_suite(question(tmp_path, "origin.work_rounds=50", text=text))
    assert made.arms["before"].hops[0].settings == {"threads": 1, "work_rounds": 7}
    assert made.arms["after"].hops[0].settings == {"threads": 1, "work_rounds": 50}


def test_of_a_sweep_one_value_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is a sweep over workload\.connections") as caught:
        before_after.gate_suite(question(tmp_path, text=SWEPT))
    assert caught.value.hint == "name one of its values: links@4 (4, 8)"
    (experiment,) = before_after.gate_suite(question(tmp_path, text=SWEPT, point="@8")).experiments
    assert experiment.workload.connections == 8


def test_the_order_of_a_block_is_before_after_and_before_again(ready: MockRig, tmp_path: Path) -> None:
    answer = measured(ready, tmp_path, question(tmp_path))
    one_block = [
        "start before", "check before", "start after", "check after", "start before-aa", "check before-aa",
        "load before after before-aa",
        "stop before-aa", "stop after", "stop before",
    ]  # fmt: skip
    assert ready.log == one_block * 6
    assert answer.decision.outcome is GateOutcome.WITHIN and answer.question.is_same


def test_it_stops_at_the_first_look_where_it_is_wholly_beyond(ready: MockRig, tmp_path: Path) -> None:
    ready.answers["after"] = 90
    answer = measured(ready, tmp_path, question(tmp_path, "origin.work_rounds=50"))
    assert answer.experiment.blocks == 6
    assert [each.outcome for each in answer.decision.figures] == [GateOutcome.BEYOND, GateOutcome.BEYOND]
    assert answer.decision.outcome.exit_code == 1


def test_the_figure_that_does_not_decide_is_shown_and_decides_nothing(ready: MockRig, tmp_path: Path) -> None:
    """The mock's CPU time per slice is the same, so fewer answers are dearer ones; here the arm is asked for both."""
    ready.answers["after"] = 90
    answer = measured(ready, tmp_path, question(tmp_path, deciding=GateFigures.CPU))
    throughput, cpu = answer.decision.figures
    assert (throughput.figure, throughput.decides, cpu.figure, cpu.decides) == (THROUGHPUT, False, CPU, True)
    assert "does not decide" in render(gate_report(answer), Format.TEXT)


def test_a_biased_run_is_not_settled(ready: MockRig, tmp_path: Path) -> None:
    ready.answers["before-aa"] = 80
    answer = measured(ready, tmp_path, question(tmp_path))
    assert answer.decision.outcome.exit_code == 4
    assert "differs from itself" in (answer.decision.why or "")


def test_a_run_without_time_is_not_settled(ready: MockRig, tmp_path: Path) -> None:
    answer = measured(ready, tmp_path, question(tmp_path), time_s=0.001)
    assert answer.decision.outcome.exit_code == 4
    assert answer.decision.why == "from one start: 2 are needed"


def test_a_side_after_that_fails_is_a_failure(ready: MockRig, tmp_path: Path) -> None:
    ready.fails_at_start = {"after"}
    answer = measured(ready, tmp_path, question(tmp_path))
    assert answer.decision.outcome.exit_code == 1
    assert answer.decision.why == "after failed: it would not start"
    assert "does not work after the change" in sentence(answer)


def test_a_side_before_that_fails_leaves_it_open(ready: MockRig, tmp_path: Path) -> None:
    ready.fails_at_start = {"before"}
    answer = measured(ready, tmp_path, question(tmp_path))
    assert answer.decision.outcome.exit_code == 4
    assert "before failed: it would not start" in (answer.decision.why or "")


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        ({}, {"status": 100}, GateOutcome.BEYOND),
        ({}, {"status": 1}, GateOutcome.WITHIN),  # an accident: whether it takes the verdict is the record's affair
        ({"status": 50}, {"status": 100}, GateOutcome.WITHIN),
    ],
)
def test_a_side_after_that_answers_wrongly_where_before_does_not_is_a_failure(
    ready: MockRig, tmp_path: Path, before: dict[str, int], after: dict[str, int], outcome: GateOutcome
) -> None:
    answer = measured(ready, tmp_path, question(tmp_path))
    errors = {"before": before, "after": after}
    arms = [msgspec.structs.replace(arm, answers=10_000, errors=errors[arm.name]) for arm in answer.experiment.arms]
    decided = decide(msgspec.structs.replace(answer.experiment, arms=arms), answer.decision.figures)
    why = "after had errors under load: 100 status beside 10,000 correct answers"
    assert (decided.outcome, decided.why) == (outcome, why if outcome is GateOutcome.BEYOND else None)
