"""What `hopcost doctor --left` says of places that are the user's to remove."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.cli.shared.doctor import left
from hopcost.cli.shared.doctor.left import Kept
from hopcost.stacks.sandbox.leftovers import Kind, Leftover


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


def test_records_are_counted_and_never_removed_by_hopcost(own_folder: Path) -> None:
    assert left.records() == []
    for name in ("one", "kept/two"):
        (own_folder / "records" / name).mkdir(parents=True)
        (own_folder / "records" / name / "run.json").write_text("x" * 750)
    assert left.records() == [Kept(f"2 records here, in {own_folder / 'records'} (1.5 kB)", "rm -r records")]


def test_the_history_is_told_with_all_its_files(own_folder: Path) -> None:
    assert left.history() == []
    file = own_folder / "data" / "hopcost" / "history.sqlite"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"x" * 1500)
    file.with_name("history.sqlite-wal").write_bytes(b"x" * 500)
    assert left.history() == [Kept(f"the history of kept records: {file} (2.0 kB)", f"rm {file}*")]


def test_packages_are_those_that_were_noted_and_are_still_there(own_folder: Path) -> None:
    assert left.packages() == []
    (own_folder / "state" / "hopcost").mkdir(parents=True)
    (own_folder / "state" / "hopcost" / "apt-packages").write_text("chromium\nnginx\nwrk\n")
    dpkg = own_folder / "dpkg"
    dpkg.mkdir()
    (dpkg / "nginx.list").touch()
    (dpkg / "wrk:amd64.list").touch()
    (dpkg / "apache2.list").touch()
    assert left.packages(installed=dpkg) == [
        Kept("packages that apt installed for hopcost (nginx wrk)", "apt-get remove nginx wrk")
    ]


def test_the_cache_is_told_with_its_size_if_there_is_one(own_folder: Path) -> None:
    assert left.cache_line() is None
    place = own_folder / "cache" / "hopcost"
    place.mkdir(parents=True)
    (place / "files").write_bytes(b"x" * 2000)
    line = left.cache_line()
    assert line is not None and line.startswith(f"cache {place} (2.0 kB: ")


def test_a_directory_is_told_with_its_size_and_its_sockets(own_folder: Path) -> None:
    (own_folder / "log").write_bytes(b"x" * 30)
    assert left.leftover_line(Leftover(Kind.DIRECTORY, str(own_folder))) == f"directory {own_folder} (30 B)"


def test_the_list_says_what_each_part_is_for() -> None:
    lines = list(left.lines(80))
    assert lines[0] == "hopcost doctor --clean removes:"
    assert any(line.startswith("That is all, but for records in other folders: no user, no service") for line in lines)


def test_a_long_command_goes_on_where_a_shell_goes_on_too(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted = own_folder / "state" / "hopcost" / "apt-packages"
    noted.parent.mkdir(parents=True)
    names = [f"package-{number}" for number in range(20)]
    noted.write_text("\n".join(names))
    monkeypatch.setattr(left, "packages", lambda: [Kept("packages", f"apt-get remove {' '.join(names)}")])
    lines = list(left.lines(80))
    assert max(map(len, lines)) <= 80
    begin = next(number for number, line in enumerate(lines) if line.startswith("    apt-get remove"))
    end = next(number for number in range(begin, len(lines)) if not lines[number].endswith(" \\"))
    joined = " ".join(line.removesuffix(" \\").strip() for line in lines[begin : end + 1])
    assert joined == f"apt-get remove {' '.join(names)}"
