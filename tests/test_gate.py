"""The gate: the experiment that it makes, the order in which it runs with a mock engine, its summary and exit codes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import command
import golden
import msgspec
import pytest
import suites
from test_blocks import Recorder, World, world  # noqa: F401 - a fixture

from hopcost import blocks, decision, gate, plan, record
from hopcost.cli.margin import fraction
from hopcost.compared import CPU, THROUGHPUT
from hopcost.deciding import Deciding
from hopcost.decision import Outcome
from hopcost.errors import UsageError
from hopcost.gate import Answer, Question
from hopcost.program import Installed
from hopcost.report import Format, gate_summary
from hopcost.sandbox import Freezer
from hopcost.suite import Placement

SWEPT = suites.TWO_ARMS + '\n[experiments.sweep]\nkey = "workload.connections"\nvalues = [4, 8]\n'


def question(
    tmp_path: Path, *after: str, deciding: Deciding = Deciding.BOTH, text: str = suites.TWO_ARMS, point: str = ""
) -> Question:
    path = suites.write(tmp_path, text)
    return Question(f"{path}/links{point}/unix", [], list(after), 0.03, deciding)


def measured(tmp_path: Path, asked: Question, budget_s: float = 1000.0) -> Answer:
    """The gate's experiment on the mock engine, and its answer."""
    made = gate.suite(asked)
    planned = plan.make(
        made, [], quick=False, budget_s=budget_s, seed=1, installed={"origin": Installed(path="/x", version="1")},
        allowed_cores=[0, 1], siblings={}, open_files=1000, margin=asked.margin, target=0.003,
    )  # fmt: skip
    with record.Writer(tmp_path / "record", made, planned, {"cpu": "Abacus 2"}, ["hopcost", "gate"]) as writer:
        blocks.measure(planned, Freezer(kind="signal", parent=None), writer, Recorder())
    is_same = made.arms["before"].hops == made.arms["after"].hops
    return gate.answer(asked, record.read(tmp_path / "record"), is_same)


@pytest.fixture
def ready(world: World) -> World:  # noqa: F811
    world.answers = {"before": 100, "before-aa": 100, "after": 100}
    return world


def test_both_sides_are_arms_of_one_experiment_and_before_is_the_baseline(tmp_path: Path) -> None:
    made = gate.suite(question(tmp_path, "origin.work_rounds=50"))
    (experiment,) = made.experiments
    assert (experiment.baseline, experiment.arms) == ("before", ["before", "after"])
    assert (experiment.placement, experiment.workload.connections) == (Placement.ALL_CORES, 4)
    before, after = (made.arms[name].hops[0] for name in ("before", "after"))
    assert (before.settings, after.settings) == ({}, {"work_rounds": 50})
    assert before.link == after.link and before.link.value == "http+unix"
    assert made.arms["after"].title == "origin.work_rounds=50"


def test_settings_of_the_experiment_are_in_both_sides_and_yield_to_the_changes(tmp_path: Path) -> None:
    text = suites.TWO_ARMS + "settings = { origin = { threads = 1, work_rounds = 7 } }\n"
    made = gate.suite(question(tmp_path, "origin.work_rounds=50", text=text))
    assert made.arms["before"].hops[0].settings == {"threads": 1, "work_rounds": 7}
    assert made.arms["after"].hops[0].settings == {"threads": 1, "work_rounds": 50}


def test_of_a_sweep_one_value_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is a sweep over workload\.connections") as caught:
        gate.suite(question(tmp_path, text=SWEPT))
    assert caught.value.hint == "name one of its values: links@4 (4, 8)"
    (experiment,) = gate.suite(question(tmp_path, text=SWEPT, point="@8")).experiments
    assert experiment.workload.connections == 8


def test_the_order_of_a_block_is_before_after_and_before_again(ready, tmp_path: Path) -> None:
    answer = measured(tmp_path, question(tmp_path))
    one_block = [
        "start before", "check before", "start after", "check after", "start before-aa", "check before-aa",
        "load before after before-aa",
        "stop before-aa", "stop after", "stop before",
    ]  # fmt: skip
    assert ready.log == one_block * 6
    assert answer.decision.outcome is Outcome.WITHIN and answer.is_same


