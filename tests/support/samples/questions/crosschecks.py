"""Crosschecks played by no generator."""

from __future__ import annotations

from typing import Any

from hopcost.record.contents.repeat import PeerRun
from hopcost.statistics.questions.crosscheck import Turn


def played(name: str, answers: int, **others: Any) -> PeerRun:
    """A second of load over ten connections on a stack that takes 10 µs per answer."""
    figures: dict[str, Any] = {
        "version": "1.2",
        "command": [name],
        "errors": {},
        "elapsed_ns": 10**9,
        "wall_ns": 11 * 10**8,
        "generator_cpu_ns": 55 * 10**7,
        "cpu_ns": {"nginx": answers * 8000, "go": answers * 2000},
        "throughput_per_s": float(answers),
        "latency_ms": {"mean": 10_000 / answers, "p50": 9.0, "p99": 20.0},
        "output": "",
    }
    return PeerRun(peer=name, answers=answers, **figures | others)


def turns(name: str, *answers: int, **others: Any) -> list[Turn]:
    return [Turn(round=number, run=played(name, amount, **others)) for number, amount in enumerate(answers)]
