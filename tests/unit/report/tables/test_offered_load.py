"""What `--details` shows of a mix, by request."""

from __future__ import annotations

from known import known
from samples.blocks import MS, block, histogram_of, sound_part
from samples.pages import rendered
from samples.records import record
from samples.sweeps import details_of

from hopcost.programs.generators.engine_lines import RequestTotals
from hopcost.record.contents.block import ArmBlock
from hopcost.record.contents.run import Record
from hopcost.report import Part
from hopcost.report.document import Table


def with_requests(part: ArmBlock) -> ArmBlock:
    """A page of 1 ms; the arm behind the proxy fails now and then."""
    times, none = histogram_of({MS: 30_000}), histogram_of({})
    errors = {"status": 2} if part.name == "behind" else {}
    known(part.totals).requests = [
        RequestTotals("page", 30_002, 0, 30_000, 0, errors, times, none),
        RequestTotals("form", 10_000, 0, 10_000, 0, {}, times, none),
    ]
    return part


def of_a_mix() -> Record:
    return record(block(0, *[with_requests(sound_part(arm)) for arm in ("direct", "behind", "direct-aa")]))


def test_a_row_for_each_request_and_stack() -> None:
    elements = details_of(of_a_mix())[Part.LOAD]
    (table,) = [table for table in elements if isinstance(table, Table) and table.title == "by request"]
    assert table.header == ["load", "request", "stack", "answers", "failed", "median µs", "p99 µs"]
    assert [row[:5] for row in table.rows] == [
        ["full load", "page", "direct", "30,000", "–"],
        ["", "", "behind", "30,000", "2 status"],
        ["", "form", "direct", "10,000", "–"],
        ["", "", "behind", "10,000", "–"],
    ]
    assert all(row[5].startswith("1000") for row in table.rows)


def test_the_page_has_it() -> None:
    page = rendered(of_a_mix())
    assert "by request" in page and ">form</" in page and "2 status" in page


def test_without_a_mix_there_is_no_such_table() -> None:
    parts = [sound_part(arm) for arm in ("direct", "behind", "direct-aa")]
    elements = details_of(record(block(0, *parts)))[Part.LOAD]
    assert not any(isinstance(element, Table) and element.title == "by request" for element in elements)
