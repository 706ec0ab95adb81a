"""Arms put beside each other, block by block: ratios and differences of a figure, with their intervals. Pure.

The baseline stands for both of its runs: their mean, except where its second run is itself compared with the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hopcost import statistics
from hopcost.plan import PlannedExperiment
from hopcost.record import ArmBlock, Block
from hopcost.statistics import Interval

Figure = Callable[[ArmBlock], float | None]  # None or 0 where an arm's part of a block does not have it


def throughput(arm: ArmBlock) -> float | None:
    """Correct answers per second of the arm's own time, over the block's slices."""
    return arm.answers * 1e9 / arm.elapsed_ns if arm.elapsed_ns else None


def cpu_per_request(arm: ArmBlock) -> float | None:
    """CPU ns of all hops per correct answer, over the block's slices."""
    used = total(arm.cpu_ns(hop) for hop in arm.hops)
    return used / arm.answers if used is not None and arm.answers else None


def cpu_of(hop: str) -> Figure:
    """CPU ns of one hop per correct answer, over the block's slices."""

    def figure(arm: ArmBlock) -> float | None:
        used = arm.cpu_ns(hop)
        return used / arm.answers if used is not None and arm.answers else None

    return figure


def total(values: Iterable[int | None]) -> int | None:
    """The sum; None when one of them is: part of a CPU time is no CPU time."""
    found = list(values)
    return None if any(value is None for value in found) else sum(value for value in found if value is not None)


class Arms:
    """The valid blocks of an experiment by arm."""

    def __init__(self, experiment: PlannedExperiment, blocks: Sequence[Block]) -> None:
        self.baseline = experiment.baseline
        self.again = next((arm.name for arm in experiment.arms if arm.copy_of == experiment.baseline), None)
        self.blocks = [{arm.name: arm for arm in block.arms} for block in blocks if block.validity != "void"]

    @property
    def names(self) -> list[str]:
        """Of all arms that are in a block, in their order there."""
        return list(dict.fromkeys(name for block in self.blocks for name in block))

    def of(self, name: str) -> list[ArmBlock]:
        """The arm's part of every block that it was in."""
        return [block[name] for block in self.blocks if name in block]

    def ratio(self, name: str, figure: Figure, error: float, reference: str | None = None) -> Interval | None:
        """Figure of the arm ÷ that of the reference (None: the baseline), paired by block."""
        pairs = self.pairs(name, figure, reference)
        if pairs is None:
            return None
        own, other = [own for own, _ in pairs], [other for _, other in pairs]
        return statistics.ratio(own, other, error, self.rounds(name, reference))

    def difference(self, name: str, figure: Figure, error: float, reference: str | None = None) -> Interval | None:
        """Figure of the arm minus that of the reference (None: the baseline), paired by block, in the figure's unit."""
        pairs = self.pairs(name, figure, reference)
        if pairs is None:
            return None
        return statistics.mean([own - other for own, other in pairs], error, self.rounds(name, reference))

    def pairs(self, name: str, figure: Figure, reference: str | None = None) -> list[tuple[float, float]] | None:
        """(arm, reference) of each block that has both; None where one of these blocks lacks the figure.

        Leaving such a block out would choose blocks by their outcome.
        """
        reference = reference or self.baseline
        found = []
        for block in self.blocks:
            if name in block and reference in block:
                own, other = figure(block[name]), self._reference(block, name, figure, reference)
                if not own or not other:
                    return None
                found.append((own, other))
        return found

    def rounds(self, name: str, reference: str | None = None) -> list[int]:
        """Of each block that has the arm and the reference: what its figures weigh."""
        both = (name, reference or self.baseline)
        return [block[name].rounds for block in self.blocks if all(each in block for each in both)]

    def _reference(self, block: dict[str, ArmBlock], name: str, figure: Figure, reference: str) -> float | None:
        first = figure(block[reference])
        if reference != self.baseline or name == self.again or self.again is None or self.again not in block:
            return first
        second = figure(block[self.again])
        return (first + second) / 2 if first and second else None  # a run without the figure would halve the mean
