"""Damaged records and all reports of them: a report comes, or a refusal that names the file; never anything else."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from samples.written import arm, changed, every_report, refusal, written

from hopcost.errors import UsageError
from hopcost.record.contents.run import Record

FILES = ("run.json", "suite.json", "plan.json", "environment.json", "blocks.jsonl", "repeats.jsonl")


def test_a_record_as_it_was_written_is_read(tmp_path: Path) -> None:
    read = every_report(written(tmp_path / "r"))
    assert (len(read.blocks), len(read.repeats), read.warnings) == (3, 1, [])


def test_clocks_may_go_back_and_ages_may_shrink(tmp_path: Path) -> None:
    path = written(tmp_path / "r")

    def back(block: Any) -> None:
        block["clock_step_ns"] = -1000
        arm(block)["slices"][0]["aged_ns"] = -5

    changed(path, "blocks.jsonl", back)
    every_report(path)


def test_brackets_without_an_end_are_damage(tmp_path: Path) -> None:
    path = written(tmp_path / "r")
    (path / "environment.json").write_text("[" * 100_000)
    assert refusal(path).startswith("environment.json: ")
    with (path / "blocks.jsonl").open("a") as file:
        file.write("[" * 100_000 + "\n")
    (path / "environment.json").write_text("{}")
    assert "line 4 is damaged" in every_report(path).warnings[0]


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
    """All reports of a record, or None if it is refused; anything else fails the test."""
    before = {file: file.read_bytes() for file in path.iterdir()}
    read = None
    with contextlib.suppress(UsageError):
        read = every_report(path)
    assert {file: file.read_bytes() for file in path.iterdir()} == before, "reading writes nothing"
    return read


@given(st.sampled_from(FILES), st.floats(0, 1, exclude_max=True))
def test_a_file_cut_off_at_any_byte(
    sound: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory, file: str, share: float
) -> None:
    """What a killed run or a full disk leaves: refused by the file's name, or read up to there with a warning."""
    folder = put(tmp_path_factory.getbasetemp() / "cut", sound)
    length = int(len(sound[file]) * share)
    (folder / file).write_bytes(sound[file][:length])
    read = read_or_refused(folder)
    if file.endswith("l"):
        assert read is not None, "lines before it are whole"
        lines = sound[file][:length].split(b"\n")
        assert len(read.blocks if file == "blocks.jsonl" else read.repeats) == len(lines) - 1
        assert len(read.warnings) == (1 if lines[-1] else 0)
    elif sound[file][:length].strip() != sound[file].strip():
        assert read is None


ODD: st.SearchStrategy[object] = st.one_of(
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
    sound: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory, file: str, share: float, other: bytes
) -> None:
    folder = put(tmp_path_factory.getbasetemp() / "overwritten", sound)
    at = int(len(sound[file]) * share)
    (folder / file).write_bytes(sound[file][:at] + other + sound[file][at + len(other) :])
    read_or_refused(folder)
