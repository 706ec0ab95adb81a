"""A run on another machine: its words, and its record."""

from __future__ import annotations

import base64
import io
import tarfile
from pathlib import Path

import pytest

from hopcost.measure.fleet.relay import fetch, words_there


def packed(*names: str) -> str:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = 1
            archive.addfile(entry, io.BytesIO(b"x"))
        link = tarfile.TarInfo("record/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return base64.encodebytes(content.getvalue()).decode()


def test_a_record_is_unpacked_and_nothing_beside_it(tmp_path: Path) -> None:
    record = tmp_path / "here" / "mine"
    assert fetch(packed("record/run.json", "record/stacks/a/b.conf", "record/../../evil", "/evil"), record)
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if not path.is_dir())
    assert files == ["here/mine/run.json", "here/mine/stacks/a/b.conf"]


def test_without_a_record_nothing_is_written(tmp_path: Path) -> None:
    assert not fetch("\n", tmp_path / "record")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--on", "--ssh-key", "--known-hosts", "--record"])
def test_options_of_this_machine_stay_here(option: str) -> None:
    assert words_there(["hello", option, "x", "--time", "9"], "hello", None) == ["hello", "--time", "9"]
    assert words_there(["hello", f"{option}=x", "--time=9"], "hello", None) == ["hello", "--time=9"]
