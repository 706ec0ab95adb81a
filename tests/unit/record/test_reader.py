"""Records are read again: cut off, damaged, incomplete, of another format, by name and as the latest."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from samples.blocks import block, part, plain_block, slice_of
from samples.written import numbers, recorded, writer

from hopcost.errors import UsageError
from hopcost.record import reader as records


def test_a_record_may_be_read_elsewhere(tmp_path: Path) -> None:
    recorded(tmp_path / "here", 2).rename(tmp_path / "there")
    assert numbers(tmp_path / "there") == [0, 1]


def test_a_last_line_cut_off_anywhere_costs_that_block_alone(tmp_path: Path) -> None:
    with writer(tmp_path / "r") as open_writer:
        open_writer.append(plain_block(0))
        open_writer.append(block(1, part(slice_of("direct", 1))))
    path = tmp_path / "r"
    whole = (path / "blocks.jsonl").read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for length in range(start, len(whole)):
        (path / "blocks.jsonl").write_bytes(whole[:length])
        read = records.read_record(path)
        assert [block.number for block in read.blocks] == [0], length
        expected = [] if length == start else [f"{path}/blocks.jsonl: line 2 is cut off; read up to it"]
        assert read.warnings == expected, length


def test_a_first_line_cut_off_leaves_no_block(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", 1)
    with (path / "blocks.jsonl").open("rb+") as file:
        file.truncate(20)
    read = records.read_record(path)
    assert read.blocks == []
    assert read.warnings == [f"{path}/blocks.jsonl: line 1 is cut off; read up to it"]


@pytest.mark.parametrize(
    "damaged",
    [b"", b"{}", b"null", b"\x00" * 40, b'{"experiment": "cost", "number": "one"}', b"not json", b'"\xff\xfe"'],
)
def test_a_damaged_line_in_the_middle_ends_the_reading_with_a_warning(tmp_path: Path, damaged: bytes) -> None:
    path = recorded(tmp_path / "r", 3)
    lines = (path / "blocks.jsonl").read_bytes().split(b"\n")
    lines[1] = damaged
    (path / "blocks.jsonl").write_bytes(b"\n".join(lines))
    read = records.read_record(path)
    assert [block.number for block in read.blocks] == [0]
    (warning,) = read.warnings
    assert warning.startswith(f"{path}/blocks.jsonl: line 2 is damaged (")
    assert warning.endswith("); read up to it")


def test_invalid_text_within_a_line_is_damage(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", 2)
    content = (path / "blocks.jsonl").read_bytes()
    (path / "blocks.jsonl").write_bytes(content.replace(b'"cost"', b'"c\xffst"', 1))
    read = records.read_record(path)
    assert read.blocks == []
    assert len(read.warnings) == 1


def test_a_run_without_blocks_is_empty(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", 0)
    assert numbers(path) == []
    (path / "blocks.jsonl").unlink()
    assert numbers(path) == []


def test_another_format_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", 1)
    run = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps(run | {"format": 1}))
    with pytest.raises(UsageError) as caught:
        records.read_record(path)
    assert caught.value.message == f"{path}: record format 1, this hopcost reads 6"
    assert caught.value.hint == "read it with the hopcost that wrote it"


def test_another_format_is_told_even_where_its_other_keys_differ(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", 1)
    (path / "run.json").write_text('{"format": 9, "began": 7}')
    with pytest.raises(UsageError, match="from a newer hopcost: record format 9"):
        records.read_record(path)


@pytest.mark.parametrize("name", ["run.json", "suite.json", "plan.json", "environment.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    path = recorded(tmp_path / "r", 1)
    (path / name).unlink()
    with pytest.raises(UsageError) as caught:
        records.read_record(path)
    assert caught.value.message == f"{path}/{name}: No such file or directory"
    assert caught.value.hint == "the record is incomplete"


@pytest.mark.parametrize("name", ["run.json", "suite.json", "plan.json", "environment.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'"\xff"', b'{"unknown": 1, '])
def test_a_damaged_file_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    path = recorded(tmp_path / "r", 1)
    (path / name).write_bytes(content)
    with pytest.raises(UsageError) as caught:
        records.read_record(path)
    assert caught.value.message.startswith(f"{path}/{name}: ")
    assert caught.value.hint == "the record is damaged, or not one of this hopcost's"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def dated(path: Path, started_utc: str, blocks: int = 0) -> Path:
    recorded(path, blocks)
    run = msgspec.json.decode((path / "run.json").read_bytes())
    (path / "run.json").write_bytes(msgspec.json.encode(run | {"started_utc": started_utc}))
    return path


def test_latest_is_the_one_that_began_last_whatever_its_name(home: Path) -> None:
    """`--record records/before` is the help's own example, and sorts behind every date."""
    dated(Path("records/before"), "2025-01-01T00:00:00Z")
    newest = dated(Path("records/20250102T000000Z-made-up"), "2025-01-02T00:00:00Z")
    dated(Path("records/20240102T000000Z-made-up"), "2024-01-02T00:00:00Z")
    assert records.find_record("latest") == newest


