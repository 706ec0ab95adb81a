"""Output compared with a file that stands in tests/golden/, to the last byte."""

from __future__ import annotations

import os

import pytest
from places import ROOT

FOLDER = ROOT / "tests" / "golden"


def compare(name: str, output: str) -> None:
    """Fails on any difference; with UPDATE_GOLDEN=1 the file is written anew, and the test fails that once."""
    path = FOLDER / name
    expected = path.read_text(encoding="utf-8") if path.exists() else None
    if os.environ.get("UPDATE_GOLDEN") == "1" and output != expected:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(output, encoding="utf-8")
        pytest.fail(f"{path.name} was written anew: look at the difference, then run again without UPDATE_GOLDEN")
    assert output == expected, f"{path.name} differs; if that is meant: UPDATE_GOLDEN=1 pytest"
