"""What `make results` runs, each piece in a record of its own under records/results/.

A piece is an experiment, or a point of a sweep. A page more has experiments of these suites whose generator has a
machine of its own, as hosts.py makes one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from hopcost.errors import HopcostError
from hopcost.record import reader
from hopcost.record.contents.run import Record
from hopcost.suites import read
from hopcost.suites.experiments.sweep import points
from tools.docs.results import hosts

ROOT = Path(__file__).parents[3]
HOPCOST = ROOT / ".venv" / "bin" / "hopcost"
RECORDS, PAGES = ROOT / "records" / "results", ROOT / "docs" / "results"
CLAIMS = PAGES / "claims.md"
TWO_MACHINES = "two-machines"  # is named like a suite, and its records lie as a suite's do


class Pieces(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """pieces.toml. `times_s`: of an experiment, or of a point of one. `readings`: of pages, in Markdown.

    `two_machines`: those that TWO_MACHINES shows, as SUITE/EXPERIMENT.
    """

    suites: list[str]
    two_machines: list[str]
    time_s: int
    times_s: dict[str, int]
    readings: dict[str, str] = {}


PIECES = msgspec.toml.decode(Path(__file__).with_suffix(".toml").read_bytes(), type=Pieces)
EVERY = [*PIECES.suites, TWO_MACHINES]


class Piece(msgspec.Struct, frozen=True):
    """An experiment of a suite, or a point of one: `experiment` is its name without the value.

    `page`: the one that shows it, which is the suite's or TWO_MACHINES.
    """

    page: str
    suite: str
    name: str
    experiment: str

    @property
    def path(self) -> Path:
        """Where its record goes."""
        return RECORDS / self.page / self.name

    @property
    def command(self) -> list[str]:
        """What makes its record, without the record's place."""
        of_all = PIECES.times_s.get(f"{self.page}/{self.experiment}", PIECES.time_s)
        time_s = PIECES.times_s.get(f"{self.page}/{self.name}", of_all)
        on = hosts.ON if self.page == TWO_MACHINES else []
        return ["hopcost", "run", f"{self.suite}/{self.name}", "--time", str(time_s), *on]

    def record(self) -> Record | None:
        """Its record, if it ran to its end."""
        try:
            record = reader.read_record(self.path)
        except HopcostError:
            return None
        return record if record.run.ended_utc is not None else None


def pieces(names: list[str]) -> Iterator[Piece]:
    """All pieces of these pages in their files' order."""
    for name in names:
        if name == TWO_MACHINES:
            for path in PIECES.two_machines:
                suite, _, experiment_name = path.partition("/")
                yield Piece(name, suite, experiment_name, experiment_name)
        else:
            for experiment in read.read_suite(name).experiments:
                for _, point in points(experiment):
                    yield Piece(name, name, point.name, experiment.name)


def made(name: str) -> list[tuple[Piece, Record]]:
    """The pieces of a suite that have a record, in their file's order."""
    return [(piece, record) for piece in pieces([name]) if (record := piece.record()) is not None]


def left_out(name: str, done: list[tuple[Piece, Record]]) -> list[Piece]:
    """The pieces of a suite that are not among these."""
    there = {piece for piece, _ in done}
    return [piece for piece in pieces([name]) if piece not in there]
