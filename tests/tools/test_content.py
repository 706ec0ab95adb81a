"""What every origin serves: sizes, and that the files are what tools/content.py writes."""

from __future__ import annotations

import json

from hopcost.programs.content import CONTENT
from tools import content

SIZES = {"hello.txt": 12, "512.txt": 512, "1k.json": 1024, "static.txt": 1024}


def test_the_files_are_those_and_have_their_sizes() -> None:
    assert {path.name: path.stat().st_size for path in CONTENT.iterdir()} == SIZES


def test_the_files_are_what_the_script_writes() -> None:
    assert {path.name: path.read_text() for path in CONTENT.iterdir()} == content.files()


def test_the_document_is_the_same_when_a_program_parses_it_and_writes_it_again() -> None:
    text = (CONTENT / "1k.json").read_text()
    assert json.dumps(json.loads(text), separators=(",", ":")) == text
    assert not any(key.isdigit() for thing in json.loads(text)["things"] for key in thing)  # JavaScript sorts those
