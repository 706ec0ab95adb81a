"""Records that contradict themselves, are of another run or of a newer hopcost: the message names file and key."""

from __future__ import annotations

import typing
from pathlib import Path

import msgspec
import pytest
from samples.blocks import generator_slice, histogram_of
from samples.written import Change, arm, changed, every_report, refusal, written

import hopcost
from hopcost.errors import UsageError
from hopcost.programs.generators.engine_lines import ArmTotals
from hopcost.record import histogram
from hopcost.record.checks import HISTOGRAMS
from hopcost.record.contents.run import FORMAT


def test_a_newer_format_is_called_newer(tmp_path: Path) -> None:
    path = written(tmp_path / "r")
    changed(path, "run.json", lambda run: run.update(format=FORMAT + 1, new_key={"of": "tomorrow"}))
    own = f"this one ({hopcost.__version__}) reads {FORMAT}"
    assert refusal(path) == f"{path}: from a newer hopcost: record format {FORMAT + 1}, {own}"


def test_the_suite_of_another_record_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "r")
    changed(path, "suite.json", lambda content: content.update(name="another"))
    assert refusal(path) == "plan.json: suite: expected that of suite.json, 'another', got 'made-up'"


def test_claims_that_contradict_themselves_are_told(tmp_path: Path) -> None:
    path = written(tmp_path / "r")
    changed(path, "suite.json", lambda content: content["claims"][0]["tests"][0].pop("size"))
    assert refusal(path).startswith("suite.json: claims[0] (costs-much): ")


def test_the_plan_of_another_run_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "r")
    changed(path, "plan.json", lambda plan: plan["experiments"][0].update(name="costs"))
    assert refusal(path) == "plan.json: experiments[0].name: suite made-up has no experiment 'costs'"


def test_blocks_of_another_run_are_told(tmp_path: Path) -> None:
    path = written(tmp_path / "r")
    changed(path, "blocks.jsonl", lambda block: block.update(experiment="cots"), line=2)
    assert refusal(path) == "blocks.jsonl: line 2: experiment: 'cots' is not in plan.json; did you mean 'cost'?"


GENERATOR = msgspec.to_builtins(generator_slice("g1"))
BLOCKS: list[tuple[Change, str]] = [
    (lambda block: block.update(elapsed_ns=-1), "elapsed_ns: expected a number from 0 to 9223372036854775807, got -1"),
    (lambda block: block.update(number=2), "number: block 2 of cost stands there twice"),
    (lambda block: arm(block).update(name="bihind"), "arms: 'bihind' is not in plan.json; did you mean 'behind'?"),
    (lambda block: arm(block).update(name="behind"), "arms: the same arm twice"),
    (lambda block: arm(block).update(copy_of="behind"), "arms[0] (direct): copy_of: expected None, got behind"),
    (lambda block: arm(block).update(hops=[]), "arms[0] (direct): hops: expected at least one"),
    (
        lambda block: arm(block, 1)["slices"][1].update(answers=-5),
        "arms[1].slices[1].answers: expected a number from 0 to 9223372036854775807, got -5",
    ),
    (
        lambda block: arm(block)["slices"][0].update(sent=10**30),
        "arms[0].slices[0].sent: expected a number from 0 to 9223372036854775807, got 1" + "0" * 30,
    ),
    (
        lambda block: arm(block)["slices"][0]["cpu_ns"].update(app=-1),
        "arms[0].slices[0].cpu_ns.app: expected a number from 0 to 9223372036854775807, got -1",
    ),
    (
        lambda block: arm(block)["slices"][0].update(generators=[GENERATOR]),
        "arms[0] (direct): slices: expected the same generators in all",
    ),
    (
        lambda block: arm(block)["slices"][0].update(elapsed_ns=0),
        "arms[0] (direct): slices[0]: 20000 answers in no time",
    ),
    (
        lambda block: arm(block)["open_loop"][0]["slices"][1].update(response_time="AAAA"),
        "arms[0] (direct): 5000/s: slices[1].response_time: no histogram",
    ),
    (
        lambda block: arm(block)["totals"].update(service_time="AAAA"),
        "arms[0] (direct): totals.service_time: no histogram",
    ),
    (
        lambda block: arm(block)["open_loop"][0]["totals"].update(send_lag="not base64"),
        "arms[0] (direct): 5000/s: totals.send_lag: no histogram",
    ),
    (
        lambda block: arm(block)["open_loop"][0].update(rate_per_s=0),
        "arms[0] (direct): open_loop: expected a load, got 0/s",
    ),
    (
        lambda block: block.update(void_loads=[{"share": 0.75, "rate_per_s": 9000, "faults": []}]),
        "void_loads: no arm was offered 9000/s",
    ),
    (
        lambda block: block.update(failures=[{"arm": "nobody", "message": "gone"}]),
        "arms: 'nobody' is not in plan.json; known: behind, beside, direct, direct-aa",
    ),
]


