"""The files that programs serve: of the sizes they say, whole or not there."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pytest

from hopcost.errors import CannotMeasure
from hopcost.programs.content import SIZES, large_file


def test_every_file_has_its_size_and_bytes_that_tell_one_place_from_another(tmp_path: Path) -> None:
    place = large_file(tmp_path / "cache" / "files")
    assert {path.name: path.stat().st_size for path in place.iterdir()} == SIZES
    content = (place / "100k").read_bytes()
    assert content[:3] == b"\x00\x01\x02"
    assert content[4096:8192] != content[:4096]
    assert [path.name for path in place.parent.iterdir()] == ["files"]


def test_what_is_damaged_is_made_again_and_what_is_whole_is_left(tmp_path: Path) -> None:
    place = large_file(tmp_path / "files")
    before = (place / "1m").stat().st_ino
    assert (large_file(place) / "1m").stat().st_ino == before
    (place / "1k").write_bytes(b"short")
    assert (large_file(place) / "1k").stat().st_size == 1024


def test_a_full_disk_is_an_error_that_says_where_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, _: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(CannotMeasure, match=r"files to be served cannot be made: .*No space left") as caught:
        large_file(tmp_path / "files")
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_another_run_that_was_faster_has_made_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = large_file(tmp_path / "ready")
    place = tmp_path / "files"

    def beaten(*_: object) -> None:
        shutil.copytree(ready, place)
        raise OSError(errno.ENOTEMPTY, "Directory not empty", str(place))

    monkeypatch.setattr(Path, "rename", beaten)
    assert large_file(place) == place
    assert sorted(path.name for path in tmp_path.iterdir()) == ["files", "ready"]
