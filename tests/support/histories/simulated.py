"""Records of a simulated machine: whole folders on the disk, with a planted ratio; cheap enough for hundreds of them.

A record is of `made-up` (samples/records.py): the experiment `cost`, `behind` beside the baseline `direct`, which runs
twice. The machine is fast one day and slow the next, both arms alike; that is in no ratio.
"""

from __future__ import annotations

import datetime
import functools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from samples.blocks import MS, block, part, slice_of
from samples.records import ENVIRONMENT, made_up_suite, plan_of

from hopcost.plan.method import METHOD
from hopcost.plan.plan import Plan
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.run import FORMAT, Ending, Run, StopReason

SUITE, EXPERIMENT, ARM = "made-up", "cost", "behind"  # what `hopcost history` is asked for
BEGIN = datetime.datetime(2025, 1, 1, 4, 0, tzinfo=datetime.UTC)
ARMS = ("direct", "behind", "direct-aa")
ANSWERS, CPU_NS = 100_000, 900_000_000  # of the baseline in a slice on a usual day
SLICE_NS, ROUNDS = 1000 * MS, 2
DRIFT = 0.2  # of the machine's speed from day to day, as a logarithm
ROUND_NOISE = 0.003


def simulated_record(
    folder: Path,
    number: int = 0,
    *,
    ratio: float = 0.5,
    cpu_ratio: float = 2.0,
    starts: int = 4,
    start_noise: float = 0.01,
    suite: str = SUITE,
    started: datetime.datetime | None = None,
    method: int = METHOD.number,
    labels: Mapping[str, str] | None = None,
    programs: Mapping[str, str] | None = None,
    command: Sequence[str] = ("hopcost", "run", SUITE),
    **environment: object,
) -> Path:
    """One record in a folder that is made. `number` seeds its noise, and is its day, unless `started` says otherwise.

    `ratio` is the throughput of `behind` ÷ `direct`, `cpu_ratio` the same of CPU per request. `start_noise` is the
    standard deviation of a start's log-ratio around them. More keywords are keys of environment.json.
    """
    folder.mkdir(parents=True)
    begun = started or BEGIN + datetime.timedelta(days=number)
    plan = msgspec.structs.replace(_plan(), seed=number, suite=suite)
    known = {**ENVIRONMENT, "cores": 2, "memory_bytes": 8 << 30, "host": "abacus", "machine": "0123456789abcdef"}
    known |= {"programs": dict(programs or {"app": "1", "proxy": "2"}), "binaries": {}, "labels": dict(labels or {})}
    run = Run(
        format=FORMAT,
        hopcost="0.1.0",
        command=list(command),
        started_utc=f"{begun:%Y-%m-%dT%H:%M:%SZ}",
        ended_utc=f"{begun + datetime.timedelta(minutes=2):%Y-%m-%dT%H:%M:%SZ}",
        endings=[Ending(experiment=EXPERIMENT, why=StopReason.BLOCKS, detail=f"all {starts} blocks are done")],
        method=method,
    )
    noise = np.random.default_rng([number, 28])
    day = math.exp(DRIFT * float(noise.standard_normal()))
    blocks = [_block(start, day, ratio, cpu_ratio, start_noise, noise) for start in range(starts)]
    contents: dict[str, Any] = {
        "run.json": run,
        "suite.json": msgspec.structs.replace(made_up_suite(), name=suite),
        "plan.json": plan,
        "environment.json": known | environment,
    }
    for name, content in contents.items():
        (folder / name).write_bytes(msgspec.json.encode(content))
    (folder / "blocks.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in blocks))
    return folder


def simulated_history(folder: Path, ratios: Sequence[float], first: int = 0, **more: Any) -> list[Path]:
    """A record a day with these ratios of throughput; CPU per request is one ÷ each. `more` as for one record."""
    return [
        simulated_record(folder / f"{first + day:05}", first + day, ratio=ratio, cpu_ratio=1 / ratio, **more)
        for day, ratio in enumerate(ratios)
    ]


def spread_around(ratios: Sequence[float], spread: float, seed: int = 0) -> list[float]:
    """The ratios as single records show them: records differ by `spread` (of the logarithm) on their own."""
    noise = np.random.default_rng([seed, 82]).standard_normal(len(ratios))
    return [ratio * math.exp(spread * float(step)) for ratio, step in zip(ratios, noise, strict=True)]


@functools.cache
def _plan() -> Plan:
    return plan_of(quick=False)


@functools.cache
def _template(arm: str) -> ArmBlock:
    """Its histograms are encoded once: that takes longer than all the rest."""
    return part(slice_of(arm, 1))


def _block(
    number: int, day: float, ratio: float, cpu_ratio: float, start_noise: float, noise: np.random.Generator
) -> Block:
    start = math.exp(start_noise * float(noise.standard_normal()))
    cpu_start = math.exp(start_noise * float(noise.standard_normal()))
    parts = []
    for arm in ARMS:
        own, own_cpu = (ratio * start, cpu_ratio * cpu_start) if arm == ARM else (1.0, 1.0)
        parts.append(_part(arm, ANSWERS * day * own, CPU_NS / ANSWERS / day * own_cpu, noise))
    return block(number, *parts)


def _part(arm: str, answers: float, cpu_ns_per_request: float, noise: np.random.Generator) -> ArmBlock:
    """An arm's part of a block: a slice in each round."""
    template = _template(arm)
    hops = template.hops
    slices = []
    for number in range(ROUNDS):
        own, own_cpu = np.exp(ROUND_NOISE * noise.standard_normal(2))
        count = round(answers * float(own))
        used_ns = round(count * cpu_ns_per_request * float(own_cpu) / len(hops))
        piece = slice_of(arm, count, elapsed_ns=SLICE_NS, cpu_ns=dict.fromkeys(hops, used_ns))
        slices.append(msgspec.structs.replace(piece, round=number))
    total = sum(piece.answers for piece in slices)
    assert template.totals is not None, "part() makes them"
    totals = msgspec.structs.replace(template.totals, sent=total, answers=total, compared=total)
    return msgspec.structs.replace(template, slices=slices, totals=totals)
