"""The record: what is written is read again, whatever happened in between."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import resource
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Never

import msgspec
import pytest
from factory import ENVIRONMENT, part, plain_block, plan_of, slice_of, suite

from hopcost import record as records
from hopcost.errors import MeasurementFailed, UsageError
from hopcost.prepared import Address, PreparedHop, PreparedStack
from hopcost.record import Ending, Writer
from hopcost.sandbox import Cores


def writer(path: Path | None) -> Writer:
    return Writer(path, suite(), plan_of(), ENVIRONMENT, ["hopcost", "run", "made-up"])


def recorded(path: Path, blocks: int) -> Path:
    with writer(path) as open_writer:
        for number in range(blocks):
            open_writer.append(plain_block(number))
    return path


def numbers(path: Path) -> list[int]:
    return [block.number for block in records.read(path).blocks]


# Round trip


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er"
    with writer(path) as open_writer:
        open_writer.append(plain_block(0))
        open_writer.append(plain_block(1, behind=17))
        open_writer.end_experiment(Ending(experiment="cost", why="blocks", detail="all 6 blocks are done"))
    read = records.read(path)
    assert read.path == path
    assert read.blocks == [plain_block(0), plain_block(1, behind=17)]
    assert (read.suite, read.plan, read.environment, read.warnings) == (suite(), plan_of(), ENVIRONMENT, [])
    assert read.run.endings == [Ending(experiment="cost", why="blocks", detail="all 6 blocks are done")]
    assert read.run.command == ["hopcost", "run", "made-up"]
    assert read.run.ended_utc is not None and read.run.ended_utc >= read.run.started_utc


def test_a_record_may_be_read_elsewhere(tmp_path: Path) -> None:
    recorded(tmp_path / "here", 2).rename(tmp_path / "there")
    assert numbers(tmp_path / "there") == [0, 1]


def test_a_run_under_way_can_be_read_and_has_no_end(tmp_path: Path) -> None:
    with writer(tmp_path / "r") as open_writer:
        open_writer.append(plain_block(0))
        read = records.read(tmp_path / "r")
    assert [block.number for block in read.blocks] == [0]
    assert (read.run.ended_utc, read.warnings) == (None, [])


def test_a_run_that_fails_has_no_end_and_keeps_its_blocks(tmp_path: Path) -> Never:
    with pytest.raises(KeyboardInterrupt), writer(tmp_path / "r") as open_writer:
        open_writer.append(plain_block(0))
        raise KeyboardInterrupt
    read = records.read(tmp_path / "r")
    assert (len(read.blocks), read.run.ended_utc) == (1, None)


def test_nothing_unfinished_stays_behind(tmp_path: Path) -> None:
    names = sorted(path.name for path in recorded(tmp_path / "r", 1).iterdir())
    assert names == ["blocks.jsonl", "environment.json", "plan.json", "run.json", "suite.json"]


def test_a_block_is_one_line(tmp_path: Path) -> None:
    lines = (recorded(tmp_path / "r", 3) / "blocks.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["number"] for line in lines] == [0, 1, 2]


def test_a_stacks_commands_and_files_are_kept_from_the_first_block(tmp_path: Path) -> None:
    def stack(port: int) -> PreparedStack:
        hop = PreparedHop(
            name="proxy",
            program="proxy",
            version="2",
            address=Address(link="http+tcp", address=f"127.0.0.1:{port}"),
            settings={},
            command=["/proxy", "-p", str(port)],
            files={"proxy.conf": f"listen {port};\n"},
        )
        return PreparedStack(arm="behind", hops=[hop], cores=Cores(stack=[0], generator=[1]), open_files=1024)

    with writer(tmp_path / "r") as open_writer:
        open_writer.put_stack("cost", stack(1))
        open_writer.put_stack("cost", stack(2))
    folder = tmp_path / "r" / "stacks" / "cost" / "behind"
    assert (folder / "proxy.proxy.conf").read_text() == "listen 1;\n"
    assert json.loads((folder / "commands.json").read_text()) == [
        {"hop": "proxy", "cores": [0], "command": ["/proxy", "-p", "1"]}
    ]


# Cut off, damaged, missing


def test_a_last_line_cut_off_anywhere_costs_that_block_alone(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", 3)
    whole = (path / "blocks.jsonl").read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for length in range(start, len(whole)):
        (path / "blocks.jsonl").write_bytes(whole[:length])
        read = records.read(path)
        assert [block.number for block in read.blocks] == [0, 1], length
        expected = [] if length == start else [f"{path}/blocks.jsonl: line 3 is cut off; read up to it"]
        assert read.warnings == expected, length


def test_a_first_line_cut_off_leaves_no_block(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", 1)
    with (path / "blocks.jsonl").open("rb+") as file:
        file.truncate(20)
    read = records.read(path)
    assert read.blocks == []
    assert read.warnings == [f"{path}/blocks.jsonl: line 1 is cut off; read up to it"]


@pytest.mark.parametrize(
    "damaged",
    [b"", b"{}", b"null", b"\x00" * 40, b'{"experiment": "cost", "number": "one"}', b"not json", b'"\xff\xfe"'],
)
def test_a_damaged_line_in_the_middle_ends_the_reading_with_a_warning(tmp_path: Path, damaged) -> None:
    path = recorded(tmp_path / "r", 3)
    lines = (path / "blocks.jsonl").read_bytes().split(b"\n")
    lines[1] = damaged
    (path / "blocks.jsonl").write_bytes(b"\n".join(lines))
    read = records.read(path)
    assert [block.number for block in read.blocks] == [0]
    (warning,) = read.warnings
    assert warning.startswith(f"{path}/blocks.jsonl: line 2 is damaged (")
    assert warning.endswith("); read up to it")


def test_invalid_text_within_a_line_is_damage(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", 2)
    content = (path / "blocks.jsonl").read_bytes()
    (path / "blocks.jsonl").write_bytes(content.replace(b'"cost"', b'"c\xffst"', 1))
    read = records.read(path)
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
        records.read(path)
    assert caught.value.message == f"{path}: record format 1, this hopcost reads 3"
    assert caught.value.hint == "read it with the hopcost that wrote it"


def test_another_format_is_told_even_where_its_other_keys_differ(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", 1)
    (path / "run.json").write_text('{"format": 9, "began": 7}')
    with pytest.raises(UsageError, match="from a newer hopcost: record format 9"):
        records.read(path)


@pytest.mark.parametrize("name", ["run.json", "suite.json", "plan.json", "environment.json"])
def test_a_missing_file_is_named(tmp_path: Path, name) -> None:
    path = recorded(tmp_path / "r", 1)
    (path / name).unlink()
    with pytest.raises(UsageError) as caught:
        records.read(path)
    assert caught.value.message == f"{path}/{name}: No such file or directory"
    assert caught.value.hint == "the record is incomplete"


@pytest.mark.parametrize("name", ["run.json", "suite.json", "plan.json", "environment.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'"\xff"', b'{"unknown": 1, '])
def test_a_damaged_file_is_named(tmp_path: Path, name, content) -> None:
    path = recorded(tmp_path / "r", 1)
    (path / name).write_bytes(content)
    with pytest.raises(UsageError) as caught:
        records.read(path)
    assert caught.value.message.startswith(f"{path}/{name}: ")
    assert caught.value.hint == "the record is damaged, or not one of this hopcost's"


# Nothing is overwritten


def test_a_directory_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(UsageError) as caught:
        writer(tmp_path)
    assert caught.value.message == f"{tmp_path}: exists and is not an empty directory"
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_record_is_not_written_into_another_one(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", 2)
    with pytest.raises(UsageError):
        writer(path)
    assert numbers(path) == [0, 1]


def test_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("precious")
    with pytest.raises(UsageError, match="not an empty directory"):
        writer(tmp_path / "r")
    assert (tmp_path / "r").read_text() == "precious"


def test_an_empty_directory_is_taken(tmp_path: Path) -> None:
    assert numbers(recorded(tmp_path, 1)) == [0]


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError) as caught:
        writer(tmp_path / "file" / "r")
    assert caught.value.message == f"{tmp_path}/file/r: Not a directory"
    assert caught.value.hint == "name another directory with --record"


# Disk full


def assert_the_record_before_stays(path: Path, caught: pytest.ExceptionInfo[MeasurementFailed], name: str) -> None:
    assert caught.value.message.startswith(f"{path}/{name}: ")
    assert caught.value.hint == f"what was recorded before is whole: hopcost report {path}"
    assert caught.value.exit_code == 1
    read = records.read(path)
    assert [block.number for block in read.blocks] == [0, 1]
    assert read.warnings == []


@contextlib.contextmanager
def files_at_most(size: int) -> Iterator[None]:
    """The kernel refuses to let any file grow beyond this: a write stops short, the next one fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("fitting", [0, 1, 100])
