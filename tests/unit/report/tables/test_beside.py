"""Slow clients and idle connections: a line below the table, and a table of their own."""

from __future__ import annotations

from known import known
from samples.blocks import MS, histogram
from samples.pages import rendered
from samples.records import record
from samples.sweeps import at, plan_with, planned, table_of

from hopcost.programs.generators.beside import BesideSlice, BesideTotals
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Record
from hopcost.report import Part
from hopcost.report.tables.beside import beside_lines
from hopcost.statistics.summary.summary import summarise
from hopcost.suites.experiments.beside import IdleConnections, SlowClients
from hopcost.suites.experiments.workload import Workload


def beside(answers: int, *, errors: dict[str, int] | None = None, reopened: int = 0, time_ms: int = 10) -> BesideTotals:
    return BesideTotals(
        number=7, established=7, due=answers, sent=answers, not_sent=0, answers=answers, compared=answers, in_flight=0,
        opened=7 + reopened, reconnects=reopened, errors=errors or {}, time=histogram(*[time_ms * MS] * answers),
        unanswered=histogram(),
    )  # fmt: skip


def with_beside(block: Block) -> Block:
    """Of all arms the same, but that one loses idle connections."""
    block.experiment = "cost"
    for part in block.arms:
        totals = known(part.totals)
        totals.slow_clients = beside(4, time_ms=20)
        is_behind = part.name == "behind"
        totals.idle_connections = beside(3, errors={"timeout": 2} if is_behind else None, reopened=5 * is_behind)
        for piece in part.slices:
            piece.slow_clients = BesideSlice(answers=4, sent=4, errors={}, reconnects=0, received_bytes=9, cpu_ns=MS)
            piece.idle_connections = BesideSlice(3, 3, {}, 0, 9, 2 * MS)
    return block


def content(*blocks: Block) -> Record:
    workload = Workload(
        slow_clients=SlowClients(number=7, bytes_per_s=30_000),
        idle_connections=IdleConnections(number=7, every="30s"),
    )
    return record(*blocks, plan=plan_with(planned(workload=workload)))


def test_each_kind_has_a_line_with_what_went_wrong() -> None:
    (experiment, *_) = summarise(content(with_beside(at(0, 400)), with_beside(at(0, 400))))
    assert beside_lines(experiment) == [
        "Beside them 7 slow clients at 30 KB/s, median direct 20.0 ms, behind 20.0 ms.",
        "Beside them 7 idle connections, each asking every 30s, median direct 10.0 ms, behind 10.0 ms (4 timeout, 10"
        " reopened).",
    ]


def test_the_details_have_a_row_for_each_kind_and_stack() -> None:
    table = known(table_of(content(with_beside(at(0, 400))), Part.LOAD, "slow clients and idle connections"))
    assert [row[:3] for row in table.rows] == [
        ["slow clients", "direct", "4"],
        ["", "behind", "4"],
        ["idle connections", "direct", "3"],
        ["", "behind", "3"],
    ]
    assert [row[-3:] for row in table.rows][3][:2] == ["2", "5"]


def test_the_page_has_both() -> None:
    page = rendered(content(with_beside(at(0, 400))))
    assert "Beside them 7 slow clients at 30 KB/s, median direct 20.0 ms, behind 20.0 ms." in page
    assert "slow clients and idle connections" in page


def test_without_any_there_is_neither() -> None:
    block = at(0, 400)
    block.experiment = "cost"
    (experiment, *_) = summarise(record(block))
    assert beside_lines(experiment) == []
    assert table_of(record(block), Part.LOAD, "slow clients and idle connections") is None