@pytest.mark.parametrize(("change", "words"), BLOCKS, ids=[words for _, words in BLOCKS])
def test_a_block_that_cannot_be_is_named_with_its_line_and_key(tmp_path: Path, change: Change, words: str) -> None:
    path = written(tmp_path / "r")
    changed(path, "blocks.jsonl", change)
    if "twice" in words and "number" in words:  # the second one of the two is named
        assert refusal(path) == f"blocks.jsonl: line 3: {words}"
    else:
        assert refusal(path) == f"blocks.jsonl: line 1: {words}"


PLANS: list[tuple[Change, str]] = [
    (lambda plan: plan.update(margin=-0.5), "margin: expected a number from 0 to 9223372036854775807, got -0.5"),
    (lambda plan: plan["experiments"].append(plan["experiments"][0]), "experiments[0].name: 'cost' stands there twice"),
    (
        lambda plan: plan["experiments"][0].update(baseline="nobody"),
        "experiments[0].baseline: 'nobody' is not one of its arms",
    ),
    (
        lambda plan: plan["experiments"][0]["arms"].append(plan["experiments"][0]["arms"][0]),
        "experiments[0].arms: the same arm twice",
    ),
    (
        lambda plan: plan["experiments"][0]["arms"][1].update(copy_of="beside"),
        "experiments[0].arms: 'behind' is a copy of 'beside', not of the baseline",
    ),
    (
        lambda plan: plan["experiments"][0]["cores"].update(generator=[]),
        "experiments[0].cores: expected at least one each",
    ),
    (lambda plan: plan["experiments"][0].update(slice_ns=0), "experiments[0].slice_ns: expected 1 or more, got 0"),
]


@pytest.mark.parametrize(("change", "words"), PLANS, ids=[words for _, words in PLANS])
def test_a_plan_that_cannot_be_is_named_with_its_key(tmp_path: Path, change: Change, words: str) -> None:
    path = written(tmp_path / "r")
    changed(path, "plan.json", change)
    assert refusal(path) == f"plan.json: {words}"


def test_a_repeat_that_cannot_be(tmp_path: Path) -> None:
    path = written(tmp_path / "r")
    changed(path, "repeats.jsonl", lambda content: content.update(arm="nobody"))
    assert refusal(path).startswith("repeats.jsonl: line 1: arm: 'nobody' is not in plan.json; ")


def test_numbers_that_json_cannot_hold_end_the_reading_with_a_warning(tmp_path: Path) -> None:
    path = written(tmp_path / "r")
    content = (path / "blocks.jsonl").read_bytes()
    (path / "blocks.jsonl").write_bytes(content.replace(b'"steal_ns":0', b'"steal_ns":NaN', 1))
    read = every_report(path)
    assert read.blocks == [] and "line 1 is damaged" in read.warnings[0]


def test_a_validity_that_does_not_exist_ends_the_reading_with_a_warning(tmp_path: Path) -> None:
    path = written(tmp_path / "r")
    changed(path, "blocks.jsonl", lambda block: block.update(validity="good"))
    read = every_report(path)
    assert read.blocks == [] and "line 1 is damaged (Invalid enum value 'good' - at `$.validity`)" in read.warnings[0]


def test_a_histogram_that_passes_for_one_and_is_none_is_a_usage_error() -> None:
    whole = histogram_of({})
    assert histogram.is_whole(whole) and not histogram.is_whole(whole[:-4]) and not histogram.is_whole("ü")
    with pytest.raises(UsageError, match="a histogram of the record cannot be read"):
        histogram.merge([whole[:-4]])


def test_every_histogram_of_the_engine_is_looked_at() -> None:
    texts = {name for name, kind in typing.get_type_hints(ArmTotals).items() if kind in (str, str | None)}
    assert texts - {"arm"} == set(HISTOGRAMS)
