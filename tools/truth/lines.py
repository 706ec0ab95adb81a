"""Kept lines of `make truth`: one run each, with what it was measured with, so that unlike runs are never mixed.

Lines are only ever added; a run that was killed leaves at most a torn last line.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from tools.truth.made_with import ROOT, Build, Machine

FOLDER = ROOT / "docs" / "explain" / "truth"  # the older pages; the kept lines lie in a folder of it
# A run during which programs of others used more of the machine's CPU time, or the hypervisor kept more of a core, is
# set aside and done again. Both are known without the engine's figures. A virtual machine's own agent may take 3 % all
# the time; it does so in all slices alike. Sections that put hopcost's verdicts on trial say their own `steal_most`.
FOREIGN_MOST, STEAL_MOST = 0.05, 0.02

Figures = dict[str, float]
T = TypeVar("T")


class Line(msgspec.Struct, frozen=True):
    """One run. `foreign` and `steal`: shares of CPU time that were not ours while it ran.

    `failed`: why nothing was measured; such a run has no figures.
    """

    section: str
    case: str
    number: int
    figures: Figures
    foreign: float
    steal: float
    engine: Build
    machine: Machine
    settings: dict[str, object]
    time: str
    failed: str = ""


def open_to_the_end(_runs: list[Figures]) -> bool:
    """The usual case: each run counts."""
    return False


class Case(msgspec.Struct, frozen=True):
    """Something to run so many times; `run` gets the number of the run, for its seed.

    `decided`: whether the runs so far settle the answer, whatever the others give (curtailed sampling).
    `seconds`: about how long a run takes; none begins that could not end in time.
    """

    section: str
    name: str
    run: Callable[[int], Figures]
    runs: int
    settings: dict[str, object]
    steal_most: float = STEAL_MOST
    decided: Callable[[list[Figures]], bool] = open_to_the_end
    seconds: float = 0.0
    foreign_most: float = FOREIGN_MOST

    def disturbed(self, line: Line) -> bool:
        """Whether the machine was not ours in this run."""
        return line.foreign > self.foreign_most or line.steal > self.steal_most


class Reckoned(Case, frozen=True):
    """A case that measures nothing: it waits for no quiet machine, and who else computes does not matter."""

    foreign_most: float = math.inf
    steal_most: float = math.inf


class Sorted(msgspec.Struct, frozen=True):
    """The lines that count, and how many do not, by reason."""

    used: list[Line]
    aside: dict[str, int]

    def of(self, section: str, case: str) -> list[Figures]:
        """The figures of one case, in the order of its runs."""
        return [line.figures for line in self.used if (line.section, line.case) == (section, case)]


def unseeded(run: Callable[[], Figures]) -> Callable[[int], Figures]:
    """A run in which nothing is drawn."""
    return lambda _number: run()


def read(path: Path, kind: type[T]) -> list[T]:
    """The lines of a file; one that was torn by a kill is passed over."""
    decoded = []
    for line in path.read_bytes().splitlines() if path.exists() else []:
        try:
            decoded.append(msgspec.json.decode(line, type=kind))
        except msgspec.DecodeError:
            continue
    return decoded


def path_of(section: str, folder: Path = FOLDER) -> Path:
    """Where the lines of a section are kept."""
    return folder / "lines" / f"{section}.jsonl"


def append(path: Path, line: msgspec.Struct) -> None:
    """Adds a line; what a kill has torn is closed first, so that it spoils only itself."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torn = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
    with path.open("ab") as file:
        file.write((b"\n" if torn else b"") + msgspec.json.encode(line) + b"\n")


def sort_out(lines: Iterable[Line], cases: Sequence[Case], engine: Build, here: Machine) -> Sorted:
    """The lines of this method, engine, machine and settings, undisturbed, each run once; the others by reason."""
    by_name = {(case.section, case.name): case for case in cases}
    used: dict[tuple[str, str, int], Line] = {}
    aside: Counter[str] = Counter()
    for line in lines:
        case = by_name.get((line.section, line.case))
        if line.engine.method != engine.method:
            aside[f"of method {line.engine.method}"] += 1
        elif not line.engine.is_same_engine(engine):
            aside["of another engine"] += 1
        elif line.machine != here:
            aside["of another machine"] += 1
        elif case is None or line.settings != case.settings:
            aside["of other settings"] += 1
        elif case.disturbed(line):
            aside["beside programs of others"] += 1
        elif line.failed:
            aside["that failed"] += 1
        elif line.number < case.runs:
            used.setdefault((line.section, line.case, line.number), line)
    return Sorted(used=list(used.values()), aside=dict(aside))


def missing(cases: Sequence[Case], done: Sorted) -> list[tuple[Case, int]]:
    """What is still to be run, in order: run by run, the cases of each shuffled by its number.

    So every prefix of the work has about as many runs of each case, and no case has a place of its own.
    """
    have = {(line.section, line.case, line.number) for line in done.used}
    cases = [case for case in cases if not case.decided(done.of(case.section, case.name))]
    order = []
    for number in range(max((case.runs for case in cases), default=0)):
        for case in random.Random(number).sample(cases, len(cases)):
            if number < case.runs and (case.section, case.name, number) not in have:
                order.append((case, number))
    return order
