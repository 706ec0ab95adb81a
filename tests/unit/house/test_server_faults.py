"""The table of what servers do against HTTP/2 has everything that the engine can say, each with its section."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
WIRE = ROOT / "crates/engine/src/wire/h2"
TABLE = ROOT / "docs/reference/engine-protocol.md"


def test_the_table_has_every_fault() -> None:
    violations = (WIRE / "violation.rs").read_text().partition("fn what")[2].partition("fn frame")[0]
    errors = (WIRE / "hpack/mod.rs").read_text().partition("fn what")[2].partition("fn section")[0]
    said = set(re.findall(r'=> "([^"]+)"', violations + errors))
    rows = dict(re.findall(r"^\| ([^`|]+) \| (RFC [^|]+) \|$", TABLE.read_text(), re.MULTILINE))
    assert len(said) > 35
    assert said - rows.keys() == set(), "not in the table"
    assert rows.keys() - said == {"an answer given up"}
