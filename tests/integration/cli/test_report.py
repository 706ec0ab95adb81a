"""`hopcost report` of a damaged record: no traceback."""

from __future__ import annotations

from pathlib import Path

from command import hopcost
from samples.written import arm, changed, written


def test_no_such_record_ends_in_a_traceback_on_the_command_line(tmp_path: Path) -> None:
    path = written(tmp_path / "r")
    changed(path, "blocks.jsonl", lambda block: arm(block)["totals"].update(service_time="AAAA"), line=3)
    for verb in ("report", "claims"):
        refused = hopcost(verb, path)
        assert refused.returncode == 2 and refused.stdout == ""
        assert refused.stderr.startswith(f"error: {path}/blocks.jsonl: line 3: arms[0] (direct): totals.service_time")
        assert "hint: " in refused.stderr
