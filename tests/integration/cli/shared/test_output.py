"""Where a result goes: a file whole or not at all, and never into a record."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from command import hopcost
from samples.blocks import plain_block
from samples.records import ENVIRONMENT, made_up_suite, plan_of

from hopcost.cli.shared import output
from hopcost.errors import UsageError
from hopcost.record.writer import Writer


@pytest.fixture
def record(tmp_path: Path) -> Path:
    with Writer(tmp_path / "record", made_up_suite(), plan_of(), ENVIRONMENT, ["hopcost"]) as writer:
        writer.append(plain_block(0))
    return tmp_path / "record"


def test_a_file_that_is_there_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    path.write_text("a longer report than the new one")
    output.write_result("new\n", path)
    assert path.read_text() == "new\n"
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]


def test_where_it_cannot_be_written_the_old_one_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.md"
    path.write_text("precious")

    def full(self: Path, content: str, **_: str) -> int:
        self.write_bytes(content[:3].encode())
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UsageError, match="No space left on device"):
        output.write_result("a new report", path)
    assert path.read_bytes() == b"precious"
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]


def test_a_link_stays_a_link_and_a_pipe_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "target").write_text("old")
    output.write_result("new", tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_text() == "new"
    os.mkfifo(tmp_path / "pipe")
    end = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    output.write_result("through", tmp_path / "pipe")
    assert os.read(end, 100) == b"through"
    os.close(end)
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("name", ["run.json", "blocks.jsonl", "report.md", "stacks/new.md"])
def test_nothing_is_written_into_a_record(record: Path, name: str) -> None:
    (record / "stacks").mkdir(exist_ok=True)
    before = {path: path.read_bytes() for path in record.rglob("*") if path.is_file()}
    refused = hopcost("report", record, "-o", record / name)
    assert refused.returncode == 2
    assert f"error: {record / name}: lies in the record {record}" in refused.stderr
    assert {path: path.read_bytes() for path in record.rglob("*") if path.is_file()} == before


def test_beside_a_record_is_not_in_it(record: Path) -> None:
    done = hopcost("report", record, "--format", "csv", "-o", record.parent / "report.csv")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (record.parent / "report.csv").read_text().startswith("suite,experiment,")


def test_a_record_that_is_refused_leaves_the_file_alone(record: Path, tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("precious")
    (record / "plan.json").write_text("{")
    assert hopcost("report", record, "-o", tmp_path / "report.md").returncode == 2
    assert (tmp_path / "report.md").read_text() == "precious"


def test_a_directory_is_no_file(record: Path, tmp_path: Path) -> None:
    refused = hopcost("report", record, "-o", tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"error: {tmp_path}: Is a directory")
