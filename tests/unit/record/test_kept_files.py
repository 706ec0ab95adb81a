"""A record shows its own files and no others, whoever made it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.errors import UsageError
from hopcost.record.kept_files import read_kept_files


@pytest.fixture
def record(tmp_path: Path) -> Path:
    arm = tmp_path / "record" / "stacks" / "one-core" / "go"
    arm.mkdir(parents=True)
    (arm / "commands.json").write_text("[]")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("mine")
    return tmp_path / "record"


def test_the_files_of_an_arm_are_read_by_name(record: Path) -> None:
    assert read_kept_files(record, "one-core", "go") == {"commands.json": "[]"}
    assert read_kept_files(record, "one-core", "never-started") == {}


def test_a_name_that_leads_outside_is_refused(record: Path) -> None:
    for experiment, arm in (("..", "../secret"), ("one-core", str(record.parent / "secret"))):
        with pytest.raises(UsageError, match="lies outside the record"):
            read_kept_files(record, experiment, arm)


def test_a_link_that_leads_outside_is_refused(record: Path) -> None:
    (record / "stacks" / "one-core" / "go" / "nginx.conf").symlink_to(record.parent / "secret" / "key")
    with pytest.raises(UsageError, match="lies outside the record"):
        read_kept_files(record, "one-core", "go")
    (record / "stacks" / "two").symlink_to(record.parent)
    with pytest.raises(UsageError, match="lies outside the record"):
        read_kept_files(record, "two", "secret")


def test_a_record_behind_a_link_is_read(record: Path) -> None:
    latest = record.parent / "latest"
    latest.symlink_to(record)
    assert read_kept_files(latest, "one-core", "go") == {"commands.json": "[]"}
