"""An arm whose CPU per request still falls is found; one that is flat and noisy is let through."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from samples import blocks as sample
from samples import records

from hopcost.record.contents.block import ArmBlock
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.validity.grounds import Evidence
from hopcost.statistics.validity.steady import costs_by_round, fall, why_not_steady
from hopcost.statistics.verdict import Better

RUNS = 2000
FALSE_ALARMS_MOST = 0.01 * RUNS + 3 * math.sqrt(0.01 * RUNS)
Starts = NDArray[np.float64]  # shape (starts, rounds)


def normal(random: np.random.Generator, starts: int, rounds: int) -> Starts:
    """Rounds that scatter by 5 % around starts that differ by 4 %."""
    level = random.normal(0, 0.04, (starts, 1))
    return np.exp(level + random.normal(0, 0.05, (starts, rounds)))


def with_bursts(random: np.random.Generator, starts: int, rounds: int) -> Starts:
    """One round in ten is up to half as dear again: a neighbour."""
    bursts = (random.random((starts, rounds)) < 0.1) * random.uniform(0, 0.5, (starts, rounds))
    return normal(random, starts, rounds) * (1 + bursts)


def drifting(random: np.random.Generator, starts: int, rounds: int) -> Starts:
    """The machine wanders from round to round, each step 3 %."""
    return np.exp(np.cumsum(random.normal(0, 0.03, (starts, rounds)), axis=1))


@pytest.mark.parametrize("noise", [normal, with_bursts, drifting])
@pytest.mark.parametrize(("starts", "rounds"), [(2, 8), (3, 2), (6, 4), (11, 3), (24, 12)])
def test_flat_arms_are_steady_however_noisy(
    noise: Callable[[np.random.Generator, int, int], Starts], starts: int, rounds: int
) -> None:
    random = np.random.default_rng(21)
    alarms = sum(fall(noise(random, starts, rounds).tolist()) is not None for _ in range(RUNS))
    assert alarms <= FALSE_ALARMS_MOST


def node(random: np.random.Generator, starts: int, rounds: int, noise: float) -> Starts:
    """A Node program after 2,000 requests of warm-up: 7 % too dear, in rounds of 1,250 requests; warm after 10,000."""
    requests = 2_000 + 1_250 * (np.arange(rounds) + 0.5)
    course = np.log(1.07) * np.exp(-(requests - 2_000) / 4_000)
    costs: Starts = np.exp(course + random.normal(0, 0.04, (starts, 1)) + random.normal(0, noise, (starts, rounds)))
    return costs


@pytest.mark.parametrize(("starts", "noise"), [(4, 0.01), (6, 0.015), (11, 0.02)])
def test_a_program_that_compiles_itself_is_not_steady(starts: int, noise: float) -> None:
    random = np.random.default_rng(21)
    falls = sum(fall(node(random, starts, 6, noise).tolist()) is not None for _ in range(500))
    assert falls >= 450


def test_the_fall_is_from_the_first_round_to_the_last() -> None:
    starts = [[1.0, 0.95, 0.9025], [2.0, 1.9, 1.805], [3.0, 2.85, 2.70751]]
    assert fall(starts) == pytest.approx(1 - 0.9025, abs=1e-4)
    assert fall([list(reversed(costs)) for costs in starts]) is None, "an arm that gets dearer is warm"
    assert fall(starts[:1]) is None, "one start may be chance"


def test_what_falls_by_less_than_anybody_would_notice_is_steady() -> None:
    assert fall([[1.0, 0.985], [1.0, 0.9851], [1.0, 0.9852]]) is None


def test_starts_of_one_round_tell_nothing() -> None:
    assert fall([[1.0], [0.9]]) is None and fall([]) is None


def part(*cpu_ns: int | None, name: str = "direct") -> ArmBlock:
    """An arm's part of a block: a round of 1,000 answers for each CPU time, recorded in another order."""
    pieces = [
        msgspec.structs.replace(sample.slice_of(name, 1000, cpu_ns={"app": used_ns}), round=number)
        for number, used_ns in enumerate(cpu_ns)
    ]
    return sample.part(*reversed(pieces))


def test_costs_are_taken_by_round_and_not_at_all_if_one_is_unknown() -> None:
    assert costs_by_round(part(1_100_000, 1_000_000)) == [1100, 1000]
    assert costs_by_round(part(1_100_000, None)) is None
    assert costs_by_round(part(0, 0)) is None, "not counted here"


FALLING = [(1_100_000, 1_050_000, 1_000_000), (1_090_000, 1_040_000, 991_000), (1_120_000, 1_070_000, 1_018_000)]
WHY = (
    "not steady: its CPU per request fell by 9 % from the first round of a start to the last;"
    " more --time warms it up longer"
)


def test_the_reason_says_by_how_much_and_what_to_do() -> None:
    assert why_not_steady([part(*costs) for costs in FALLING]) == WHY


def test_an_arm_that_was_not_steady_and_all_that_is_compared_with_it_have_no_verdict() -> None:
    planned = records.plan_of().experiments[0]
    level = (1_000_000, 1_010_000, 1_000_000)
    for falling, reason in (("beside", WHY), ("direct", f"direct: {WHY}")):
        blocks = [
            sample.block(
                number, *(part(*(costs if arm == falling else level), name=arm) for arm in ("direct", "beside"))
            )
            for number, costs in enumerate(FALLING)
        ]
        evidence = Evidence(PairedBlocks(planned, blocks), "beside")
        for figure, better in (("throughput", Better.HIGHER), ("cpu_per_request", Better.CHEAPER)):
            assert evidence.weigh(figure, None, better).veto == reason
