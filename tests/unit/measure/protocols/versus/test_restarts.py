"""What earlier records know of restarts of the same programs."""

from __future__ import annotations

from pathlib import Path

import msgspec
from samples.blocks import plain_block
from samples.records import made_up_suite, plan_of
from samples.servers import found

from hopcost.measure.protocols.versus.restarts import known_spread, spreads_in
from hopcost.measure.protocols.versus.run import versus_suite
from hopcost.plan.method import METHOD
from hopcost.record.reader import read_record
from hopcost.record.writer import Writer
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.suite import Suite


def recorded(folder: Path, starts: int) -> Path:
    """A record of `proxy` before `app` with so many starts that differ."""
    with Writer(folder / "record", made_up_suite(), plan_of(quick=False), {}, ["hopcost", "run"]) as writer:
        for number in range(starts):
            writer.append(plain_block(number, behind=400 + 20 * (number % 2)))
    return folder


def suite_of(*hops: str) -> Suite:
    servers = [found(3000 + number, 41 + number) for number in range(len(hops))]
    named = [
        msgspec.structs.replace(
            one,
            server=msgspec.structs.replace(
                one.server,
                hops=[msgspec.structs.replace(one.server.hops[0], name=name) for name in hop.split("+")],
            ),
        )
        for one, hop in zip(servers, hops, strict=True)
    ]
    return versus_suite(named, Workload())


def test_the_spread_is_of_the_same_programs(tmp_path: Path) -> None:
    folder = recorded(tmp_path, starts=6)
    spreads = spreads_in(read_record(folder / "record"))
    assert list(spreads) == [frozenset({"proxy", "app"})] and 0 < spreads[frozenset({"proxy", "app"})] < 0.2
    assert known_spread(suite_of("proxy+app", "app+proxy"), folder) == spreads[frozenset({"proxy", "app"})]
    assert known_spread(suite_of("proxy+app", "node"), folder) is None, "of one of both nothing is known"


def test_few_starts_other_methods_and_no_records_know_nothing(tmp_path: Path) -> None:
    record = read_record(recorded(tmp_path, starts=3) / "record")
    assert spreads_in(record) == {}
    older = msgspec.structs.replace(record.run, method=METHOD.number - 1)
    assert spreads_in(msgspec.structs.replace(record, run=older)) == {}
    assert known_spread(suite_of("proxy+app", "proxy+app"), tmp_path / "nowhere") is None
