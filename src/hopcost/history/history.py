"""The history: records kept in a database, found again, and their points in the order of time."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from sqlalchemy import Connection, Engine, func, select

from hopcost.errors import UsageError
from hopcost.history.contents.digest import digest_of
from hopcost.history.contents.read import read_contents
from hopcost.history.contents.summary import KeptExperiment
from hopcost.history.database import searches, writes
from hopcost.history.database.engine import make_engine, reading, writing
from hopcost.history.database.migrate import bring_up_to_date
from hopcost.history.database.place import Place, read_place
from hopcost.history.database.refusals import in_words
from hopcost.history.database.schema import CONTENTS, POINTS, RECORDS
from hopcost.history.labels import check_labels
from hopcost.history.points import Keeping, KeptRecord, Point, Search, Series

EVERYTHING = Search()
SHORTEST_DIGEST = 4  # signs of it that may stand for a record
LOCK_SIGNS = 15  # in hex: 60 bits
LISTED = 5  # records, if several begin with the same signs


class History:
    """A context manager. Its methods raise UsageError and MeasurementFailed, each with what to do; none leaves
    anything half done. Threads may share it; processes open their own.
    """

    def __init__(self, place: Place, engine: Engine) -> None:
        self.place = place
        self._engine = engine

    @classmethod
    def open(cls, url: str | None = None) -> History:
        """The database of a URL or a file (None: HOPCOST_DATABASE, else the file below XDG_DATA_HOME).

        It is made if it is not there, and brought up to the newest schema.
        """
        place = read_place(url)
        engine = make_engine(place)
        try:
            with in_words(place):
                bring_up_to_date(engine, place)
        except BaseException:
            engine.dispose()
            raise
        return cls(place, engine)

    def __enter__(self) -> History:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give all connections back."""
        self._engine.dispose()

    def keep(self, record: Path, labels: Mapping[str, str] | None = None, *, machine: str | None = None) -> Keeping:
        """Keep the record of this folder, all of it or nothing. A kept one gets these labels and its new path.

        `machine` names machines that are alike and count as one, as runners of a CI are.
        """
        given = check_labels(labels or {})
        digest, path = digest_of(record), str(record.resolve())
        with self._reading() as connection:
            run = writes.run_of(connection, digest)
        contents = None if run is not None else read_contents(record, digest, given, machine)
        with self._writing(_lock(run if contents is None else contents.run)) as connection:
            if writes.run_of(connection, digest) is not None:
                writes.refresh(connection, digest, path, given)
                return Keeping.ALREADY
            is_new = contents is not None and writes.put(connection, contents)
            return Keeping.NEW if is_new else Keeping.ALREADY

    def records(self, search: Search = EVERYTHING, limit: int = 50, offset: int = 0) -> list[KeptRecord]:
        """A page of those that a search finds, the newest first."""
        question = searches.newest_first(searches.conditions_of(search), limit, offset)
        with self._reading() as connection:
            return searches.read_records(connection, question)

    def count(self, search: Search = EVERYTHING) -> int:
        """How many a search finds."""
        question = select(func.count()).select_from(RECORDS).where(*searches.conditions_of(search))
        with self._reading() as connection:
            return connection.execute(question).scalar_one()

    def record(self, digest: str) -> KeptRecord:
        """The one whose digest begins so; UsageError if none does, or several do."""
        word = digest.lower()
        if len(word) < SHORTEST_DIGEST:
            raise UsageError(f"'{digest}': expected a record's digest, or {SHORTEST_DIGEST} signs of it at least", None)
        begins = RECORDS.c.digest.startswith(word, autoescape=True)
        with self._reading() as connection:
            records = searches.read_records(connection, searches.newest_first([begins], LISTED, 0))
        if len(records) == 1:
            return records[0]
        if not records:
            raise UsageError(
                f"{self.place}: no record's digest begins with '{digest}'", "hopcost keep RECORD keeps one"
            )
        listed = ", ".join(f"{record.digest[:12]} ({record.suite}, {record.started:%Y-%m-%d})" for record in records)
        raise UsageError(f"several records begin with '{digest}': {listed}", "write more signs of it")

    def points(self, digest: str) -> list[Point]:
        """Those of one record, by its whole digest."""
        with self._reading() as connection:
            return searches.read_points(connection, [POINTS.c.digest == digest])

    def summary(self, digest: str) -> tuple[KeptExperiment, ...]:
        """What a record came to, in short; empty if it is not kept."""
        kept: tuple[KeptExperiment, ...] | None = self._content(CONTENTS.c.summary, digest)
        return kept or ()

    def environment(self, digest: str) -> dict[str, Any]:
        """The machine of a record, as its environment.json has it; empty if it is not kept."""
        kept: dict[str, Any] | None = self._content(CONTENTS.c.environment, digest)
        return kept or {}

    def series(
        self,
        suite: str,
        experiment: str,
        arm: str,
        figure: str,
        *,
        since: datetime.datetime | None = None,
        labels: Mapping[str, str] | None = None,
        machine: str | None = None,
    ) -> list[Series]:
        """A figure over time, apart by machine, method and configuration; that with the newest point comes first.

        `machine` is the first signs of a machine's key, or a host's name.
        """
        conditions = searches.in_series(suite, experiment, arm, figure, since, labels or {}, machine)
        with self._reading() as connection:
            points = searches.read_points(connection, conditions)
        apart: dict[tuple[str, int, str], list[Point]] = {}
        for point in points:
            record = point.record
            apart.setdefault((record.machine, record.versions.method, point.configuration), []).append(point)
        series = [
            Series(
                machine=key[0],
                method=key[1],
                configuration=key[2],
                suite=suite,
                experiment=experiment,
                arm=arm,
                figure=figure,
                points=tuple(own),
            )
            for key, own in apart.items()
        ]
        return sorted(series, key=lambda one: one.points[-1].record.started, reverse=True)

    def arms(self) -> list[tuple[str, str, str]]:
        """(suite, experiment, arm) of everything that has points, by name."""
        columns = (POINTS.c.suite, POINTS.c.experiment, POINTS.c.arm)
        return sorted((row[0], row[1], row[2]) for row in self._distinct(*columns))

    def figures(self, suite: str, experiment: str, arm: str) -> list[str]:
        """Names of the figures that an arm has points of: those at saturation first."""
        mine = (POINTS.c.suite == suite, POINTS.c.experiment == experiment, POINTS.c.arm == arm)
        names = [row[0] for row in self._distinct(POINTS.c.figure, where=mine)]
        return sorted(names, key=lambda name: ("@" in name, name != "throughput", name))

    def machines(self) -> list[tuple[str, str]]:
        """(key, host's name) of every machine that records are of, by name."""
        return sorted(((row[0], row[1]) for row in self._distinct(RECORDS.c.machine, RECORDS.c.host)), key=_by_host)

    def _distinct(self, *columns: Any, where: tuple[Any, ...] = ()) -> list[Any]:
        with self._reading() as connection:
            question = select(*columns).where(*where).distinct().order_by(*columns)
            return list(connection.execute(question).all())

    def _content(self, column: Any, digest: str) -> Any:
        with self._reading() as connection:
            return connection.execute(select(column).where(CONTENTS.c.digest == digest)).scalar()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with in_words(self.place), reading(self._engine) as connection:
            yield connection

    @contextmanager
    def _writing(self, lock: int) -> Iterator[Connection]:
        with in_words(self.place), writing(self._engine, lock) as connection:
            yield connection


def _by_host(machine: tuple[str, str]) -> tuple[str, str]:
    return machine[1], machine[0]


def _lock(run: str | None) -> int:
    """Writers of one run wait for each other."""
    assert run is not None, "of a kept record the database knows the run, of another one its contents"
    return int(run[:LOCK_SIGNS], 16)
