"""What stands against a verdict on an arm, and what stands beside it."""

from __future__ import annotations

import msgspec

from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.validity.arm import ArmFault, faults_of_arm, is_generator_full
from hopcost.statistics.verdict import Better

GENERATOR_FULL = "the generator was full while the stack idled: its throughput is a lower bound"


class Grounds(msgspec.Struct, frozen=True):
    """Of one figure of an arm beside another arm.

    `veto` says why there is no verdict. If one of the two figures is only a bound, `only` is the direction that this
    cannot turn round, and `because` says which. `caveats` stand beside the verdict.
    """

    veto: str | None
    only: str | None
    because: str | None
    caveats: list[str]


class Evidence:
    """The faults of an arm, of the arm that it stands beside, and of that arm's second run."""

    def __init__(self, arms: PairedBlocks, name: str, reference: str | None = None) -> None:
        self._name, self._reference = name, reference or arms.baseline
        self._sides = [name, self._reference]
        if arms.copy is not None and arms.copied_arm in self._sides and arms.copy not in self._sides:
            self._sides.append(arms.copy)
        experiment = arms.experiment
        self._faults = {side: faults_of_arm(arms.of(side), experiment) for side in self._sides}
        self._full = [
            side for side in self._sides if any(is_generator_full(part, experiment) for part in arms.of(side))
        ]
        self._failed = {side: _failures(arms, side) for side in (name, self._reference) if side in arms.failed}

    def weigh(self, figure: str, share: float | None, better: Better) -> Grounds:
        """The grounds of a figure, at a load (None: saturation)."""
        faults = [(side, fault) for side, of_side in self._faults.items() for fault in of_side]
        vetoes = [self._word(side, fault) for side, fault in faults if fault.takes_verdict(figure, share)]
        caveats = [
            self._word(side, fault)
            for side, fault in faults
            if not fault.takes_verdict(figure, share) and fault.concerns(share)
        ]
        bounds = self._bounds(figure, better)
        directions = {only for only, _ in bounds}
        because = "; ".join(reason for _, reason in bounds) or None
        if len(directions) > 1:
            vetoes += [reason for _, reason in bounds]
        elif because is not None:
            caveats.append(because)
        only = directions.pop() if len(directions) == 1 else None
        return Grounds(next(iter(vetoes), None), only, because, list(dict.fromkeys(caveats)))

    def _bounds(self, figure: str, better: Better) -> list[tuple[str, str]]:
        """For each figure that is only a bound: the direction that this cannot turn round, and why."""
        bounds = []
        if figure == "throughput":
            for side in self._full:
                word = better.good if side == self._name else better.bad
                bounds.append((word, f"{side}: {GENERATOR_FULL}"))
        for side, text in self._failed.items():  # the starts that are left may be its better ones
            bounds.append((better.bad if side == self._name else better.good, self._named(side, text)))
        return bounds

    def _word(self, side: str, fault: ArmFault) -> str:
        return self._named(side, fault.text)

    def _named(self, side: str, text: str) -> str:
        return text if side == self._name else f"{side}: {text}"


def _failures(arms: PairedBlocks, name: str) -> str:
    """`it failed in 1 of 6 starts (block 6)`."""
    failed = arms.failed[name]
    starts = {number for number, block in zip(arms.numbers, arms.blocks, strict=True) if name in block} | set(failed)
    return f"it failed in {len(failed)} of {len(starts)} starts (block {', '.join(map(str, failed))})"
