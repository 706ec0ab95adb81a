"""Real records, one of each kind, cut short: every report of them, to the last byte.

A run made each record in tests/golden/records/; then blocks and arms were taken out to make it small. The tests show
that hopcost still reads a record of an earlier version, and that the record's figures stay.
"""

from __future__ import annotations

import golden
import pytest

from hopcost.record.reader import read_record
from hopcost.report import Format, render
from hopcost.report.record_report import record_report
from hopcost.statistics.summary.summary import summarise

KINDS = sorted(path.name for path in (golden.FOLDER / "records").iterdir())
ENDINGS = {Format.TEXT: "txt", Format.MARKDOWN: "md", Format.JSON: "json", Format.CSV: "csv"}


@pytest.mark.parametrize("format", ENDINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_real_record_is_reported_as_before(kind: str, format: Format) -> None:
    record = read_record(golden.FOLDER / "records" / kind)
    assert not record.warnings
    report = render(record_report(record, summarise(record)), format)
    golden.compare(f"records/{kind}/report.{ENDINGS[format]}", report.replace(str(golden.FOLDER), "tests/golden"))
