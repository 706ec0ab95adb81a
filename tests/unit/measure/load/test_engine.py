"""What the receipts are told of a load: all connections, slow and idle ones among them."""

from __future__ import annotations

from known import known
from samples.blocks import MS, histogram, part, slice_of

from hopcost.measure.load.engine import load_shape
from hopcost.programs.generators.beside import BesideTotals
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
