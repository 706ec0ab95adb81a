"""Which cores the stack and the generator get."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.errors import CannotMeasure
from hopcost.suites.experiments.experiment import Placement


class Cores(msgspec.Struct, frozen=True):
    """Core numbers of the stack and of the generator; they overlap only if the placement says so."""

    stack: Annotated[list[int], Meta(description="core numbers of every hop")]
    generator: Annotated[list[int], Meta(description="core numbers of the load engine, a thread on each")]

    @property
    def shared(self) -> bool:
        """Whether the generator takes CPU time from the stack's cores."""
        return bool(set(self.stack) & set(self.generator))


def place_cores(placement: Placement, allowed: list[int], siblings: dict[int, list[int]]) -> Cores:
    """Cores for the stack and for the generator out of those allowed.

    `siblings` gives for a core those that share its physical core: a generator there would slow the stack, so another
    one is taken. CannotMeasure when there are too few cores.
    """
    match placement:
        case Placement.ALL_CORES:
            return Cores(stack=allowed, generator=[allowed[-1]])
        case Placement.ONE_CORE:
            stack = allowed[0]
            others = [core for core in allowed if core not in {stack, *siblings.get(stack, [])}]
            if not others:
                raise CannotMeasure(
                    "one core for the stack and another for the generator: this machine has one core to give",
                    "choose an experiment on all cores",
                )
            return Cores(stack=[stack], generator=[others[-1]])
