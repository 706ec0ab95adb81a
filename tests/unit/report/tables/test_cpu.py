"""The tables of CPU time."""

from __future__ import annotations

from known import known
from samples.comparisons import six_blocks, summary, void_load

from hopcost.report.tables.cpu import hop_cost_table


def test_a_cost_from_one_start_is_marked() -> None:
    first, *others = six_blocks()
    table = known(hop_cost_table([summary([first, *(void_load(block, 0.1) for block in others)])]))
    assert ["from one start" in " ".join(row) for row in table.rows] == [True, False]
    assert not any("from one start" in " ".join(row) for row in known(hop_cost_table([summary(six_blocks())])).rows)
