"""What the generator did not offer voids that load of the block for all arms, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from samples import blocks as sample
from samples.blocks import MS
from samples.forgeries import EXPERIMENT, SHARED, behind, each_open_slice, stall

from hopcost.programs.generators.engine_lines import End, Slice, Validity
from hopcost.record.contents.block import Block
from hopcost.record.contents.offered_load import LoadFault, LoadFaultKind
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.statistics.validity.block import judge_block
from hopcost.statistics.validity.load import find_void_loads, reasons_of_void_loads

Forgery = Callable[[Block], None]


@pytest.mark.parametrize(
    ("forge", "kind", "extent"),
    [
        (lambda block: each_open_slice(block, generator_cpu_ns=1060 * MS), "saturated", 0.96),
        (lambda block: each_open_slice(block, late=300), "late", 0.06),
        (lambda block: each_open_slice(block, not_sent=100), "not_sent", 0.02),
        (stall, "stalled", None),
    ],
)
def test_a_load_that_the_generator_could_not_offer_is_void_alone(
    forge: Forgery, kind: str, extent: float | None
) -> None:
    block = sample.sound_block()
    forge(block)
    judged = judge_block(block, EXPERIMENT)
    assert judged[:2] == ("valid", [])
    (load,) = judged.void_loads
    assert (load.share, load.rate_per_s) == (0.25, 5000)
    assert load.faults == [LoadFault("behind", LoadFaultKind(kind), extent)]


def test_of_two_loads_the_one_that_was_offered_counts() -> None:
    block = sample.sound_block()
    for part in block.arms:
        part.open_loop.append(msgspec.structs.replace(sample.open_load(part.name, 10_000), share=0.5))
    for piece in behind(block).open_loop[1].slices:
        piece.late = 1000
    late = End(elapsed_ns=1, generator_cpu_ns=1, validity=Validity.SUSPECT, reasons=["late"])
    block.open_ends.append(late)
    judged = judge_block(block, EXPERIMENT)
    assert [load.share for load in judged.void_loads] == [0.5]
    assert judged[:2] == ("valid", []), "what the engine suspects of a void load says nothing of the block"
    block.open_ends = [late, *block.open_ends[:1]]
    assert judge_block(block, EXPERIMENT)[:2] == ("suspect", [Reason(ReasonKind.ENGINE, None, 5000, text="late")])


def test_a_fault_as_a_reason_has_its_arm_and_the_rate() -> None:
    block = sample.sound_block()
    each_open_slice(block, late=300)
    assert reasons_of_void_loads(find_void_loads(block, EXPERIMENT)) == [Reason(ReasonKind.LATE, "behind", 5000, 0.06)]


def test_late_requests_before_a_full_stack_that_shares_the_core_are_the_arms_own() -> None:
    block = sample.sound_block()
    full: dict[str, int | None] = dict.fromkeys(behind(block).hops, 950 * MS)
    for piece in behind(block).open_loop[0].slices:
        piece.late, piece.cpu_ns = 300, full
    assert find_void_loads(block, SHARED) == []
    assert len(find_void_loads(block, EXPERIMENT)) == 1


def of_two_generators(piece: Slice, **second: int) -> None:
    """The slice, made by two generators: the first has no fault, the second these figures of half of the requests."""
    half = {"due": (piece.due or 0) // 2, "elapsed_ns": piece.elapsed_ns}
    piece.generators = [sample.generator_slice("g1", **half), sample.generator_slice("g2", **half, **second)]


@pytest.mark.parametrize(
    ("figures", "kind"),
    [({"generator_cpu_ns": 1060 * MS}, "saturated"), ({"late": 150}, "late"), ({"not_sent": 50}, "not_sent")],
)
def test_one_generator_that_cannot_follow_does_not_hide_behind_another(figures: dict[str, int], kind: str) -> None:
    block = sample.sound_block()
    for piece in behind(block).open_loop[0].slices:
        of_two_generators(piece, **figures)
    (load,) = find_void_loads(block, EXPERIMENT)
    assert [(fault.kind, fault.machine) for fault in load.faults] == [(LoadFaultKind(kind), "g2")]
    assert [reason.machine for reason in reasons_of_void_loads([load])] == ["g2"]


def test_a_generator_whose_own_connections_are_all_taken_could_not_have_sent() -> None:
    block = sample.sound_block()
    most = EXPERIMENT.requests_at_a_time("behind")
    for piece in behind(block).open_loop[0].slices:
        of_two_generators(piece, not_sent=50, in_flight_ns=piece.elapsed_ns * most * 2 // 5)
    assert find_void_loads(block, EXPERIMENT) == [], "two fifths of all are four fifths of its half"


def test_two_generators_that_follow_are_no_fault() -> None:
    block = sample.sound_block()
    for piece in behind(block).open_loop[0].slices:
        of_two_generators(piece, generator_cpu_ns=500 * MS)
    assert find_void_loads(block, EXPERIMENT) == []
