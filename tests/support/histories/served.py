"""A history on the disk with everything that a page may show, and `hopcost serve` over it."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import command
import msgspec
from histories.simulated import simulated_history, simulated_record
from samples.pages import HOSTILE
from samples.written import written

from hopcost.history.contents.digest import digest_of
from hopcost.history.contents.read import read_contents
from hopcost.history.database.engine import make_engine, writing
from hopcost.history.database.place import read_place
from hopcost.history.database.writes import put
from hopcost.history.history import History

LABELS = {"branch": "main", "commit": "4f2a91c"}


def filled(folder: Path, records: int = 24) -> Path:
    """A database: a history with a step and a new nginx in its middle, a full record, a lost one, a hostile one."""
    database = folder / "history.sqlite"
    half = records // 2
    with History.open(str(database)) as history:
        for first, ratio, version in ((0, 0.5, "1.22.1"), (half, 0.4, "1.24.0")):
            programs = {"app": "1", "proxy": version}
            ratios = [ratio * (1 + 0.004 * (number * 7 % 5 - 2)) for number in range(half)]
            for path in simulated_history(folder / "records", ratios, first, labels=LABELS, programs=programs):
                history.keep(path)
        history.keep(written(folder / "full"), {"branch": "full"})
    lost = simulated_record(folder / "lost", 900, suite="lost")
    _put(database, lost, {})
    _put(database, lost, {"suite": HOSTILE, "host": HOSTILE, "labels": {"note": HOSTILE}, "cautions": (HOSTILE,)})
    return database


def _put(database: Path, path: Path, words: Mapping[str, object]) -> None:
    """A record that is kept as if it lay on another machine, with other words."""
    contents = read_contents(path, digest_of(path), {})
    digest = contents.record.digest[:-1] + ("0" if words else "1")
    record = msgspec.structs.replace(contents.record, digest=digest, path=f"/elsewhere/{digest[-1]}", **words)
    changed = msgspec.structs.replace(
        contents,
        record=record,
        run=digest,
        points=tuple(msgspec.structs.replace(point, record=record) for point in contents.points),
    )
    with writing(make_engine(read_place(str(database)))) as connection:
        put(connection, changed)


@contextmanager
def served(database: Path) -> Iterator[str]:
    """The page's address, without a slash at its end."""
    arguments = ("serve", "--database", database, "--port", "0")
    with command.start(*arguments, folder=database.parent) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip().removesuffix("/")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0 and "Traceback" not in errors, errors
