"""Which cores the stack and the generator get, on one machine or on two."""

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
    generator_machine: Annotated[
        str | None, Meta(description="the machine that the generator's cores are of; null: the stack's")
    ] = None

    @property
    def shared(self) -> bool:
        """Whether the generator takes CPU time from the stack's cores."""
        return self.generator_machine is None and bool(set(self.stack) & set(self.generator))

    @property
    def of_stacks_machine(self) -> list[int]:
        """Those in use on the machine that the stack is on, each once."""
        return sorted({*self.stack, *(self.generator if self.generator_machine is None else [])})


class GeneratorLimits(msgspec.Struct, frozen=True):
    """A machine of the generator's own, and the cores that it may use there."""

    name: str
    allowed_cores: list[int]


GENERATOR_CORES_PER_CORE = 2  # the engine costs less than any stack: more cores would only wake up more often


def place_cores(
    placement: Placement, allowed: list[int], siblings: dict[int, list[int]], elsewhere: GeneratorLimits | None = None
) -> Cores:
    """Cores for the stack and for the generator out of those allowed.

    `siblings` gives for a core those that share its physical core: a generator there would slow the stack, so another
    one is taken. With a generator `elsewhere` the stack has the cores of its placement alone, and the generator the
    last ones of its machine. CannotMeasure when there are too few cores.
    """
    if elsewhere is not None:
        stack = allowed[:1] if placement is Placement.ONE_CORE else allowed
        generator = elsewhere.allowed_cores[-GENERATOR_CORES_PER_CORE * len(stack) :]
        return Cores(stack=stack, generator=generator, generator_machine=elsewhere.name)
    match placement:
        case Placement.ALL_CORES:
            return Cores(stack=allowed, generator=[allowed[-1]])
        case Placement.ONE_CORE:
            first = allowed[0]
            others = [core for core in allowed if core not in {first, *siblings.get(first, [])}]
            if not others:
                raise CannotMeasure(
                    "one core for the stack and another for the generator: this machine has one core to give",
                    "choose an experiment on all cores",
                )
            return Cores(stack=[first], generator=[others[-1]])
