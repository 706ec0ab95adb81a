"""The trials that are planned, those that were done, and the file between them."""

from __future__ import annotations

import random
import signal

import msgspec

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
VICTIMS = ("harness", "keeper", "engine")
PROGRAMS = {"keeper": "keeper.py", "engine": "hopcost-engine", "harness+keepers": "keeper.py"}
LONGEST_S = 5.0  # after the harness's start
LONGEST_SEEN_S = 1.5  # after the keeper or the engine is there


class Planned(msgspec.Struct, frozen=True):
    """Which process gets which signal, and when; it follows from the seed and the number."""

    number: int
    seed: int
    victim: str
    signal: str
    after_s: float


class Trial(Planned, frozen=True, kw_only=True):
    """What was done to whom, and what was left of it; a line of the file. `victim` is who got the signal."""

    left: dict[str, list[str]]
    before_cleaning: dict[str, list[str]] | None


def plan(seed: int, count: int, double: int) -> list[Planned]:
    """All trials, numbered from 1; the same for the same arguments."""
    planned = []
    for number in range(1, count + double + 1):
        chance = random.Random(f"{seed}-{number}")
        victim = chance.choice(VICTIMS) if number <= count else "harness+keepers"
        kind = chance.choice(SIGNALS) if number <= count else signal.SIGKILL
        after_s = chance.uniform(0, LONGEST_SEEN_S if victim in PROGRAMS else LONGEST_S)
        planned.append(Planned(number=number, seed=seed, victim=victim, signal=kind.name, after_s=after_s))
    return planned


def kept(text: bytes, wanted: list[Planned]) -> list[Trial]:
    """The trials of this plan among the lines of the file; one that was interrupted while writing is done again."""
    numbers = {(planned.seed, planned.number, planned.after_s) for planned in wanted}
    trials = msgspec.json.Decoder(Trial).decode_lines(text[: text.rfind(b"\n") + 1])
    return [planned for planned in trials if (planned.seed, planned.number, planned.after_s) in numbers]


def line(done: Trial) -> bytes:
    """As it stands in the file."""
    return msgspec.json.encode(done) + b"\n"


def missing(wanted: list[Planned], trials: list[Trial]) -> list[Planned]:
    """The trials that are still to be done."""
    done = {planned.number for planned in trials}
    return [planned for planned in wanted if planned.number not in done]
