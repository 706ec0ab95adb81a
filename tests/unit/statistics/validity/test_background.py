"""What a server that nobody freezes does while others are loaded: suspect above 3 % of a core, void above 10 %."""

from __future__ import annotations

import pytest
from samples.blocks import MS
from samples.servers import SECOND, batch, found, plan_of_servers, server, server_part

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import ArmBlock
from hopcost.record.contents.reason import ReasonKind
from hopcost.statistics.validity.background import background, faults_of_background
from hopcost.statistics.validity.reasons import sentences

FIRST, SECOND_ONE = found(3000, 41), found(4000, 42)
OTHER = server(4000, 42)


@pytest.mark.parametrize(
    ("outside_ns", "validity"),
    [(0, None), (30 * MS, None), (31 * MS, Validity.SUSPECT), (100 * MS, Validity.SUSPECT), (101 * MS, Validity.VOID)],
)
def test_limits_of_one_core(outside_ns: int, validity: Validity | None) -> None:
    """A second lies between the slices: 30 ms of CPU time are 3 % of a core."""
    plan = plan_of_servers(FIRST, SECOND_ONE)
    block = batch(0, server_part("localhost:4000", 1000, outside_ns=outside_ns))
    faults = faults_of_background(block, plan.experiments[0])
    assert [fault[0] for fault in faults] == ([] if validity is None else [validity])
    for _, reason in faults:
        assert (reason.kind, reason.arm) == (ReasonKind.BACKGROUND, "localhost:4000")
        assert sentences([reason])[0].startswith("localhost:4000: used ")
        assert sentences([reason])[0].endswith(" % of a core while others were loaded")


def test_the_second_run_is_not_judged_apart() -> None:
    plan = plan_of_servers(FIRST, SECOND_ONE)
    copy = server_part("localhost:3000-aa", 1000, copy_of="localhost:3000", outside_ns=SECOND)
    assert faults_of_background(batch(0, copy), plan.experiments[0]) == []


def beside(part: ArmBlock, other: ArmBlock, same: bool) -> float | None:
    own = server(3000, 42 if same else 41)
    return background(part, own, [(other, OTHER)], settle_ns=300 * MS)


def test_visits_of_arms_with_the_same_processes_are_taken_out() -> None:
    """Two seconds between: 0.3 s of settling and 1 s of slice of the same server, then 0.7 s alone."""
    part = server_part("localhost:3000", 1000, outside_ns=1014 * MS)
    part.slices[1].frozen_ns = 2 * SECOND
    visit = server_part(
        "localhost:4000", 1000, cpu_ns=800 * MS, settling_ns=200 * MS, begins_ns={0: SECOND, 1: 9 * SECOND}
    )
    assert beside(part, visit, same=True) == pytest.approx(0.014 / 0.7)
    assert beside(part, visit, same=False) == pytest.approx(1.014 / 2)


def test_nothing_is_known_of_a_server_without_cpu_time_or_that_is_never_left_alone() -> None:
    part = server_part("localhost:3000", 1000, cpu_ns=None)
    assert background(part, server(3000), [], 0) is None
    part = server_part("localhost:3000", 1000, outside_ns=900 * MS)
    part.slices[1].frozen_ns = 1300 * MS
    visit = server_part("localhost:4000", 1000, settling_ns=200 * MS, begins_ns={0: SECOND, 1: 9 * SECOND})
    assert beside(part, visit, same=True) is None
