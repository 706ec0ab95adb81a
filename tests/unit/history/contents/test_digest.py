"""A record has one digest wherever it lies, and another one as soon as anything in it changes."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from histories.simulated import simulated_record

from hopcost.errors import UsageError
from hopcost.history.contents.digest import digest_of, digest_of_run
from hopcost.record import reader


def test_a_copy_has_the_same_digest_and_a_page_beside_it_does_not_count(tmp_path: Path) -> None:
    record = simulated_record(tmp_path / "a")
    copy = Path(shutil.copytree(record, tmp_path / "elsewhere" / "b"))
    (copy / "report.html").write_text("<html>")
    assert digest_of(copy) == digest_of(record)
    assert len(digest_of(record)) == 64


@pytest.mark.parametrize("file", ["run.json", "suite.json", "plan.json", "environment.json", "blocks.jsonl"])
def test_any_byte_of_its_files_counts(tmp_path: Path, file: str) -> None:
    record = simulated_record(tmp_path / "a")
    before = digest_of(record)
    (record / file).write_bytes((record / file).read_bytes() + b" ")
    assert digest_of(record) != before


def test_generated_files_count_by_their_names_too(tmp_path: Path) -> None:
    record = simulated_record(tmp_path / "a")
    digests = {digest_of(record)}
    stack = record / "stacks" / "cost" / "behind"
    stack.mkdir(parents=True)
    (stack / "nginx.conf").write_text("worker_processes 1;")
    digests.add(digest_of(record))
    (stack / "nginx.conf").rename(stack / "other.conf")
    digests.add(digest_of(record))
    assert len(digests) == 3


def test_what_is_no_record_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no record there"):
        digest_of(tmp_path)


def test_two_states_of_one_run_are_one_run_and_two_runs_are_not(tmp_path: Path) -> None:
    first, other = (reader.read_record(simulated_record(tmp_path / str(number), number)) for number in (1, 2))
    went_on = msgspec.structs.replace(first.run, ended_utc=None, endings=[])
    assert digest_of_run(went_on, first.plan) == digest_of_run(first.run, first.plan)
    assert digest_of_run(other.run, other.plan) != digest_of_run(first.run, first.plan)
