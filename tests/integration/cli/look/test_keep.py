"""`hopcost keep` as a person runs it."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import command
import pytest
from histories.simulated import simulated_history, simulated_record

from hopcost.history.history import History


def keep(*arguments: object, folder: Path, **extra: str) -> tuple[int, str, str]:
    done = command.hopcost("keep", *arguments, folder=folder, extra={"XDG_DATA_HOME": str(folder / "data"), **extra})
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def test_records_go_into_the_users_own_file_once(tmp_path: Path) -> None:
    simulated_history(tmp_path / "records", [0.5] * 2)
    file = tmp_path / "data" / "hopcost" / "history.sqlite"
    words = [f"records/{name}" for name in ("00000", "00001")]
    assert keep(*words, folder=tmp_path) == (0, "".join(f"kept: {word} in {file}\n" for word in words), "")
    assert keep("latest", "--label", "branch=main", folder=tmp_path)[1] == f"already kept: {words[1]} in {file}\n"
    with History.open(str(file)) as history:
        assert [record.labels for record in history.records()] == [{"branch": "main"}, {}]


def test_the_option_wins_over_the_variable_and_runners_have_a_name(tmp_path: Path) -> None:
    simulated_record(tmp_path / "r")
    code, _, _ = keep(
        "r", "--database", "here.sqlite", folder=tmp_path, HOPCOST_DATABASE="/nowhere/h", HOPCOST_MACHINE="runners"
    )
    assert code == 0
    with History.open(str(tmp_path / "here.sqlite")) as history:
        assert history.machines()[0][1] == "runners"


def test_one_that_cannot_be_read_is_told_and_the_others_are_kept(tmp_path: Path) -> None:
    for record in simulated_history(tmp_path, [0.5] * 3):
        if record.name == "00001":
            (record / "plan.json").write_text("{")
    code, output, errors = keep("00000", "00001", "00002", "--database", "h.sqlite", folder=tmp_path)
    assert code == 2
    assert re.findall(r"kept: (\d+)", output) == ["00000", "00002"]
    assert errors.startswith("error: 00001/plan.json: ") and "hint: " in errors


def test_a_name_that_is_no_record_stops_it_before_anything_is_kept(tmp_path: Path) -> None:
    simulated_record(tmp_path / "r")
    code, output, errors = keep("r", "nothing", "--database", "h.sqlite", folder=tmp_path)
    assert (code, output) == (2, "") and "nothing: no record there" in errors
    assert not (tmp_path / "h.sqlite").exists()


def test_what_cannot_be_kept_there_is_one_clear_error(tmp_path: Path) -> None:
    simulated_record(tmp_path / "r")
    (tmp_path / "letter").write_text("Dear Sir or Madam, " * 100)
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as other, other:
        other.execute("CREATE TABLE t (a)")
    for database, words in {
        "letter": "this file is no database",
        "other.sqlite": "a database of another program",
        "mysql://a:s3cret@h/d": "is no database that hopcost knows",
        "postgresql://ci:s3cret@127.0.0.1:1/h": "the server cannot be reached",
    }.items():
        code, output, errors = keep("r", "--database", database, folder=tmp_path)
        assert (code, output) == (2, ""), errors
        assert words in errors and "hint: " in errors and "s3cret" not in errors


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    """A folder that nobody may write to, with a history in it."""
    folder = tmp_path / "closed"
    History.open(str(folder / "h.sqlite")).close()
    (folder / "h.sqlite").chmod(0o400)
    folder.chmod(0o500)
    yield folder
    folder.chmod(0o700)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("new.sqlite", "new.sqlite: it cannot be opened or made there"),
        ("below/new.sqlite", "below: Permission denied"),
        ("h.sqlite", "h.sqlite: "),
    ],
)
def test_without_write_permission_it_is_told_what_to_do(tmp_path: Path, closed: Path, file: str, words: str) -> None:
    simulated_record(tmp_path / "r")
    without_the_rights_of_root = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]
    before = without_the_rights_of_root if os.geteuid() == 0 else []
    done = command.hopcost("keep", "r", "--database", closed / file, folder=tmp_path, before=before)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert words in done.stderr and re.search("hint: .*(may write to|write permission)", done.stderr)
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in closed.iterdir()) == ["h.sqlite"]


def test_labels_are_read_before_anything_is_kept(tmp_path: Path) -> None:
    simulated_record(tmp_path / "r")
    code, _, errors = keep("r", "--label", "main", "--database", "h.sqlite", folder=tmp_path)
    assert (code, errors) == (
        2,
        "error: --label: expected NAME=VALUE, got 'main'\nhint: as in --label branch=main\n",
    )
