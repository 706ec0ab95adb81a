"""What arms had and used besides answering: surroundings, ports in TIME_WAIT, memory. Pure folds over blocks."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.recorded import ArmBlock, Block
from hopcost.usage import Memory, TimeWait


def surroundings(blocks: list[Block]) -> list[str]:
    """What arms asked of their surroundings: what they got, as read back, and what they did not; each once."""
    notes: dict[str, set[str]] = {}
    links: dict[tuple[str, int], list[int]] = {}
    names: set[str] = set()
    for arm in (arm for block in blocks for arm in block.arms if arm.surroundings is not None):
        given = arm.surroundings
        assert given is not None, "chosen above"
        names.add(arm.name)
        said = list(given.notes)
        if given.sysctls:
            said.insert(0, "read back: " + ", ".join(f"{key} = {held}" for key, held in given.sysctls.items()))
        if given.link_mbit_per_s is not None and given.link_bits_per_s is not None:
            links.setdefault((arm.name, given.link_mbit_per_s), []).append(given.link_bits_per_s)
        for note in said:
            notes.setdefault(note, set()).add(arm.name)
    lines = [
        f"{'every arm' if len(arms) == len(names) > 1 else ', '.join(sorted(arms))}: {note}"
        for note, arms in notes.items()
    ]
    for (name, mbit_per_s), seen in links.items():
        mean = sum(seen) / len(seen) / 1e6
        lines.append(f"{name}: a link of {mbit_per_s} Mbit/s; a plain transfer before load came to {mean:.0f} Mbit/s")
    return lines


def time_wait(parts: Sequence[ArmBlock]) -> list[TimeWait]:
    """By link, the largest of each side over blocks."""
    most: dict[str, TimeWait] = {}
    for each in (each for part in parts for each in part.time_wait):
        before = most.get(each.hop, each)
        most[each.hop] = TimeWait(
            hop=each.hop, server=max(each.server, before.server), client=max(each.client, before.client)
        )
    return list(most.values())


def memory(parts: Sequence[ArmBlock]) -> dict[str, Memory]:
    """By hop, the largest over blocks; None stays None only where no block could read it."""
    most: dict[str, Memory] = {}
    for part in parts:
        for hop, each in part.memory.items():
            before = most.get(hop, each)
            most[hop] = Memory(
                processes=max(each.processes, before.processes),
                peak_bytes=_largest(each.peak_bytes, before.peak_bytes),
                proportional_bytes=_largest(each.proportional_bytes, before.proportional_bytes),
            )
    return most


def _largest(*values: int | None) -> int | None:
    return max((value for value in values if value is not None), default=None)
