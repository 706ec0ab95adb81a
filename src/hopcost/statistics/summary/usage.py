"""What arms had and used besides answering: surroundings, ports in TIME_WAIT, memory. Pure folds over blocks."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost.record.block import ArmBlock, Block
from hopcost.record.evidence import Memory, TimeWait
from hopcost.record.repeat import Repeat


class ArmSurroundings(msgspec.Struct, frozen=True):
    """What an arm got of what it asked for: sysctls as read back, its link with what each plain transfer came to.

    `notes` say what it did not get, or what its link did to it; each once.
    """

    arm: str
    sysctls: dict[str, str]
    notes: list[str]
    link_mbit_per_s: int | None
    link_bits_per_s: list[int]


def surroundings(blocks: Sequence[Block], repeats: Sequence[Repeat] = ()) -> list[ArmSurroundings]:
    """By arm, over blocks or repeats; the baseline's second run is its first one's."""
    made: dict[str, ArmSurroundings] = {}
    parts = [(arm.copy_of or arm.name, arm.surroundings) for block in blocks for arm in block.arms]
    for name, given in [*parts, *((each.arm, each.surroundings) for each in repeats)]:
        if given is None:
            continue
        before = made.get(name) or ArmSurroundings(name, {}, [], given.link_mbit_per_s, [])
        transfer = [] if given.link_bits_per_s is None else [given.link_bits_per_s]
        made[name] = ArmSurroundings(
            arm=name,
            sysctls=before.sysctls | given.sysctls,
            notes=list(dict.fromkeys([*before.notes, *given.notes])),
            link_mbit_per_s=given.link_mbit_per_s,
            link_bits_per_s=[*before.link_bits_per_s, *transfer],
        )
    return list(made.values())


def time_wait(parts: Sequence[ArmBlock | Repeat]) -> list[TimeWait]:
    """By link, the largest of each side over blocks."""
    most: dict[str, TimeWait] = {}
    for each in (each for part in parts for each in part.time_wait):
        before = most.get(each.hop, each)
        most[each.hop] = TimeWait(
            hop=each.hop, server=max(each.server, before.server), client=max(each.client, before.client)
        )
    return list(most.values())


def memory(parts: Sequence[ArmBlock | Repeat]) -> dict[str, Memory]:
    """By hop, the largest over blocks; None if no block could read it."""
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
