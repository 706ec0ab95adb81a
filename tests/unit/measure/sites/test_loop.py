"""The loop over sites on a virtual clock: who measures what, what is looked at, and what becomes of lost blocks."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from mocks.mock_rig import SUITE, plan_of
from mocks.mock_sites import MockSites
from mocks.recorders import Recorder

from hopcost.measure.sites.loop import FleetLoop
from hopcost.measure.sites.messages import Measured, Refused
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record import reader
from hopcost.record.contents.run import Record, StopReason
from hopcost.record.writer import Writer

EVEN = {"a": 10.0, "b": 10.0, "c": 10.0}
UNEVEN = {"a": 10.0, "b": 13.0, "c": 31.0}


def measure(sites: MockSites, tmp_path: Path, time_s: float = 1000.0, loads: int = 0) -> tuple[bool, Record]:
    plan = plan_of(True, time_s, SUITE, loads)
    with Writer(tmp_path / "record", SUITE, plan, {}, ["hopcost"]) as writer:
        loop = FleetLoop(plan, sites, list(sites.seconds), writer, Recorder(), sites.clock)
        well = loop.measure()
    return well, reader.read_record(tmp_path / "record")


def by_site(record: Record) -> dict[str, int]:
    counted = [str(block.site) for block in record.blocks if block.validity is not Validity.VOID]
    return {site: counted.count(site) for site in sorted(set(counted))}


def test_sites_measure_at_the_same_time_and_alike_many_blocks(tmp_path: Path) -> None:
    sites = MockSites(EVEN)
    well, record = measure(sites, tmp_path)
    assert well and by_site(record) == {"a": 2, "b": 2, "c": 2}
    assert sites.now_s == 20.0
    assert record.run.endings[0].why is StopReason.PRECISION


def test_a_look_uses_blocks_by_number_whichever_site_is_fast(tmp_path: Path) -> None:
    _, fast = measure(MockSites(UNEVEN), tmp_path / "uneven")
    assert sorted(block.number for block in fast.blocks) == [0, 1, 2, 3, 4, 5]
    assert [block.number for block in fast.blocks] != [0, 1, 2, 3, 4, 5], "they do not come in order"
    assert fast.run.endings[0].detail.startswith("after 6 blocks")
    assert max(by_site(fast).values()) - min(by_site(fast).values()) <= 1


def test_nothing_is_measured_beyond_the_next_look(tmp_path: Path) -> None:
    sites = MockSites(dict.fromkeys("abcd", 10.0))
    _, record = measure(sites, tmp_path)
    assert len(sites.orders) == len(record.blocks) == 6


def test_with_more_sites_than_a_look_has_blocks_each_measures_one_first(tmp_path: Path) -> None:
    sites = MockSites(dict.fromkeys("abcdefghi", 10.0))
    _, record = measure(sites, tmp_path)
    assert len(record.blocks) == 12 and len(by_site(record)) == 9


def test_the_order_in_a_block_comes_from_its_number(tmp_path: Path) -> None:
    _, even = measure(MockSites(EVEN), tmp_path / "even")
    _, uneven = measure(MockSites(UNEVEN), tmp_path / "uneven")
    assert {block.number: block.seed for block in even.blocks} == {block.number: block.seed for block in uneven.blocks}


def test_one_load_is_offered_on_all_sites_and_the_slowest_decides(tmp_path: Path) -> None:
    sites = MockSites(EVEN)
    sites.rigs["b"].answers = {"base": 50, "base-aa": 50, "slow": 25}
    measure(sites, tmp_path, loads=1)
    first, later = sites.orders[:3], sites.orders[3:]
    assert [order.experiment.loads for _, order in first] == [0, 0, 0], "nobody knows the load yet"
    assert {site for site, _ in first} == {"a", "b", "c"}
    (rates,) = {tuple((order.rates or {}).items()) for _, order in later}
    ((share, rate),) = rates
    assert rate == pytest.approx(share * 25 / 1e-6, rel=0.05), "b's slowest arm: 25 answers in 1000 ns"


def test_a_lost_block_is_void_and_measured_again_and_the_site_comes_back(tmp_path: Path) -> None:
    sites = MockSites(EVEN)
    sites.faults["b", 0] = "b: its worker was lost"
    well, record = measure(sites, tmp_path)
    (void,) = [block for block in record.blocks if block.validity is Validity.VOID]
    assert (void.site, void.reasons[0].text) == ("b", "b: its worker was lost")
    assert well and sum(by_site(record).values()) == 6
    assert "b starts anew" in sites.log and by_site(record)["b"] >= 1
    assert record.run.sites_left == []


def test_a_site_that_does_not_come_back_leaves_and_the_others_go_on(tmp_path: Path) -> None:
    sites = MockSites(EVEN)
    sites.faults["b", 0] = "b: its worker was lost"
    sites.does_not_come_back = {"b"}
    well, record = measure(sites, tmp_path)
    assert well and by_site(record) == {"a": 3, "c": 3}
    assert [(site.name, site.reason) for site in record.run.sites_left] == [("b", "it does not come back: no route")]


def test_a_site_with_three_void_blocks_leaves_with_its_reasons(tmp_path: Path) -> None:
    sites = MockSites(EVEN)
    for count in range(3):
        sites.faults["c", count] = Refused("its disk is full", None, 1)
    _, record = measure(sites, tmp_path)
    assert [site.name for site in record.run.sites_left] == ["c"]
    assert "3 void blocks" in record.run.sites_left[0].reason and "disk is full" in record.run.sites_left[0].reason
    assert by_site(record) == {"a": 3, "b": 3}


def test_without_a_site_every_experiment_fails_with_the_reasons(tmp_path: Path) -> None:
    sites = MockSites({"a": 10.0})
    sites.faults["a", 0], sites.does_not_come_back = "a: cut off", {"a"}
    well, record = measure(sites, tmp_path)
    assert not well
    assert record.run.endings[0].why is StopReason.FAILED
    assert "no site is left: a: it does not come back: no route" in record.run.endings[0].detail


def test_the_block_of_another_order_is_not_taken(tmp_path: Path) -> None:
    sites = MockSites(EVEN)
    measure(sites, tmp_path / "first")
    other = sites._measured("a", sites.orders[0][1])
    sites = MockSites(EVEN)
    sites.faults["a", 0] = Measured(msgspec.structs.replace(other.block, number=77), [])
    _, record = measure(sites, tmp_path / "second")
    (void,) = [block for block in record.blocks if block.validity is Validity.VOID]
    assert void.reasons[0].text == "a: it answers with another block"


def test_the_time_ends_it_and_blocks_under_way_count(tmp_path: Path) -> None:
    sites = MockSites(EVEN)
    dice = random.Random(1)
    for rig in sites.rigs.values():
        rig.restarts = iter(lambda: dice.uniform(0.3, 3.0), None)
        rig.load_s = 10.0
    _, record = measure(sites, tmp_path, time_s=100.0)
    assert record.run.endings[0].why is StopReason.TIME
    assert sites.now_s <= 110.0 and len(record.blocks) > 18


def test_an_interrupt_keeps_what_has_arrived(tmp_path: Path) -> None:
    sites = MockSites(EVEN)
    sites.interrupted_at = 4
    with pytest.raises(KeyboardInterrupt):
        measure(sites, tmp_path)
    record = reader.read_record(tmp_path / "record")
    assert 0 < len(record.blocks) < 6 and record.run.endings[0].why is StopReason.INTERRUPTED


def test_experiments_share_the_sites(tmp_path: Path) -> None:
    experiments = [msgspec.structs.replace(SUITE.experiments[0], name=name) for name in ("one", "two")]
    plan = plan_of(True, 1000.0, msgspec.structs.replace(SUITE, experiments=experiments))
    sites = MockSites({"a": 10.0, "b": 10.0})
    with Writer(tmp_path / "record", SUITE, plan, {}, ["hopcost"]) as writer:
        FleetLoop(plan, sites, ["a", "b"], writer, Recorder(), sites.clock).measure()
    keys = [line.split()[1].partition("/")[0] for line in sites.log]
    assert keys.count("one") == keys.count("two") == 6
