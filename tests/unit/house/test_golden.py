"""The comparison with golden files is itself no rubber stamp."""

from __future__ import annotations

from pathlib import Path

import golden
import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(golden, "FOLDER", tmp_path / "golden")
    monkeypatch.delenv("UPDATE_GOLDEN", raising=False)
    return tmp_path / "golden"


def test_without_a_file_it_fails_and_writes_none(folder: Path) -> None:
    with pytest.raises(AssertionError):
        golden.compare("a.txt", "a\n")
    assert not folder.exists()


def test_an_update_fails_once_and_then_passes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPDATE_GOLDEN", "1")
    with pytest.raises(pytest.fail.Exception, match="written anew"):
        golden.compare("a.txt", "a\n")
    golden.compare("a.txt", "a\n")
    monkeypatch.delenv("UPDATE_GOLDEN")
    golden.compare("a.txt", "a\n")


def test_any_difference_fails(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    (folder / "a.txt").write_text("a\n")
    with pytest.raises(AssertionError, match=r"a\.txt differs"):
        golden.compare("a.txt", "a \n")
    assert (folder / "a.txt").read_text() == "a\n"
