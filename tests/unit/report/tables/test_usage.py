"""Memory and ports: one table, with a row for each hop."""

from __future__ import annotations

import pytest
from known import known
from samples.records import record
from samples.reports import rendered
from samples.sweeps import at, details_of, notes_of, peer_run, plan_with, planned, repeat, sweep, table_of

from hopcost.record.contents.block import Block
from hopcost.record.contents.evidence import Memory, NetworkKind, Surroundings, TimeWait
from hopcost.record.contents.run import Record
from hopcost.report import Part, formatting
from hopcost.report.document import Table
from hopcost.report.formats import text
from hopcost.report.record_report import document
from hopcost.statistics.summary.summary import summarise
from hopcost.suites.articles.published import Protocol
from hopcost.suites.peer_name import PeerName

MIB = 2**20


def usage(content: Record) -> Table:
    return known(table_of(content, Part.MEMORY))


def with_usage(block: Block, peak_mib: int, server: int) -> Block:
    """The proxied arm with memory and ports; hops start from the origin, links stand from the client."""
    behind = block.arms[1]
    behind.memory = {
        "app": Memory(processes=1, peak_bytes=peak_mib * MIB, proportional_bytes=None),
        "proxy": Memory(processes=2, peak_bytes=2 * peak_mib * MIB, proportional_bytes=MIB // 2),
    }
    behind.time_wait = [TimeWait(hop="proxy", server=server, client=10)]
    return block


def test_memory_and_ports_are_one_table_with_a_row_for_each_hop() -> None:
    first, second = at(0, 400), at(0, 400)
    for block, peak_mib, server in ((first, 5, 1200), (second, 9, 3)):
        with_usage(block, peak_mib, server).experiment = "cost"
    table = usage(record(first, second))
    assert table.header == ["stack", "hop", "peak MiB", "shared out MiB", "TIME_WAIT hop", "TIME_WAIT client"]
    assert table.rows == [["behind", "proxy", "18.0", "0.5", "1,200", "10"], ["", "app", "9.0", "–", "–", "–"]]
    lines = notes_of(record(first, second))
    assert not any("TIME_WAIT" in line or "memory" in line for line in lines)


def test_a_sweep_has_one_such_table_for_all_its_values() -> None:
    content = sweep()
    for block, peak_mib, server in zip(content.blocks, (5, 9), (0, 7), strict=True):
        with_usage(block, peak_mib, server)
    table = usage(content)
    assert table.rows == [["behind", "proxy", "10.0–18.0", "0.5", "0–7", "10"], ["", "app", "5.0–9.0", "–", "–", "–"]]
    assert "lowest–highest of the values 10, 1000" in table.below


def test_without_any_tcp_link_there_are_no_columns_for_ports() -> None:
    block = with_usage(at(0, 400), 5, 0)
    block.experiment, block.arms[1].time_wait = "cost", []
    assert usage(record(block)).header == ["stack", "hop", "peak MiB", "shared out MiB"]
    block.arms[1].memory = {}
    assert Part.MEMORY not in details_of(record(block))


def test_it_stands_in_the_details_and_in_markdown() -> None:
    block = with_usage(at(0, 400), 5, 1200)
    block.experiment = "cost"
    content = record(block)
    shown = text.text(document(content, summarise(content), [Part.MEMORY]))
    assert [line.split() for line in shown.splitlines() if "1,200" in line] == [
        ["behind", "proxy", "10.0", "0.5", "1,200", "10"]
    ]
    assert "| behind | proxy | 10.0 | 0.5 | 1,200 | 10 |" in rendered("md", content)


def test_repeats_have_memory_ports_and_surroundings_too() -> None:
    plan = plan_with(planned(as_published=Protocol(peer=PeerName.WRK, duration_s=30, repeats=1)))
    single = repeat("direct", 0, peer_run(1000))
    single.memory = {"app": Memory(processes=1, peak_bytes=MIB, proportional_bytes=None)}
    single.time_wait = [TimeWait(hop="app", server=5, client=0)]
    single.surroundings = Surroundings(network=NetworkKind.OWN, open_files=1, sysctls={"net.core.somaxconn": "128"})
    content = record(plan=plan, repeats=[single])
    assert usage(content).rows == [["direct", "app", "1.0", "–", "5", "0"]]
    assert any("closed its own by then" in line for line in usage(content).below)
    assert "direct: read back: net.core.somaxconn = 128" in notes_of(content)


@pytest.mark.parametrize(
    ("values", "shown"), [([], "–"), ([None], "–"), ([1.04, 0.96, None], "1.0"), ([2, 1000], "2.0–1,000.0")]
)
def test_a_span(values: list[float | None], shown: str) -> None:
    assert formatting.span(values, digits=1) == shown


def test_one_block_is_no_plural() -> None:
    assert (formatting.count(1, "block"), formatting.count(2, "block"), formatting.count(0, "block")) == (
        "1 block",
        "2 blocks",
        "0 blocks",
    )
