"""CPU time of an arm: per request of each hop, as a share of its cores, and outside its slices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hopcost.record.contents.block import ArmBlock
from hopcost.statistics.figures import total


def cpu_per_request(cpu_ns: Mapping[str, int | None], answers: int) -> dict[str, int | None]:
    """CPU ns per correct answer; None if the CPU time is not known, or nothing was answered."""
    return {name: round(ns / answers) if ns is not None and answers else None for name, ns in cpu_ns.items()}


def cpu_by_hop(parts: Sequence[ArmBlock]) -> dict[str, int | None]:
    """CPU ns of each hop and of the generator over all slices; None if a block does not know it."""
    hops = {hop: total(part.cpu_ns(hop) for part in parts) for hop in parts[0].hops}
    return {**hops, "generator": sum(part.generator_cpu_ns for part in parts)}


def cpu_percent(cpu_ns: Iterable[int | None], elapsed_ns: int, cores: int) -> float | None:
    """CPU time of all hops ÷ (elapsed time × cores of the stack); None if a CPU time is not known, or there is none."""
    times = list(cpu_ns)
    used = total(times)
    return used / elapsed_ns / cores * 100 if times and used is not None and elapsed_ns else None


def cpu_outside(parts: Sequence[ArmBlock]) -> float | None:
    """CPU time outside the arm's slices as a share of that inside; None if it is not known."""
    slices = [piece for part in parts for piece in part.slices]
    inside = total(ns for piece in slices for ns in piece.cpu_ns.values())
    outside = total(ns for piece in slices for ns in piece.cpu_outside_ns.values())
    return outside / inside if inside and outside is not None else None