def test_it_stops_at_the_first_look_where_it_is_wholly_beyond(ready, tmp_path: Path) -> None:
    ready.answers["after"] = 90
    answer = measured(tmp_path, question(tmp_path, "origin.work_rounds=50"))
    assert answer.experiment.blocks == 6
    assert [each.outcome for each in answer.decision.figures] == [Outcome.BEYOND, Outcome.BEYOND]
    assert answer.decision.outcome.exit_code == 1


def test_the_figure_that_does_not_decide_is_shown_and_decides_nothing(ready, tmp_path: Path) -> None:
    """The mock's CPU time per slice is the same, so fewer answers are dearer ones; here the arm is asked for both."""
    ready.answers["after"] = 90
    answer = measured(tmp_path, question(tmp_path, deciding=Deciding.CPU))
    throughput, cpu = answer.decision.figures
    assert (throughput.figure, throughput.decides, cpu.figure, cpu.decides) == (THROUGHPUT, False, CPU, True)
    assert "does not decide" in gate_summary.render(answer, Format.TEXT)


def test_a_biased_run_is_undecided(ready, tmp_path: Path) -> None:
    ready.answers["before-aa"] = 80
    answer = measured(tmp_path, question(tmp_path))
    assert answer.decision.outcome.exit_code == 4
    assert "differs from itself" in (answer.decision.why or "")


def test_a_run_without_time_is_undecided(ready, tmp_path: Path) -> None:
    answer = measured(tmp_path, question(tmp_path), budget_s=0.001)
    assert answer.decision.outcome.exit_code == 4
    assert answer.decision.why == "too few valid blocks: 1, 3 needed"


def test_a_side_after_that_fails_is_a_failure(ready, tmp_path: Path) -> None:
    ready.fails_at_start = {"after"}
    answer = measured(tmp_path, question(tmp_path))
    assert answer.decision.outcome.exit_code == 1
    assert answer.decision.why == "after failed: it would not start"
    assert "does not work after the change" in gate_summary.headline(answer)


def test_a_side_before_that_fails_leaves_it_undecided(ready, tmp_path: Path) -> None:
    ready.fails_at_start = {"before"}
    answer = measured(tmp_path, question(tmp_path))
    assert answer.decision.outcome.exit_code == 4
    assert "before failed: it would not start" in (answer.decision.why or "")


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        ({}, {"status": 100}, Outcome.BEYOND),
        ({}, {"status": 1}, Outcome.WITHIN),  # an accident: whether it takes the verdict is the record's affair
        ({"status": 50}, {"status": 100}, Outcome.WITHIN),
    ],
)
def test_a_side_after_that_answers_wrongly_where_before_does_not_is_a_failure(
    ready, tmp_path: Path, before, after, outcome
) -> None:
    found = measured(tmp_path, question(tmp_path)).experiment
    errors = {"before": before, "after": after}
    arms = [msgspec.structs.replace(arm, answers=10_000, errors=errors[arm.name]) for arm in found.arms]
    decided = decision.decide(msgspec.structs.replace(found, arms=arms), Deciding.BOTH, 0.03)
    why = "after had errors under load: 100 status beside 10,000 correct answers"
    assert (decided.outcome, decided.why) == (outcome, why if outcome is Outcome.BEYOND else None)


def shown(answer: Answer) -> Answer:
    """Without what is new with every test's run."""
    run = msgspec.structs.replace(answer.record.run, started_utc="2025-01-02T03:04:05Z")
    asked = msgspec.structs.replace(answer.question, path="small/links/unix")
    made = msgspec.structs.replace(answer.record, run=run, path=Path("records/gate"))
    return msgspec.structs.replace(answer, record=made, question=asked)


