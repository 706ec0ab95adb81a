"""Offered loads that do not count, in a line each."""

from __future__ import annotations

from samples.comparisons import six_blocks, summary, void_load

from hopcost.record.contents.offered_load import LoadFault, LoadFaultKind
from hopcost.report.notes.conditions import validity_lines
from hopcost.report.notes.void_loads import words


def test_a_line_for_each_load_has_the_starts_and_the_reasons() -> None:
    blocks = six_blocks()
    blocks[1], blocks[4] = void_load(blocks[1], 0.06), void_load(blocks[4], 0.123)
    expected = "at 5,000/s: 2 of 6 starts do not count: the generator sent 6 to 12 % of the requests late"
    assert validity_lines(summary(blocks)) == [expected]
    expected = "at 5,000/s: 1 of 6 starts does not count: the generator sent 12 % of the requests late"
    assert validity_lines(summary([*six_blocks()[:4], *blocks[4:]])) == [expected]


def test_each_kind_of_fault_is_said_once() -> None:
    kinds = [(LoadFaultKind.STALLED, None), (LoadFaultKind.SATURATED, 0.96), (LoadFaultKind.NOT_SENT, 0.02)]
    faults = [LoadFault(arm, kind, extent) for arm in ("direct", "behind") for kind, extent in kinds]
    assert words(faults) == (
        "something stood still; the generator's cores were 96 % busy; the generator did not send 2 % of the requests"
    )


def test_of_several_generators_each_has_its_own_words() -> None:
    late = [("g1", 0.06), ("g2", 0.08), ("g1", 0.09)]
    faults = [LoadFault("direct", LoadFaultKind.LATE, extent, machine) for machine, extent in late]
    assert words(faults) == (
        "on g1: the generator sent 6 to 9 % of the requests late; on g2: the generator sent 8 % of the requests late"
    )
