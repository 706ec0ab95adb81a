"""How long blocks are to be: out of the spread of rounds and the time left, in tables without a clock."""

import msgspec
import pytest
from samples.records import MS, block, plan_of, rounds_of

from hopcost.generators.engine_protocol import Validity
from hopcost.measure.sizing import Sizing
from hopcost.plan.method import METHOD
from hopcost.record.block import Block, Failure

# Direct, behind, beside and the baseline's copy: a round of 300 ms after 300 ms each takes 2.472 s, of 100 ms 0.824 s.
ARMS = 4


def a_block(number: int, behind: tuple[int, ...] = (400, 440, 400, 440)) -> Block:
    made = block(
        number, rounds_of("direct", *[1000] * 4), rounds_of("behind", *behind), rounds_of("direct-aa", *[1000] * 4)
    )
    return msgspec.structs.replace(made, slices_elapsed_ns=1200 * MS, elapsed_ns=4400 * MS)  # 2 s of it are neither


def sizing(*blocks: Block, quick: bool = False) -> Sizing:
    plan = plan_of(quick=quick)
    (experiment,) = plan.experiments
    made = Sizing(plan, experiment if quick else msgspec.structs.replace(experiment, slice_ns=300 * MS))
    for each in blocks:
        made.note(each)
    return made


def test_the_pilot_is_short_and_a_quick_run_has_none() -> None:
    pilot = sizing().next(ARMS, 0, 600.0, 300 * MS)
    assert pilot is not None and pilot.forecast is None
    assert pilot.rounds == max(2, int(METHOD.pilot_s / 2.472))
    quick = sizing(quick=True).next(ARMS, 0, 600.0, 300 * MS)
    assert quick is not None and quick.rounds == int(40 / 0.824), "the longest block there is"


def test_after_the_pilot_the_spread_of_its_rounds_decides() -> None:
    # The log-ratio of 400 and 440 answers spreads by ±ln(1.1) ÷ 2 = 0.04766 about its mean: variance 0.00303 (n − 1).
    found = sizing(a_block(0)).next(ARMS, 1, 1200.0, 300 * MS)
    assert found is not None and found.forecast is not None
    assert found.forecast.half_width <= 0.01
    calm = sizing(a_block(0, (400, 404, 400, 404))).next(ARMS, 1, 1200.0, 300 * MS)
    assert calm is not None and calm.forecast is not None
    assert calm.forecast.seconds < found.forecast.seconds
    assert calm.rounds <= found.rounds


def test_two_or_three_blocks_that_differ_do_not_make_the_next_ones_brief() -> None:
    unlike = [a_block(0), a_block(1, (200, 220, 200, 220)), a_block(2, (800, 880, 800, 880))]
    three, six = (sizing(*each).next(ARMS, len(each), 300.0, 300 * MS) for each in (unlike, unlike * 2))
    assert three is not None and six is not None and three.forecast is not None and six.forecast is not None
    assert (three.forecast.blocks, three.rounds) == (10, 16), "the longest that there are"
    assert (six.forecast.blocks, six.rounds) == (24, 5), "by six blocks it is known that starts differ"


def test_it_does_not_matter_which_arm_is_better() -> None:
    better_block = a_block(0, (2000, 2200, 2000, 2200))
    worse, better = (sizing(each).next(ARMS, 1, 600.0, 300 * MS) for each in (a_block(0), better_block))
    assert worse is not None and better is not None and worse.forecast is not None and better.forecast is not None
    assert (worse.rounds, worse.forecast.blocks) == (better.rounds, better.forecast.blocks)


def test_what_a_block_costs_besides_is_learned_from_those_done() -> None:
    # 4.4 s − 1.2 s of slices − 1.2 s of settling − 0.3 s of warm-up of each of the block's three arms.
    assert sizing(a_block(0)).overheads_s == [pytest.approx(1.1)]


def test_blocks_with_an_open_loop_say_nothing_by_those_without() -> None:
    closed = a_block(1)
    assert closed.end is not None
    with_it = msgspec.structs.replace(closed, open_ends=[closed.end], elapsed_ns=closed.elapsed_ns + 9 * 10**9)
    assert sizing(a_block(0), with_it).overheads_s == [pytest.approx(10.1)]


def test_an_arm_that_failed_does_not_size_the_blocks_of_the_others() -> None:
    one = a_block(0)
    arm = next(arm.name for arm in one.arms if arm.copy_of is None and arm.name != "direct")
    failed = msgspec.structs.replace(one, failures=[Failure(arm=arm, message="it ended")])
    assert arm in sizing(one).ratios and arm not in sizing(failed).ratios


def test_a_longer_warm_up_leaves_less_time_for_slices() -> None:
    short, long = (sizing(a_block(0)).next(ARMS, 1, 300.0, warm_up_ms * MS) for warm_up_ms in (300, 1500))
    assert short is not None and long is not None and short.forecast is not None and long.forecast is not None
    assert short.forecast.half_width < long.forecast.half_width


def test_where_the_time_holds_no_look_fewer_blocks_do_and_then_none() -> None:
    short = sizing(a_block(0)).next(ARMS, 1, 9.0, 300 * MS)
    assert short is not None and short.forecast is None
    assert short.rounds >= 2
    assert sizing(a_block(0)).next(ARMS, 1, 3.0, 300 * MS) is None


def test_a_void_block_teaches_only_its_time() -> None:
    void = msgspec.structs.replace(a_block(0), validity=Validity.VOID)
    found = sizing(void).next(ARMS, 0, 600.0, 300 * MS)
    assert found is not None and found.forecast is None