@pytest.mark.parametrize(("format", "ending"), [(Format.TEXT, "txt"), (Format.MARKDOWN, "md"), (Format.JSON, "json")])
def test_the_summary_to_the_last_byte(ready, tmp_path: Path, format, ending) -> None:
    ready.answers["after"] = 90
    answer = measured(tmp_path, question(tmp_path, "origin.work_rounds=50"))
    golden.compare(f"gate.{ending}", gate_summary.render(shown(answer), format))


@pytest.mark.parametrize(("text", "margin"), [("3%", 0.03), ("3", 0.03), ("0.5 %", 0.005)])
def test_a_margin_is_a_percentage(text, margin) -> None:
    assert fraction(text) == pytest.approx(margin)


@pytest.mark.parametrize("text", ["", "three", "0", "-3%", "51%", "nan", "3%%"])
def test_what_is_no_margin(text) -> None:
    with pytest.raises(UsageError, match=r"--margin: expected a percentage from 0\.1 to 50"):
        fraction(text)


@pytest.mark.usefixtures("nothing_left")
def test_with_a_tiny_budget_it_is_undecided_and_says_so_everywhere(tmp_path: Path) -> None:
    path, github = suites.write(tmp_path), tmp_path / "github.md"
    github.write_text("what other steps wrote\n")
    done = command.hopcost(
        "gate", f"{path}/links/unix", "--budget", 3, "--record", tmp_path / "record", "-f", "json", "-o",
        tmp_path / "gate.json", extra={"GITHUB_STEP_SUMMARY": str(github)},
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    assert "both sides are the same" in done.stderr and "gate undecided (exit code 4)" in done.stderr
    assert done.stdout == ""
    assert json.loads((tmp_path / "gate.json").read_text())["outcome"] == "undecided"
    first, _, rest = github.read_text().partition("\n")
    assert first == "what other steps wrote" and rest.startswith("## hopcost gate undecided")
    assert command.hopcost("report", tmp_path / "record").returncode == 0


@pytest.mark.usefixtures("nothing_left")
def test_another_binary_that_does_not_start_fails_the_gate(tmp_path: Path) -> None:
    path, broken = suites.write(tmp_path), tmp_path / "broken"
    broken.write_text('#!/bin/sh\n[ "$1" = --version ] && echo hopcost-origin 9.9 && exit\necho no licence; exit 7\n')
    broken.chmod(0o755)
    done = command.hopcost(
        "gate", f"{path}/links/unix", "--after", "origin.binary=broken", "--budget", 20, "--record", "record",
        folder=tmp_path, extra={"GITHUB_STEP_SUMMARY": ""},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "does not work after the change" in done.stdout and "no licence" in done.stdout
    environment = json.loads((tmp_path / "record" / "environment.json").read_text())
    (receipt,) = environment["binaries"].values()
    assert list(environment["binaries"]) == [str(broken)]
    assert receipt["version"] == "9.9" and receipt["program"] == "origin" and len(receipt["sha256"]) == 64


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--after", "origin.work_round=1"], ["origin has no setting 'work_round'", "did you mean 'work_rounds'?"]),
        (["--after", "origin.config=suite.toml"], ["no such file"]),
        (["--after", "origin.config=small.toml"], ["origin: config: it has no configuration file"]),
        (["--after", "origin.binary=small.toml"], ["small.toml is not executable"]),
        (["--after", f"origin.binary={os.devnull}"], ["no such file"]),
        (["--after", "origin.binary=/bin/true"], ["origin: binary: /", "printed no version"]),
        (["--margin", "none"], ["--margin: expected a percentage"]),
        (["-o", "nowhere/gate.md"], ["nowhere/gate.md: cannot be written there"]),
        (["--figure", "latency"], ["--figure", "latency"]),
    ],
)
def test_a_wrong_word_is_told_before_anything_runs(tmp_path: Path, arguments, words) -> None:
    suites.write(tmp_path)
    done = command.hopcost("gate", "./small.toml/links/unix", "--budget", 3, *arguments, folder=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert [word for word in words if word not in done.stderr] == [] and "Traceback" not in done.stderr
    assert not (tmp_path / "records").exists()
