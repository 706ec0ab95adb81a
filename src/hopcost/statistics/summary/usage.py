"""What arms had and used besides answering: surroundings, ports in TIME_WAIT, memory, bytes. Pure folds over blocks."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost.programs.generators.engine_lines import ArmTotals, TlsHandshakes
from hopcost.programs.generators.server_faults import ServerFault, sum_faults
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.evidence import Memory, TimeWait
from hopcost.record.contents.repeat import Repeat
from hopcost.statistics import figures


class Traffic(msgspec.Struct, frozen=True):
    """Bytes of a request and of a correct answer, heads included, without what TLS adds. Over HTTP/2 frames count."""

    sent_bytes: float
    received_bytes: float


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
    by_arm: dict[str, ArmSurroundings] = {}
    parts = [(arm.copy_of or arm.name, arm.surroundings) for block in blocks for arm in block.arms]
    for name, own in [*parts, *((repeat.arm, repeat.surroundings) for repeat in repeats)]:
        if own is None:
            continue
        before = by_arm.get(name) or ArmSurroundings(name, {}, [], own.link_mbit_per_s, [])
        transfer = [] if own.link_bits_per_s is None else [own.link_bits_per_s]
        by_arm[name] = ArmSurroundings(
            arm=name,
            sysctls=before.sysctls | own.sysctls,
            notes=list(dict.fromkeys([*before.notes, *own.notes])),
            link_mbit_per_s=own.link_mbit_per_s,
            link_bits_per_s=[*before.link_bits_per_s, *transfer],
        )
    return list(by_arm.values())


def time_wait(parts: Sequence[ArmBlock | Repeat]) -> list[TimeWait]:
    """By link, the largest of each side over blocks."""
    most: dict[str, TimeWait] = {}
    for link in (link for part in parts for link in part.time_wait):
        before = most.get(link.hop, link)
        most[link.hop] = TimeWait(
            hop=link.hop, server=max(link.server, before.server), client=max(link.client, before.client)
        )
    return list(most.values())


def memory(parts: Sequence[ArmBlock | Repeat]) -> dict[str, Memory]:
    """By hop, the largest over blocks; None if no block could read it."""
    most: dict[str, Memory] = {}
    for part in parts:
        for hop, own in part.memory.items():
            before = most.get(hop, own)
            most[hop] = Memory(
                processes=max(own.processes, before.processes),
                peak_bytes=_largest(own.peak_bytes, before.peak_bytes),
                proportional_bytes=_largest(own.proportional_bytes, before.proportional_bytes),
            )
    return most


def traffic(parts: Sequence[ArmBlock]) -> Traffic | None:
    """Over the slices of the closed loop; None without answers, or in a record that does not tell what was sent."""
    slices = [piece for part in parts for piece in part.slices]
    sent_bytes = figures.total(piece.sent_bytes for piece in slices)
    requests, answers = sum(piece.sent for piece in slices), sum(piece.answers for piece in slices)
    if sent_bytes is None or not requests or not answers:
        return None
    return Traffic(sent_bytes / requests, sum(piece.received_bytes for piece in slices) / answers)


def tls(parts: Sequence[ArmBlock]) -> list[TlsHandshakes]:
    """What the TLS handshakes of all blocks came to, with the closed loop's and the open loop's added up."""
    handshakes: dict[TlsHandshakes, int] = {}
    for own in (own for totals in _all_totals(parts) for own in totals.tls):
        kind = msgspec.structs.replace(own, handshakes=0)
        handshakes[kind] = handshakes.get(kind, 0) + own.handshakes
    return [msgspec.structs.replace(kind, handshakes=number) for kind, number in handshakes.items()]


def server_faults(parts: Sequence[ArmBlock]) -> list[ServerFault]:
    """What its server did against HTTP/2 in all blocks, the most frequent first."""
    return sum_faults(fault for totals in _all_totals(parts) for fault in totals.server_faults)


def _all_totals(parts: Sequence[ArmBlock]) -> list[ArmTotals]:
    """Of the closed loop and of the open loop."""
    totals = [line for part in parts for line in (part.totals, *(load.totals for load in part.open_loop))]
    return [line for line in totals if line is not None]


def _largest(*values: int | None) -> int | None:
    return max((value for value in values if value is not None), default=None)
