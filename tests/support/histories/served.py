"""A history on the disk with everything that a page may show, and `hopcost serve` over it."""

from __future__ import annotations

import signal
import urllib.parse
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
from hopcost.history.points import Search

LABELS = {"branch": "main", "commit": "4f2a91c"}


def fill(database: str, folder: Path, records: int = 24) -> None:
    """A history with a step and a new proxy in its middle, a full record, a lost one, a hostile one.

    The records that can be read lie in `folder`.
    """
    half = records // 2
    with History.open(database) as history:
        for first, ratio, version in ((0, 0.5, "1.22.1"), (half, 0.4, "1.24.0")):
            programs = {"app": "1", "proxy": version}
            ratios = [ratio * (1 + 0.004 * (number * 7 % 5 - 2)) for number in range(half)]
            for path in simulated_history(folder / "records", ratios, first, labels=LABELS, programs=programs):
                history.keep(path)
        history.keep(written(folder / "full"), {"branch": "full"})
    lost = simulated_record(folder / "lost", 900, suite="lost")
    _put(database, lost, {})
    _put(database, lost, {"suite": HOSTILE, "host": HOSTILE, "labels": {"note": HOSTILE}, "cautions": (HOSTILE,)})


def _put(database: str, path: Path, words: Mapping[str, object]) -> None:
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
    engine = make_engine(read_place(database))
    with writing(engine) as connection:
        put(connection, changed)
    engine.dispose()


def addresses_of(database: str, site: str) -> dict[str, str]:
    """Of every kind of page, by its name."""
    with History.open(database) as history:
        newest, *_, oldest = history.records(Search(labels={"branch": "main"}), 100)
        (full,) = history.records(Search(labels={"branch": "full"}))
        (lost,) = history.records(Search(suite="lost"))
        (hostile,) = history.records(Search(suite=HOSTILE))
    of_hostile = urllib.parse.urlencode({"suite": HOSTILE, "experiment": "cost", "arm": "behind"})
    return {
        "list": f"{site}/",
        "search": f"{site}/?words=abacus&label=branch%3Dmain",
        "record": f"{site}/records/{newest.digest}",
        "full": f"{site}/records/{full.digest}",
        "lost": f"{site}/records/{lost.digest}",
        "hostile": f"{site}/records/{hostile.digest}",
        "compared": f"{site}/compare?a={oldest.digest}&b={newest.digest}",
        "refused": f"{site}/compare?a={full.digest}&b={lost.digest}",
        "histories": f"{site}/history",
        "history": f"{site}/history?suite=made-up&experiment=cost&arm=behind&label=branch%3Dmain",
        "hostile history": f"{site}/history?{of_hostile}",
        "nowhere": f"{site}/nowhere",
    }


@contextmanager
def served(database: str, folder: Path) -> Iterator[str]:
    """The page's address, without a slash at its end; the server runs in `folder`."""
    with command.start("serve", "--database", database, "--port", "0", folder=folder) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip().removesuffix("/")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0 and "Traceback" not in errors, errors
