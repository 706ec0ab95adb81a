"""What disturbed a run's starts, in few words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hopcost.errors import printable
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block
from hopcost.record.contents.offered_load import LoadFaultKind
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.statistics.validity.reasons import Alike, group_reasons

HINT = "hint: "
OF_A_LOAD = {
    LoadFaultKind.SATURATED: ReasonKind.GENERATOR_BUSY,
    LoadFaultKind.LATE: ReasonKind.LATE,
    LoadFaultKind.NOT_SENT: ReasonKind.NOT_SENT,
    LoadFaultKind.STALLED: ReasonKind.STOOD_STILL,
}


class Told:
    """Tells each kind of reason once: the next start that has it is only called disturbed."""

    def __init__(self) -> None:
        self._kinds: set[tuple[ReasonKind, str | None]] = set()

    def about(self, block: Block) -> str:
        """`disturbed: other programs took 35 % of …`; empty if nothing disturbed it."""
        if not is_disturbed(block):
            return ""
        new = [reason for reason in _reasons(block) if (reason.kind, reason.text) not in self._kinds]
        self._kinds |= {(reason.kind, reason.text) for reason in new}
        word = "void, done again" if block.validity == Validity.VOID else "disturbed"
        return ": ".join([word, *_in_a_line(group_reasons((block.number, reason) for reason in new))])


def disturbed_line(blocks: Sequence[Block]) -> str | None:
    """`2 of 5 starts disturbed, 1 done again: other programs took 25 to 35 % of …`; None if none was."""
    disturbed = [block for block in blocks if is_disturbed(block)]
    if not disturbed:
        return None
    void = sum(block.validity == Validity.VOID for block in disturbed)
    count = f"{len(disturbed)} of {len(blocks)} starts disturbed" + (f", {void} done again" if void else "")
    kinds = group_reasons((block.number, reason) for block in disturbed for reason in _reasons(block))
    return ": ".join([count, *_in_a_line(kinds)])


def is_disturbed(block: Block) -> bool:
    """Whether a start, or an offered load of it, does not count, or counts with a reservation."""
    return block.validity != Validity.VALID or bool(block.void_loads)


def failure_lines(block: Block) -> list[str]:
    """Of each arm that failed in the block the first line of what its program printed, and what to do."""
    lines = []
    for failure in block.failures:
        lines.append(_first_line(f"{failure.arm} failed: {failure.message}"))
        lines += [_first_line(HINT + failure.hint)] if failure.hint else []
    return lines


def _reasons(block: Block) -> list[Reason]:
    """Why the start, and why offered loads of it, do not count or only so."""
    return [*block.reasons, *_reasons_of_loads(block)]


def _reasons_of_loads(block: Block) -> Iterable[Reason]:
    for load in block.void_loads:
        for fault in load.faults:
            kind, extent = OF_A_LOAD[fault.kind], fault.extent
            yield Reason(kind, arm=fault.arm, rate_per_s=load.rate_per_s, value=extent, machine=fault.machine)


def _in_a_line(kinds: Sequence[Alike]) -> list[str]:
    """The first kind, and how many more there are; nothing of none."""
    more = f"; and {len(kinds) - 1} more" if len(kinds) > 1 else ""
    return [_first_line(kind.words()) + more for kind in kinds[:1]]


def _first_line(text: str) -> str:
    return printable(text.partition("\n")[0])
