"""What every origin serves: sizes, and that the files are what scripts/content.py writes."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from hopcost.routes import CONTENT

SIZES = {"hello.txt": 12, "512.txt": 512, "1k.json": 1024, "static.txt": 1024}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = Path(__file__).parents[1] / "scripts" / "content.py"
    spec = importlib.util.spec_from_file_location("content_script", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_files_are_those_and_have_their_sizes() -> None:
    assert {path.name: path.stat().st_size for path in CONTENT.iterdir()} == SIZES


def test_the_files_are_what_the_script_writes(script) -> None:
    assert {path.name: path.read_text() for path in CONTENT.iterdir()} == script.files()


def test_the_document_is_the_same_when_a_program_parses_it_and_writes_it_again() -> None:
    text = (CONTENT / "1k.json").read_text()
    assert json.dumps(json.loads(text), separators=(",", ":")) == text
    assert not any(key.isdigit() for thing in json.loads(text)["things"] for key in thing)  # JavaScript sorts those
