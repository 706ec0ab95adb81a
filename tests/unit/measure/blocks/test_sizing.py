"""How long blocks are to be: out of what starts and rounds cost and how both scatter, in tables without a clock."""

from __future__ import annotations

import msgspec
import pytest
from known import known
from samples.blocks import MS, block, rounds_of
from samples.records import plan_of

from hopcost.measure.blocks.sizing import Sizing
from hopcost.plan.method import METHOD
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block, Failure

# Direct, behind, beside and the baseline's copy: a round of 300 ms after 300 ms each takes 2.472 s.
ARMS, ROUND_S = 4, 2.472


def a_block(number: int, behind: tuple[int, ...] = (400, 440, 400, 440)) -> Block:
    made = block(
        number, rounds_of("direct", *[1000] * 4), rounds_of("behind", *behind), rounds_of("direct-aa", *[1000] * 4)
    )
    return msgspec.structs.replace(made, slices_elapsed_ns=1200 * MS, elapsed_ns=4400 * MS)  # 2 s of it are neither


def sizing(*blocks: Block, loads: int = 0) -> Sizing:
    plan = plan_of()
    (experiment,) = plan.experiments
    shares = list(METHOD.open_loop_shares[:loads])
    made = Sizing(plan, msgspec.structs.replace(experiment, slice_ns=300 * MS, open_loop_shares=shares))
    for each in blocks:
        made.note(each)
    return made


def test_the_first_block_is_sized_for_starts_that_differ_as_usual() -> None:
    # A start costs 4 × (0.2 + 0.3) = 2 s, a round 2.472 s, both scatter by 3 %: √0.81 = 0.9, so two rounds.
    first = known(sizing().next(ARMS, 0, 600.0, 300 * MS))
    assert (first.rounds, first.slice_ns, first.forecast) == (2, 300 * MS, None)


def test_a_start_that_costs_more_gets_more_rounds() -> None:
    # With two loads of 4 × 0.81 s and 6 s of warm-up each: 31.3 s; √(31.3 ÷ 2.472) = 3.6.
    assert known(sizing(loads=2).next(ARMS, 0, 600.0, 6000 * MS)).rounds == 4


def test_starts_that_differ_get_fewer_rounds_than_starts_that_do_not() -> None:
    alike = [a_block(number) for number in range(6)]
    unlike = [a_block(number, (200, 220, 200, 220) if number % 2 else (800, 880, 800, 880)) for number in range(6)]
    many, few = (known(sizing(*blocks).next(ARMS, 6, 3600.0, 300 * MS)) for blocks in (alike, unlike))
    assert many.rounds > 4 and few.rounds == METHOD.min_rounds
    assert known(few.forecast).half_width > known(many.forecast).half_width


def test_there_are_four_starts_where_the_time_holds_them() -> None:
    # Blocks of 2 s and two rounds take 6.944 s: four take 27.8 s. Starts that do not differ would get long ones.
    calm = [a_block(0)]
    sizes = known(sizing(*calm).next(ARMS, 1, 3 * 6.95, 300 * MS))
    assert sizes.rounds == 2
    assert known(sizing(*calm).next(ARMS, 1, 3 * (2 + 3.01 * ROUND_S), 300 * MS)).rounds <= 3
    assert known(sizing().next(ARMS, 0, 2 * 6.95, 300 * MS)).rounds == 2, "two, where the time holds two"
    assert sizing().next(ARMS, 0, 6.9, 300 * MS) is None


def test_a_block_has_a_longest() -> None:
    alike = [a_block(number, (400, 400, 400, 400)) for number in range(8)]
    assert known(sizing(*alike, loads=2).next(ARMS, 8, 36_000.0, 9000 * MS)).rounds <= METHOD.max_block_s / ROUND_S


def test_it_does_not_matter_which_arm_is_better() -> None:
    better_block = a_block(0, (2000, 2200, 2000, 2200))
    worse, better = (known(sizing(each).next(ARMS, 1, 600.0, 300 * MS)) for each in (a_block(0), better_block))
    assert (worse.rounds, known(worse.forecast).blocks) == (better.rounds, known(better.forecast).blocks)


def test_what_a_block_costs_besides_is_learned_from_those_done() -> None:
    # 4.4 s − 1.2 s of slices − 1.2 s of settling − 0.3 s of warm-up of each of the block's three arms.
    assert sizing(a_block(0)).overheads_s == [pytest.approx(1.1)]


def test_blocks_with_an_open_loop_say_nothing_by_those_without() -> None:
    closed = a_block(1)
    assert closed.end is not None
    with_it = msgspec.structs.replace(closed, open_ends=[closed.end], elapsed_ns=closed.elapsed_ns + 9 * 10**9)
    assert sizing(a_block(0), with_it).overheads_s == [pytest.approx(10.1)]


def test_an_arm_that_failed_does_not_size_the_blocks_of_the_others() -> None:
    sizes = a_block(0)
    failed = msgspec.structs.replace(sizes, failures=[Failure(arm="behind", message="it ended")])
    assert [set(ratios) for ratios in sizing(sizes).ratios] == [{"behind"}, set()], "nothing is known of its CPU time"
    assert [set(ratios) for ratios in sizing(failed).ratios] == [set(), set()]


def test_the_copy_of_the_baseline_does_not_size_blocks() -> None:
    assert "direct-aa" not in sizing(a_block(0)).ratios[0]


def test_a_void_block_teaches_only_its_time() -> None:
    void = msgspec.structs.replace(a_block(0), validity=Validity.VOID)
    taught = sizing(void)
    assert taught.overheads_s and known(taught.next(ARMS, 0, 600.0, 300 * MS)).forecast is None
