"""What the receipts are told of a load, slow and idle connections among them; and a generator elsewhere."""

from __future__ import annotations

from pathlib import Path

import msgspec
from known import known
from mocks.mock_rig import MockRig, measure
from samples.blocks import MS, histogram, part, slice_of

from hopcost.measure.load.engine import add_conditions, load_shape
from hopcost.programs.generators.beside import BesideTotals
from hopcost.record.contents.evidence import GeneratorConditions, OtherProgram
from hopcost.stacks.under_load.receipts import LoadShape


def test_slow_clients_count_among_answers_connections_and_requests_under_way() -> None:
    totals = known(part(slice_of("direct", 100)).totals)
    totals.opened = 64
    assert load_shape(totals) == LoadShape(totals.answers, 64)
    totals.slow_clients = BesideTotals(
        number=100, established=100, due=110, sent=110, not_sent=0, answers=10, compared=10, in_flight=100, opened=103,
        reconnects=3, errors={}, time=histogram(*[20 * MS] * 10), unanswered=histogram(),
    )  # fmt: skip
    assert load_shape(totals) == LoadShape(totals.answers + 10, 64 + 103, in_flight=100)


THERE = GeneratorConditions(10, 5, 1, None, 0, [OtherProgram("cron", 7, 5)])


def test_what_a_generators_machine_did_adds_up_over_loads() -> None:
    more = GeneratorConditions(20, 7, 0, None, 3, [OtherProgram("cron", 7, 3), OtherProgram("apt", 9, 4)])
    assert add_conditions(None, THERE) == THERE
    both = add_conditions(THERE, more)
    assert both == GeneratorConditions(30, 12, 1, None, 3, [OtherProgram("cron", 7, 8), OtherProgram("apt", 9, 4)])
    unknown = msgspec.structs.replace(more, swapped_pages=None)
    assert add_conditions(THERE, unknown).swapped_pages is None


def test_a_block_keeps_what_the_generators_machine_did_in_all_its_loads(rig: MockRig, tmp_path: Path) -> None:
    rig.generators = {"g1": THERE, "g2": THERE}
    _, record, _ = measure(rig, tmp_path, loads=1)
    kept = [{name: own.elapsed_ns for name, own in block.generators.items()} for block in record.blocks]
    assert kept and all(elapsed_ns == {"g1": 20, "g2": 20} for elapsed_ns in kept)
    rig.generators = {}
    _, record, _ = measure(rig, tmp_path / "again")
    assert all(block.generators == {} for block in record.blocks)