def test_a_block_that_stops_short_is_taken_back_and_the_ones_before_stay(tmp_path: Path, fitting) -> None:
    path = tmp_path / "r"
    with pytest.raises(MeasurementFailed) as caught, writer(path) as open_writer:
        open_writer.append(plain_block(0))
        open_writer.append(plain_block(1))
        whole = (path / "blocks.jsonl").read_bytes()
        with files_at_most(len(whole) + fitting):
            open_writer.append(plain_block(2))
    assert (path / "blocks.jsonl").read_bytes() == whole
    assert_the_record_before_stays(path, caught, "blocks.jsonl")


class FullDisk:
    """A file that takes some bytes and then has no space left, as the kernel does it, or only finds out at fsync."""

    def __init__(self, file: object, takes: int) -> None:
        self.file, self.takes = file, takes

    def write(self, data: bytes) -> int:
        self.file.write(data[: self.takes])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def __getattr__(self, name: str) -> object:
        return getattr(self.file, name)


@pytest.mark.parametrize("takes", [0, 1, 100])
def test_no_space_left_takes_the_block_back(tmp_path: Path, takes) -> None:
    path = tmp_path / "r"
    with pytest.raises(MeasurementFailed, match="No space left on device") as caught, writer(path) as open_writer:
        open_writer.append(plain_block(0))
        open_writer.append(plain_block(1))
        open_writer._blocks = FullDisk(open_writer._blocks, takes)
        open_writer.append(plain_block(2))
    assert_the_record_before_stays(path, caught, "blocks.jsonl")


