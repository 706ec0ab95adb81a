"""`make results`: the suites' full forms, piece by piece, and docs/results/ out of their records.

A piece is an experiment, or a point of a sweep, in a record of its own under records/results/, or all of the first
article's suite as a user runs it: what is interrupted is done again, what is done stays. `--next` runs one piece, for a
machine that has other work between them; `--render` writes the pages from what there is, and names what is missing.

A page more has experiments of these suites whose generator has a machine of its own, as tools/hosts.py makes one.
"""

from __future__ import annotations

import argparse
import contextlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from hopcost.errors import HopcostError
from hopcost.history.contents.digest import digest_of
from hopcost.record import reader
from hopcost.record.contents.run import Record
from hopcost.report.formats.markdown import markdown
from hopcost.report.record_report import document
from hopcost.statistics.summary import summary
from hopcost.suites import read
from hopcost.suites.experiments.sweep import points
from tools import hosts
from tools.docs.claims import parts
from tools.markdown import fill, fold, table

ROOT = Path(__file__).parents[2]
HOPCOST = ROOT / ".venv" / "bin" / "hopcost"
RECORDS, PAGES = ROOT / "records" / "results", ROOT / "docs" / "results"
CLAIMS = PAGES / "claims.md"


TWO_MACHINES = "two-machines"  # is named like a suite, and its records lie as a suite's do


class Pieces(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """results.toml. `times_s`: of an experiment, or of a point of one. `readings`: of pages, in Markdown.

    `two_machines`: those that TWO_MACHINES shows, as SUITE/EXPERIMENT.
    """

    suites: list[str]
    two_machines: list[str]
    whole: str
    time_s: int
    times_s: dict[str, int]
    readings: dict[str, str] = {}


PIECES = msgspec.toml.decode(Path(__file__).with_suffix(".toml").read_bytes(), type=Pieces)
EVERY = [*PIECES.suites, TWO_MACHINES]


class Piece(msgspec.Struct, frozen=True):
    """An experiment of a suite, or a point of one: `experiment` is its name without the value. Without: all of it.

    `page`: the one that shows it, which is the suite's or TWO_MACHINES.
    """

    page: str
    suite: str
    name: str = ""
    experiment: str = ""

    @property
    def path(self) -> Path:
        """Where its record goes."""
        return RECORDS / self.page / (self.name or "whole")

    @property
    def command(self) -> list[str]:
        """What makes its record, without the record's place."""
        if not self.name:
            return ["hopcost", "run", self.suite]
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
        if name == PIECES.whole:
            yield Piece(name, name)
        elif name == TWO_MACHINES:
            for suite, _, experiment in (path.partition("/") for path in PIECES.two_machines):
                yield Piece(name, suite, experiment, experiment)
        else:
            for experiment in read.read_suite(name).experiments:
                for _, point in points(experiment):
                    yield Piece(name, name, point.name, experiment.name)


def run(piece: Piece) -> bool:
    """Make its record anew; whether there is one now."""
    shutil.rmtree(piece.path, ignore_errors=True)
    print(shlex.join(piece.command), flush=True)
    place = piece.path.relative_to(ROOT)  # the command stands in the report, and may be shown to others
    command = [str(HOPCOST), *piece.command[1:], "--record", str(place)]
    with contextlib.ExitStack() as machines:
        if piece.page == TWO_MACHINES:
            folder = Path(machines.enter_context(tempfile.TemporaryDirectory(prefix="hopcost-two-")))
            two = machines.enter_context(hosts.running(folder))
            command = [*two.inside, *command, *two.keys]
        subprocess.run(command, check=False, stdin=subprocess.DEVNULL, cwd=ROOT)
    return piece.record() is not None


def made(name: str) -> list[tuple[Piece, Record]]:
    """The pieces of a suite that have a record, in their file's order."""
    return [(piece, record) for piece in pieces([name]) if (record := piece.record()) is not None]


def left_out(name: str, done: list[tuple[Piece, Record]]) -> list[Piece]:
    """The pieces of a suite that are not among these."""
    there = {piece for piece, _ in done}
    return [piece for piece in pieces([name]) if piece not in there]


def render(name: str, done: list[tuple[Piece, Record]]) -> str:
    """The page of a suite: what to take from it, then of each experiment the sentence, the chart and the table."""
    missing = [piece.name or name for piece in left_out(name, done)]
    experiments = [experiment for _, record in done for experiment in summary.summarise(record)]
    records = table(
        ["command", "started", "digest of its record"],
        [
            [f"`{_without_place(record.run.command)}`", record.run.started_utc, f"`{digest_of(piece.path)[:16]}…`"]
            for piece, record in done
        ],
    )
    how = fold("How it was made", f"By `make results`, a record for each row.\n\n{records}")
    left = f"\n\nNot run yet: {', '.join(missing)}." if missing else ""
    page = document(done[0][1], experiments)
    page.sections.pop()  # where one record lies
    title = f"# {'Loaded from another machine' if name == TWO_MACHINES else done[0][1].suite.title} ({name})"
    reading = f"\n\n{PIECES.readings[name].strip()}" if name in PIECES.readings else ""
    _, _, text = markdown(page).partition("\n")
    return fill(f"{title}{reading}\n{text}\n{how}{left}")


def _without_place(command: list[str]) -> str:
    """The command that made a record, without the place of the record."""
    return shlex.join(command[: command.index("--record")])


def main() -> int:
    """Run what is missing, then write the pages; 1 when a piece has no record afterwards."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", default=EVERY, help=f"of {', '.join(EVERY)}; all by default")
    parser.add_argument(
        "--next", action="store_true", help="run the next missing piece only; exit 3 when there is none"
    )
    parser.add_argument("--only", action="append", metavar="SUITE/EXPERIMENT", help="these, even if they are done")
    parser.add_argument("--render", action="store_true", help="write the pages, run nothing")
    wanted = parser.parse_args()
    every = list(pieces(wanted.suites))
    missing = [piece for piece in every if piece.record() is None]
    if wanted.only:
        missing = [
            piece
            for piece in every
            if {f"{piece.suite}/{piece.name}", f"{piece.suite}/{piece.experiment}"} & {*wanted.only}
        ]
    if wanted.next and not missing:
        return 3
    due = [] if wanted.render else missing[:1] if wanted.next else missing
    failed = [piece for piece in due if not run(piece)]
    for name in wanted.suites if wanted.render else dict.fromkeys(piece.suite for piece in due):
        if done := made(name):
            (PAGES / f"{name}.md").write_text(render(name, done), encoding="utf-8")
            claims = name in PIECES.suites and read.read_suite(name).claims
            if claims and not left_out(name, done):  # a missing piece tests no claim
                parts.write(CLAIMS, read.read_suite(name), [record for _, record in done])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
