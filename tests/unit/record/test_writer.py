"""Records are written whole or not at all, and nothing is overwritten."""

from __future__ import annotations

import contextlib
import datetime
import errno
import json
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from samples.blocks import plain_block
from samples.records import ENVIRONMENT, made_up_suite, plan_of
from samples.written import assert_the_record_before_stays, numbers, recorded, writer

from hopcost.errors import MeasurementFailed, UsageError
from hopcost.record import reader as records
from hopcost.record.contents.run import Ending, StopReason
from hopcost.record.kept_files import KeptCommand


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er"
    with writer(path) as open_writer:
        open_writer.append(plain_block(0))
        open_writer.append(plain_block(1, behind=17))
        open_writer.end_experiment(Ending(experiment="cost", why=StopReason.BLOCKS, detail="all 6 blocks are done"))
    read = records.read_record(path)
    assert read.path == path
    assert read.blocks == [plain_block(0), plain_block(1, behind=17)]
    assert (read.suite, read.plan, read.environment, read.warnings) == (made_up_suite(), plan_of(), ENVIRONMENT, [])
    assert read.run.endings == [Ending(experiment="cost", why=StopReason.BLOCKS, detail="all 6 blocks are done")]
    assert read.run.command == ["hopcost", "run", "made-up"]
    assert read.run.ended_utc is not None and read.run.ended_utc >= read.run.started_utc


def test_a_run_under_way_can_be_read_and_has_no_end(tmp_path: Path) -> None:
    with writer(tmp_path / "r") as open_writer:
        open_writer.append(plain_block(0))
        read = records.read_record(tmp_path / "r")
    assert [block.number for block in read.blocks] == [0]
    assert (read.run.ended_utc, read.warnings) == (None, [])


def test_a_run_that_fails_has_no_end_and_keeps_its_blocks(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), writer(tmp_path / "r") as open_writer:
        open_writer.append(plain_block(0))
        raise KeyboardInterrupt
    read = records.read_record(tmp_path / "r")
    assert (len(read.blocks), read.run.ended_utc) == (1, None)


def test_nothing_unfinished_stays_behind(tmp_path: Path) -> None:
    names = sorted(path.name for path in recorded(tmp_path / "r", 1).iterdir())
    assert names == ["blocks.jsonl", "environment.json", "plan.json", "run.json", "suite.json"]


def test_a_block_is_one_line(tmp_path: Path) -> None:
    lines = (recorded(tmp_path / "r", 3) / "blocks.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["number"] for line in lines] == [0, 1, 2]


def test_a_stacks_commands_and_files_are_kept_from_the_first_block(tmp_path: Path) -> None:
    with writer(tmp_path / "r") as open_writer:
        for port in (1, 2):
            command = KeptCommand("proxy", [0], ["/proxy", "-p", str(port)])
            open_writer.put_stack("cost", "behind", [command], {"proxy.proxy.conf": f"listen {port};\n"})
    folder = tmp_path / "r" / "stacks" / "cost" / "behind"
    assert (folder / "proxy.proxy.conf").read_text() == "listen 1;\n"
    assert json.loads((folder / "commands.json").read_text()) == [
        {"hop": "proxy", "cores": [0], "command": ["/proxy", "-p", "1"]}
    ]


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
def test_a_block_that_stops_short_is_taken_back_and_the_ones_before_stay(tmp_path: Path, fitting: int) -> None:
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

    def __init__(self, file: IO[bytes], takes: int) -> None:
        self.file, self.takes = file, takes

    def write(self, data: bytes) -> int:
        self.file.write(data[: self.takes])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def __getattr__(self, name: str) -> object:
        return getattr(self.file, name)


@pytest.mark.parametrize("takes", [0, 1, 100])
def test_no_space_left_takes_the_block_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, takes: int) -> None:
    path = tmp_path / "r"
    with pytest.raises(MeasurementFailed, match="No space left on device") as caught, writer(path) as open_writer:
        open_writer.append(plain_block(0))
        open_writer.append(plain_block(1))
        monkeypatch.setattr(open_writer, "_blocks", FullDisk(open_writer._blocks, takes))
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
        monkeypatch.setattr(os, "fsync", full)
        open_writer.append(plain_block(2))
    assert_the_record_before_stays(path, caught, "blocks.jsonl")


def test_a_note_of_the_end_that_finds_no_space_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "r"
    with pytest.raises(MeasurementFailed) as caught, writer(path) as open_writer:
        open_writer.append(plain_block(0))
        open_writer.append(plain_block(1))
        with files_at_most(100):
            open_writer.end_experiment(Ending(experiment="cost", why=StopReason.BLOCKS, detail="all done"))
    assert_the_record_before_stays(path, caught, "run.json")
    assert not list(path.glob(".*"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class FrozenTime(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> FrozenTime:
        return cls(2025, 1, 2, 3, 4, 5, tzinfo=tz)


def test_runs_in_the_same_second_get_directories_of_their_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datetime, "datetime", FrozenTime)
    paths = []
    for _ in range(3):
        with writer(None) as open_writer:
            paths.append(open_writer.path)
    stamp = "records/20250102T030405Z-made-up"
    assert [str(path) for path in paths] == [stamp, f"{stamp}-2", f"{stamp}-3"]
    assert records.find_record("latest") == paths[2]
