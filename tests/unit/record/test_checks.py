"""Records changed by hand, put together from several, cut off, or from a newer hopcost: told apart and told clearly."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from samples.records import histogram_of
from samples.written import Change, arm, changed, written

from hopcost import claims, engine, histogram, record_check, summary
from hopcost import record as records
from hopcost.errors import UsageError
from hopcost.record import Record
from hopcost.report import ClaimsFormat, claims_table, csv, html, markdown, text
from hopcost.report import json as json_report

FILES = ("run.json", "suite.json", "plan.json", "environment.json", "blocks.jsonl", "repeats.jsonl")


def every_report(path: Path) -> Record:
    """Read a record and render it in all formats; the record."""
    read = records.read(path)
    found = summary.summarise(read)
    for render in (text.render, markdown.render, json_report.render, csv.render, html.render):
        assert render(read, found)
    for format in ClaimsFormat:
        claims_table.render(claims.judge(read.suite, [read]), format)
    return read


def refusal(path: Path) -> str:
    with pytest.raises(UsageError) as caught:
        records.read(path)
    assert caught.value.exit_code == 2 and caught.value.hint
    return caught.value.message.removeprefix(f"{path}/")


def test_a_record_as_it_was_written_is_read(tmp_path: Path) -> None:
    read = every_report(written(tmp_path / "r"))
    assert (len(read.blocks), len(read.repeats), read.warnings) == (3, 1, [])


def test_a_newer_format_is_called_newer(tmp_path: Path) -> None:
    path = written(tmp_path / "r")
    changed(path, "run.json", lambda run: run.update(format=records.FORMAT + 1, new_key={"of": "tomorrow"}))
    assert refusal(path) == (f"{path}: from a newer hopcost: record format 4, this one ({records.__version__}) reads 3")


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


BLOCKS: list[tuple[Change, str]] = [
    (lambda block: block.update(elapsed_ns=-1), "elapsed_ns: expected a number from 0 to 9223372036854775807, got -1"),
    (lambda block: block.update(validity="good"), "validity: expected one of valid, suspect, void, got 'good'"),
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
        lambda block: arm(block)["slices"][0].update(elapsed_ns=0),
        "arms[0] (direct): slices[0]: 20000 answers in no time",
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
    (lambda plan: plan.update(looks=[]), "looks: expected numbers of blocks from 1, got []"),
    (lambda plan: plan.update(looks=[0]), "looks: expected numbers of blocks from 1, got [0]"),
    (lambda plan: plan.update(margin=-0.5), "margin: expected a number from 0 to 9223372036854775807, got -0.5"),
    (
        lambda plan: plan["experiments"].append(plan["experiments"][0]),
        "experiments[0].name: 'cost' stands there twice",
    ),
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


def test_clocks_may_go_back_and_ages_may_shrink(tmp_path: Path) -> None:
    path = written(tmp_path / "r")

    def back(block: Any) -> None:
        block["clock_step_ns"] = -1000
        arm(block)["slices"][0]["aged_ns"] = -5

    changed(path, "blocks.jsonl", back)
    every_report(path)


def test_numbers_that_json_cannot_hold_end_the_reading_with_a_warning(tmp_path: Path) -> None:
    path = written(tmp_path / "r")
    content = (path / "blocks.jsonl").read_bytes()
    (path / "blocks.jsonl").write_bytes(content.replace(b'"steal_ns":0', b'"steal_ns":NaN', 1))
    read = every_report(path)
    assert read.blocks == [] and "line 1 is damaged" in read.warnings[0]


def test_brackets_without_an_end_are_damage(tmp_path: Path) -> None:
    path = written(tmp_path / "r")
    (path / "environment.json").write_text("[" * 100_000)
    assert refusal(path).startswith("environment.json: ")
    with (path / "blocks.jsonl").open("a") as file:
        file.write("[" * 100_000 + "\n")
    (path / "environment.json").write_text("{}")
    assert "line 4 is damaged" in every_report(path).warnings[0]


def test_a_histogram_that_passes_for_one_and_is_none_is_a_usage_error() -> None:
    whole = histogram_of({})
    assert histogram.is_whole(whole) and not histogram.is_whole(whole[:-4]) and not histogram.is_whole("ü")
    with pytest.raises(UsageError, match="a histogram of the record cannot be read"):
        histogram.merge([whole[:-4]])


def test_every_histogram_of_the_engine_is_looked_at() -> None:
    texts = {"arm"} | {name for name, kind in engine.ArmTotals.__annotations__.items() if kind.startswith("str")}
    assert texts - {"arm"} == set(record_check.HISTOGRAMS)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a sound record."""
    path = written(tmp_path_factory.mktemp("sound") / "r")
    return {name: (path / name).read_bytes() for name in FILES}


