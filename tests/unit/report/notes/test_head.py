"""The head of a report: a generator on a machine of its own."""

from __future__ import annotations

import msgspec
from samples.blocks import generator_slice, sound_block
from samples.records import record

from hopcost.programs.generators.agent import AgentEdges, ClockExchange
from hopcost.record.contents.run import Record
from hopcost.report.notes import head

THERE = {"name": "bench-2", "cpu": "AMD EPYC", "kernel": "6.12.0", "allowed_cores": [0, 1]}


def with_edges(*round_trips_ns: int) -> Record:
    """A record whose slices have these round trips at their edges, and half of that as bounds."""
    block = sound_block()
    for part in block.arms:
        edges = [ClockExchange(-5, trip // 2, trip) for trip in round_trips_ns]
        part.slices = [
            msgspec.structs.replace(piece, agent=AgentEdges(edges[0], edges[-1], 3, 9)) for piece in part.slices
        ]
    return record(block)


def test_a_generator_of_the_stacks_machine_is_not_named() -> None:
    assert head.generator_machines(record(sound_block())) == []


def test_its_machine_and_the_clocks_are_named() -> None:
    own = with_edges(100_000, 140_000)
    own = msgspec.structs.replace(own, environment=own.environment | {"generator_machines": [THERE]})
    assert head.generator_machines(own) == [
        "generator on bench-2: AMD EPYC, 2 cores, kernel 6.12.0; round trip 120 µs, clocks known to ±60 µs"
        " (medians over edges)"
    ]
    assert head.generator_machines(own) == head.machine(own)[:1]


def test_of_several_machines_each_has_its_own_clocks() -> None:
    block = sound_block()
    for part in block.arms:
        for piece in part.slices:
            piece.generators = [
                generator_slice(name, AgentEdges(edge := ClockExchange(0, trip // 2, trip), edge, 3, 9))
                for name, trip in (("bench-2", 100_000), ("bench-3", 200_000))
            ]
    machines = [THERE, THERE | {"name": "bench-3"}]
    own = record(block)
    own = msgspec.structs.replace(own, environment=own.environment | {"generator_machines": machines})
    first, second = head.generator_machines(own)
    assert first.startswith("generator on bench-2: ") and "round trip 100 µs" in first
    assert second.startswith("generator on bench-3: ") and "round trip 200 µs" in second


def test_without_a_slice_nothing_is_said_of_clocks() -> None:
    own = record(sound_block())
    own = msgspec.structs.replace(own, environment={"generator_machines": [THERE]})
    assert head.generator_machines(own) == ["generator on bench-2: AMD EPYC, 2 cores, kernel 6.12.0"]
