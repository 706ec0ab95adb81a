"""`hopcost claims` with the suite of another record."""

from __future__ import annotations

from pathlib import Path

from command import hopcost
from samples.written import written


def test_a_record_of_another_suite_judges_no_claims_of_this_one(tmp_path: Path) -> None:
    refused = hopcost("claims", written(tmp_path / "r"), "--suite", "nginx-go")
    assert refused.returncode == 2
    assert refused.stderr == ("error: --suite nginx-go: none of these records is of it\nhint: they are of: made-up\n")