def test_no_space_left_that_shows_at_fsync_takes_the_block_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "r"
    with pytest.raises(MeasurementFailed, match="No space left on device") as caught, writer(path) as open_writer:
        open_writer.append(plain_block(0))
        open_writer.append(plain_block(1))
        monkeypatch.setattr(records.os, "fsync", full)
        open_writer.append(plain_block(2))
    assert_the_record_before_stays(path, caught, "blocks.jsonl")


def test_a_note_of_the_end_that_finds_no_space_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "r"
    with pytest.raises(MeasurementFailed) as caught, writer(path) as open_writer:
        open_writer.append(plain_block(0))
        open_writer.append(plain_block(1))
        with files_at_most(100):
            open_writer.end_experiment(Ending(experiment="cost", why="blocks", detail="all done"))
    assert_the_record_before_stays(path, caught, "run.json")
    assert not list(path.glob(".*"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small file system; the stub above needs none")
def test_a_file_system_that_is_really_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "hopcost-test", disk], check=False)
    if mounted.returncode != 0:
        pytest.skip("this root may not mount (a container)")
    try:
        path = disk / "r"
        big = plain_block(2)
        big.arms += [part(*[slice_of("beside", 1)] * 500)]
        with pytest.raises(MeasurementFailed, match="No space left on device") as caught, writer(path) as open_writer:
            open_writer.append(plain_block(0))
            open_writer.append(plain_block(1))
            open_writer.append(big)
        assert_the_record_before_stays(path, caught, "blocks.jsonl")
    finally:
        subprocess.run(["umount", disk], check=True)


# Names of records


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def dated(path: Path, started_utc: str) -> Path:
    recorded(path, 0)
    run = msgspec.json.decode((path / "run.json").read_bytes())
    (path / "run.json").write_bytes(msgspec.json.encode(run | {"started_utc": started_utc}))
    return path


class FrozenTime(records.datetime.datetime):
    @classmethod
    def now(cls, tz: object = None) -> FrozenTime:
        return cls(2025, 1, 2, 3, 4, 5, tzinfo=tz)


def test_runs_in_the_same_second_get_directories_of_their_own(home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records.datetime, "datetime", FrozenTime)
    paths = []
    for _ in range(3):
        with writer(None) as open_writer:
            paths.append(open_writer.path)
    stamp = "records/20250102T030405Z-made-up"
    assert [str(path) for path in paths] == [stamp, f"{stamp}-2", f"{stamp}-3"]
    assert records.find("latest") == paths[2]


def test_latest_is_the_one_that_began_last_whatever_its_name(home) -> None:
    """`--record records/before` is the help's own example, and sorts behind every date."""
    dated(Path("records/before"), "2025-01-01T00:00:00Z")
    newest = dated(Path("records/20250102T000000Z-made-up"), "2025-01-02T00:00:00Z")
    dated(Path("records/20240102T000000Z-made-up"), "2024-01-02T00:00:00Z")
    assert records.find("latest") == newest


def test_latest_passes_over_what_is_no_record(home) -> None:
    newest = dated(Path("records/20250102T000000Z-made-up"), "2025-01-02T00:00:00Z")
    Path("records/zzz").mkdir()
    Path("records/damaged").mkdir()
    Path("records/damaged/run.json").write_text("{")
    assert records.find("latest") == newest


def test_without_records_latest_says_how_to_make_one(home) -> None:
    with pytest.raises(UsageError) as caught:
        records.find("latest")
    assert caught.value.message == "no record in records/"
    assert caught.value.hint == "make one: hopcost run nginx-go --quick"


def test_a_record_is_found_by_path_and_by_name(home) -> None:
    recorded(Path("records/before"), 0)
    recorded(Path("elsewhere"), 0)
    assert records.find("before") == Path("records/before")
    assert records.find("records/before") == Path("records/before")
    assert records.find("elsewhere") == Path("elsewhere")
    assert records.find(str(home / "elsewhere")) == home / "elsewhere"


@pytest.mark.parametrize("name", ["none", "records", "", "a-file"])
def test_what_is_no_record_is_said(home, name) -> None:
    recorded(Path("records/before"), 0)
    Path("a-file").touch()
    with pytest.raises(UsageError) as caught:
        records.find(name)
    assert caught.value.message == f"{name}: no record there (a directory with run.json)"
