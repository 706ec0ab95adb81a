"""What arms had and used: one table for memory and ports, each surrounding once, other generators' own figures."""

from __future__ import annotations

import msgspec
import pytest
from factory import block, part, plan_of, record, slice_of
from test_sweep_report import at, peer_run, planned, point, repeat, sweep

from hopcost.network import Surroundings
from hopcost.published import Protocol
from hopcost.record import Block, PeerRun, Record
from hopcost.report import markdown, table, text, words
from hopcost.report.part import Part
from hopcost.summary import summarise
from hopcost.usage import Memory, TimeWait

MIB = 2**20


def only(parts: list[Part], title: str) -> Part:
    (found,) = [each for each in parts if each.title == title]
    return found


def usage(content: Record) -> Part:
    (made,) = table.tables(summarise(content))
    return only(made.further, "memory and closed connections")


def with_usage(made: Block, peak_mib: int, server: int) -> Block:
    """The proxied arm with memory and ports; hops start from the origin, links stand from the client."""
    behind = made.arms[1]
    behind.memory = {
        "app": Memory(processes=1, peak_bytes=peak_mib * MIB, proportional_bytes=None),
        "proxy": Memory(processes=2, peak_bytes=2 * peak_mib * MIB, proportional_bytes=MIB // 2),
    }
    behind.time_wait = [TimeWait(hop="proxy", server=server, client=10)]
    return made


def test_memory_and_ports_are_one_table_with_a_row_for_each_hop() -> None:
    first, second = at(0, 400), at(0, 400)
    for each, peak_mib, server in ((first, 5, 1200), (second, 9, 3)):
        with_usage(each, peak_mib, server).experiment = "cost"
    made = usage(record(first, second))
    assert made.header == ["arm", "hop", "memory peak MiB", "proportional MiB", "TIME_WAIT server", "its client"]
    assert made.rows == [["behind", "proxy", "18.0", "0.5", "1,200", "10"], ["", "app", "9.0", "–", "–", "–"]]
    (whole,) = table.tables(summarise(record(first, second)))
    assert not any("TIME_WAIT" in line or "memory" in line for line in whole.below)


def test_a_sweep_has_one_such_table_for_all_its_values() -> None:
    content = sweep()
    for each, peak_mib, server in zip(content.blocks, (5, 9), (0, 7), strict=True):
        with_usage(each, peak_mib, server)
    made = usage(content)
    assert made.rows == [["behind", "proxy", "10.0–18.0", "0.5", "0–7", "10"], ["", "app", "5.0–9.0", "–", "–", "–"]]
    assert "lowest–highest of the values 10, 1000" in made.below


def test_without_any_tcp_link_there_are_no_columns_for_ports() -> None:
    made = with_usage(at(0, 400), 5, 0)
    made.experiment, made.arms[1].time_wait = "cost", []
    assert usage(record(made)).header == ["arm", "hop", "memory peak MiB", "proportional MiB"]
    made.arms[1].memory = {}
    (whole,) = table.tables(summarise(record(made)))
    assert "memory and closed connections" not in [part.title for part in whole.further]


def test_further_tables_stand_in_text_and_markdown() -> None:
    made = with_usage(at(0, 400), 5, 1200)
    made.experiment = "cost"
    content = record(made)
    shown = text.render(content, summarise(content))
    assert [line.split() for line in shown.splitlines() if "1,200" in line] == [
        ["behind", "proxy", "10.0", "0.5", "1,200", "10"]
    ]
    assert "| behind | proxy | 10.0 | 0.5 | 1,200 | 10 |" in markdown.render(content, summarise(content))


# Surroundings


def surrounded(
    *values: int, sysctls: dict[tuple[int, str], dict[str, str]], links: dict[int, int] | None = None
) -> list[str]:
    """The lines of a sweep over these values whose arms were given this."""
    plan = msgspec.structs.replace(plan_of(), experiments=[point(value) for value in values])
    blocks = [at(value, 400) for value in values]
    for value, each in zip(values, blocks, strict=True):
        for arm in each.arms:
            seen = (links or {}).get(value)
            arm.surroundings = Surroundings(
                network="own",
                open_files=1,
                sysctls=sysctls.get((value, arm.copy_of or arm.name), {}),
                link_mbit_per_s=None if seen is None else 1000,
                link_bits_per_s=seen,
            )
    (made,) = table.tables(summarise(record(*blocks, plan=plan)))
    return [line for line in made.below if "read back" in line or "Mbit/s" in line]


def test_what_all_have_is_said_once_and_what_differs_with_whom_it_holds_for() -> None:
    both = {"net.ipv4.tcp_tw_reuse": "0", "net.ipv4.ip_local_port_range": "8192 65535"}
    given = {
        (value, arm): both | {"net.core.somaxconn": str(value)} for value in (10, 1000) for arm in ("direct", "behind")
    }
    assert surrounded(10, 1000, sysctls=given) == [
        "note: every arm: read back: net.ipv4.tcp_tw_reuse = 0, net.ipv4.ip_local_port_range = 8192 65535",
        "note: at 10: every arm: read back: net.core.somaxconn = 10",
        "note: at 1000: every arm: read back: net.core.somaxconn = 1000",
    ]


@pytest.mark.parametrize(
    ("holders", "who"),
    [
        ([(10, "behind"), (1000, "behind")], "behind"),
        ([(10, "direct"), (10, "behind"), (1000, "behind")], "at 10: every arm; at 1000: behind"),
        ([(1000, "direct")], "at 1000: direct"),
    ],
)
def test_who_has_it(holders, who) -> None:
    given = {key: {"net.core.somaxconn": "5"} for key in holders}
    assert surrounded(10, 1000, sysctls=given) == [f"note: {who}: read back: net.core.somaxconn = 5"]


def test_a_link_says_between_what_the_transfers_of_all_values_lay() -> None:
    assert surrounded(10, 1000, sysctls={}, links={10: 938_000_000, 1000: 941_000_000}) == [
        "note: every arm: a link of 1000 Mbit/s; a plain transfer before load came to 938–941 Mbit/s"
    ]


# Other generators


def timed(answers: int, latency_ms: dict[str, float], kept: int | None = None) -> PeerRun:
    return msgspec.structs.replace(peer_run(answers), latency_ms=latency_ms, kept_alive=kept)


def generator(content: Record) -> Part:
    (made,) = table.tables(summarise(content))
    return only(made.further, "as the other generator says")


def test_another_generators_times_stand_beside_its_counts() -> None:
    blocks = []
    for number, mean in ((0, 1.25), (1, 2.0)):
        each = block(number, part(slice_of("direct", 1)), part(slice_of("direct-aa", 1)))
        for arm in each.arms:
            arm.slices, arm.totals, arm.warm_up = [], None, None
            arm.peer = timed(3000, {"mean": mean, "p99": 9.0, "stdev": 3.0})
        blocks.append(each)
    made = generator(record(*blocks))
    assert made.header == ["arm", "mean ms", "p99 ms"]
    assert made.rows == [["direct", "1.2–2.0", "9.0"]]


def test_kept_connections_are_counted_over_all_repeats_and_unknown_where_one_does_not_say() -> None:
    plan = msgspec.structs.replace(
        plan_of(), experiments=[planned(as_published=Protocol(peer="ab", requests=1000, repeats=2))]
    )
    repeats = [repeat("direct", number, timed(1000, {}, kept=kept)) for number, kept in ((0, 990), (1, 0))]
    repeats += [repeat("behind", number, timed(1000, {}, kept=kept)) for number, kept in ((0, 990), (1, None))]
    made = generator(record(plan=plan, repeats=repeats))
    assert made.header == ["arm", "kept"]
    assert made.rows == [["direct", "990 of 2,000"], ["behind", "–"]]


def test_repeats_have_memory_ports_and_surroundings_too() -> None:
    plan = msgspec.structs.replace(
        plan_of(), experiments=[planned(as_published=Protocol(peer="wrk", duration_s=30, repeats=1))]
    )
    one = repeat("direct", 0, peer_run(1000))
    one.memory = {"app": Memory(processes=1, peak_bytes=MIB, proportional_bytes=None)}
    one.time_wait = [TimeWait(hop="app", server=5, client=0)]
    one.surroundings = Surroundings(network="own", open_files=1, sysctls={"net.core.somaxconn": "128"})
    content = record(plan=plan, repeats=[one])
    assert usage(content).rows == [["direct", "app", "1.0", "–", "5", "0"]]
    assert any("closed its own by then" in line for line in usage(content).below)
    (made,) = table.tables(summarise(content))
    assert "note: direct: read back: net.core.somaxconn = 128" in made.below


def test_our_engines_arms_have_no_such_table() -> None:
    (made,) = table.tables(summarise(record(at_cost())))
    assert [part.title for part in made.further] == ["what the hop costs"]


def at_cost() -> Block:
    made = at(0, 400)
    made.experiment = "cost"
    return made


@pytest.mark.parametrize(
    ("values", "shown"), [([], "–"), ([None], "–"), ([1.04, 0.96, None], "1.0"), ([2, 1000], "2.0–1,000.0")]
)
def test_a_span(values, shown) -> None:
    assert words.span(values, digits=1) == shown


def test_one_block_is_no_plural() -> None:
    assert (words.count(1, "block"), words.count(2, "block"), words.count(0, "block")) == (
        "1 block",
        "2 blocks",
        "0 blocks",
    )
