"""Other generators' own figures beside their counts."""

from __future__ import annotations

import msgspec
from known import known
from samples.blocks import block, part, slice_of
from samples.records import record
from samples.sweeps import at, peer_run, plan_with, planned, repeat, table_of

from hopcost.record.contents.block import Block
from hopcost.record.contents.repeat import PeerRun
from hopcost.record.contents.run import Record
from hopcost.report import Part
from hopcost.report.document import Table
from hopcost.suites.articles.published import Protocol
from hopcost.suites.peer_name import PeerName


def timed(answers: int, latency_ms: dict[str, float], kept: int | None = None) -> PeerRun:
    return msgspec.structs.replace(peer_run(answers), latency_ms=latency_ms, kept_alive=kept)


def generator(content: Record) -> Table | None:
    return table_of(content, Part.LOAD, "as the other generator says")


def test_another_generators_times_stand_beside_its_counts() -> None:
    blocks = []
    for number, mean in ((0, 1.25), (1, 2.0)):
        start = block(number, part(slice_of("direct", 1)), part(slice_of("direct-aa", 1)))
        for arm in start.arms:
            arm.slices, arm.totals, arm.warm_up = [], None, None
            arm.peer = timed(3000, {"mean": mean, "p99": 9.0, "stdev": 3.0})
        blocks.append(start)
    table = known(generator(record(*blocks)))
    assert table.header == ["stack", "mean ms", "p99 ms"]
    assert table.rows == [["direct", "1.2–2.0", "9.0"]]


def test_kept_connections_are_counted_over_all_repeats_and_unknown_where_one_does_not_say() -> None:
    plan = plan_with(planned(as_published=Protocol(peer=PeerName.AB, requests=1000, repeats=2)))
    repeats = [repeat("direct", number, timed(1000, {}, kept=kept)) for number, kept in ((0, 990), (1, 0))]
    repeats += [repeat("behind", number, timed(1000, {}, kept=kept)) for number, kept in ((0, 990), (1, None))]
    table = known(generator(record(plan=plan, repeats=repeats)))
    assert table.header == ["stack", "kept"]
    assert table.rows == [["direct", "990 of 2,000"], ["behind", "–"]]


def test_our_engines_arms_have_no_such_table() -> None:
    assert generator(record(at_cost())) is None


def at_cost() -> Block:
    block = at(0, 400)
    block.experiment = "cost"
    return block