def put(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def read_or_refused(path: Path) -> Record | None:
    """All reports of a record, or None where it is refused; anything else fails the test."""
    before = {each: each.read_bytes() for each in path.iterdir()}
    found = None
    with contextlib.suppress(UsageError):
        found = every_report(path)
    assert {each: each.read_bytes() for each in path.iterdir()} == before, "reading writes nothing"
    return found


@given(st.sampled_from(FILES), st.floats(0, 1, exclude_max=True))
def test_a_file_cut_off_at_any_byte(
    sound: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory, file: str, share: float
) -> None:
    """What a killed run or a full disk leaves: refused by the file's name, or read up to there with a warning."""
    folder = put(tmp_path_factory.getbasetemp() / "cut", sound)
    length = int(len(sound[file]) * share)
    (folder / file).write_bytes(sound[file][:length])
    found = read_or_refused(folder)
    if file.endswith("l"):
        assert found is not None, "lines before it are whole"
        lines = sound[file][:length].split(b"\n")
        assert len(found.blocks if file == "blocks.jsonl" else found.repeats) == len(lines) - 1
        assert len(found.warnings) == (1 if lines[-1] else 0)
    elif sound[file][:length].strip() != sound[file].strip():
        assert found is None


ODD = st.one_of(
    st.sampled_from(
        [None, True, 0, 1, -1, 0.5, 1e308, 5e-324, 2**63, -(2**63), 10**30, "", "x", "cost", "direct", "-aa", [], {}]
    ),
    st.sampled_from([[None], {"a": None}, "=1+1", "\x1b[2J", "\x00", "\ud7ff", "|`*<script>", "a" * 3000, [[]] * 3]),
)


def places(content: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value."""
    inner = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    return [path, *(place for key, value in inner for place in places(value, (*path, key)))] if path else [
        place for key, value in inner for place in places(value, (*path, key))
    ]  # fmt: skip


@given(st.data())
def test_any_value_of_any_file_changed(
    sound: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """A report, or a refusal: never anything else."""
    folder = put(tmp_path_factory.getbasetemp() / "changed", sound)
    file = data.draw(st.sampled_from(FILES))
    lines = sound[file].splitlines() if file.endswith("l") else [sound[file]]
    number = data.draw(st.integers(0, len(lines) - 1))
    content = json.loads(lines[number])
    *way, last = data.draw(st.sampled_from(places(content)))
    place = content
    for key in way:
        place = place[key]
    how = data.draw(st.sampled_from(["another value", "gone", "twice"]))
    if how == "another value":
        place[last] = data.draw(ODD)
    elif how == "gone":
        del place[last]
    else:
        assume(isinstance(place, list))
        place.append(place[last])
    lines[number] = json.dumps(content).encode()
    (folder / file).write_bytes(b"\n".join(lines) + b"\n")
    read_or_refused(folder)


@given(st.sampled_from(FILES), st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=4))
@example("run.json", 0.0, b"\x00")
def test_any_bytes_overwritten(
    sound, tmp_path_factory: pytest.TempPathFactory, file: str, share: float, other: bytes
) -> None:
    folder = put(tmp_path_factory.getbasetemp() / "overwritten", sound)
    at = int(len(sound[file]) * share)
    (folder / file).write_bytes(sound[file][:at] + other + sound[file][at + len(other) :])
    read_or_refused(folder)
