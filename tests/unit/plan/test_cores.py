"""Which cores the stack and the generator get."""

from __future__ import annotations

import pytest

from hopcost.errors import CannotMeasure
from hopcost.plan.cores import Cores, GeneratorLimits, place_cores
from hopcost.suites.experiments.experiment import Placement

FOUR_WITH_SIBLINGS = {0: [1], 1: [0], 2: [3], 3: [2]}
FOUR_FAR_SIBLINGS = {0: [2], 1: [3], 2: [0], 3: [1]}


@pytest.mark.parametrize(
    ("placement", "allowed", "siblings", "stack", "generator"),
    [
        (Placement.ONE_CORE, [0, 1], {}, [0], [1]),
        (Placement.ONE_CORE, [0, 1], {0: [], 1: []}, [0], [1]),
        (Placement.ONE_CORE, [0, 1, 2, 3], {}, [0], [3]),
        (Placement.ONE_CORE, [0, 1, 2, 3], FOUR_WITH_SIBLINGS, [0], [3]),
        (Placement.ONE_CORE, [0, 1, 2, 3], FOUR_FAR_SIBLINGS, [0], [3]),
        (Placement.ONE_CORE, [1, 2, 3], FOUR_FAR_SIBLINGS, [1], [2]),  # 3 would be the last, and shares with 1
        (Placement.ONE_CORE, [0, 1, 2], {0: [2], 2: [0], 1: []}, [0], [1]),
        (Placement.ONE_CORE, [5, 9], {}, [5], [9]),
        (Placement.ONE_CORE, [0, 1, 2, 3, 4], {0: [2, 3, 4]}, [0], [1]),  # four threads on a core
        (Placement.ALL_CORES, [0, 1], {}, [0, 1], [1]),
        (Placement.ALL_CORES, [0, 1, 2, 3], FOUR_WITH_SIBLINGS, [0, 1, 2, 3], [3]),
        (Placement.ALL_CORES, [2], {}, [2], [2]),
        (Placement.ALL_CORES, [3, 7], {}, [3, 7], [7]),
    ],
)
def test_place(
    placement: Placement, allowed: list[int], siblings: dict[int, list[int]], stack: list[int], generator: list[int]
) -> None:
    assert place_cores(placement, allowed, siblings) == Cores(stack=stack, generator=generator)


@pytest.mark.parametrize(
    ("allowed", "siblings"),
    [([0], {}), ([0, 1], {0: [1], 1: [0]}), ([2, 6], {2: [6], 6: [2]}), ([0, 1, 2, 3], {0: [1, 2, 3]})],
)
def test_one_physical_core_cannot_be_given_to_both(allowed: list[int], siblings: dict[int, list[int]]) -> None:
    with pytest.raises(CannotMeasure) as caught:
        place_cores(Placement.ONE_CORE, allowed, siblings)
    assert caught.value.hint == "choose an experiment on all cores"


@pytest.mark.parametrize(
    ("stack", "generator", "shared"),
    [([0], [1], False), ([0, 1], [1], True), ([0], [0], True), ([0, 1], [2, 3], False)],
)
def test_whether_cores_are_shared(stack: list[int], generator: list[int], shared: bool) -> None:
    assert Cores(stack=stack, generator=generator).shared is shared


@pytest.mark.parametrize(
    ("placement", "allowed", "there", "stack", "generator"),
    [
        (Placement.ONE_CORE, [0, 1, 2, 3], [0, 1, 2, 3], [0], [2, 3]),
        (Placement.ONE_CORE, [0], [0], [0], [0]),
        (Placement.ALL_CORES, [0, 1], [0, 1, 2, 3, 4, 5], [0, 1], [2, 3, 4, 5]),
        (Placement.ALL_CORES, [0, 1, 2, 3], [0, 1], [0, 1, 2, 3], [0, 1]),
    ],
)
def test_a_generator_elsewhere_has_the_last_cores_of_its_machine_at_most_two_for_one(
    placement: Placement, allowed: list[int], there: list[int], stack: list[int], generator: list[int]
) -> None:
    cores = place_cores(placement, allowed, {0: [1, 2, 3]}, GeneratorLimits("bench-2", there))
    assert cores == Cores(stack=stack, generator=generator, generator_machine="bench-2")
    assert (cores.shared, cores.of_stacks_machine) == (False, stack), "the numbers are alike, the cores are not"