def test_latest_passes_over_what_is_no_record(home: Path) -> None:
    newest = dated(Path("records/20250102T000000Z-made-up"), "2025-01-02T00:00:00Z")
    Path("records/zzz").mkdir()
    Path("records/damaged").mkdir()
    Path("records/damaged/run.json").write_text("{")
    assert records.find_record("latest") == newest


def test_latest_passes_over_a_run_that_was_stopped_before_its_first_start(home: Path) -> None:
    measured = dated(Path("records/measured"), "2025-01-01T00:00:00Z", blocks=1)
    dated(Path("records/stopped"), "2025-01-02T00:00:00Z")
    assert records.find_record("latest") == measured


def test_without_records_latest_says_how_to_make_one(home: Path) -> None:
    with pytest.raises(UsageError) as caught:
        records.find_record("latest")
    assert caught.value.message == "no record in records/"
    assert caught.value.hint == "make one: hopcost run nginx-go --quick"


def test_a_record_is_found_by_path_and_by_name(home: Path) -> None:
    recorded(Path("records/before"), 0)
    recorded(Path("elsewhere"), 0)
    assert records.find_record("before") == Path("records/before")
    assert records.find_record("records/before") == Path("records/before")
    assert records.find_record("elsewhere") == Path("elsewhere")
    assert records.find_record(str(home / "elsewhere")) == home / "elsewhere"


def test_a_name_that_is_no_records_gets_the_newest_ones(home: Path) -> None:
    for day in (1, 4, 2, 3):
        dated(Path(f"records/{day}-made-up"), f"2025-01-0{day}T00:00:00Z")
    with pytest.raises(UsageError) as caught:
        records.find_record("nope")
    assert caught.value.hint == "latest, or by name: 4-made-up, 3-made-up, 2-made-up"
    with pytest.raises(UsageError) as caught:
        records.find_record("1-")
    assert caught.value.hint == "latest, or by name: 1-made-up"
    with pytest.raises(UsageError) as caught:
        records.find_record("3-made-upp")
    assert caught.value.hint == "did you mean '3-made-up'?"


@pytest.mark.parametrize("name", ["none", "records", "", "a-file"])
def test_what_is_no_record_is_said(home: Path, name: str) -> None:
    recorded(Path("records/before"), 0)
    Path("a-file").touch()
    with pytest.raises(UsageError) as caught:
        records.find_record(name)
    assert caught.value.message == f"{name}: no record there (a directory with run.json)"


def test_a_record_in_blocks_of_three_is_an_older_hopcosts(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", 1)
    plan = json.loads((path / "plan.json").read_text())
    plan["experiments"][0]["turns"] = "threes"
    (path / "plan.json").write_text(json.dumps(plan))
    with pytest.raises(UsageError, match="measured by an older hopcost in blocks of three") as caught:
        records.read_record(path)
    assert caught.value.hint == "measure again, or read it with the hopcost that wrote it"
