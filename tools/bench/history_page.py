"""How long the pages of `hopcost serve` take with 10,000 records in the database: the table in docs/tutorial.

The database is filled from the records in docs/samples, each again and again with other ratios, days, machines and
labels. Two records of nginx-go can be read on the disk; all others are as if kept on another machine. Times are those
of a client on the same machine, from the connection to the last byte; the server is a process of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import hashlib
import http.client
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from sqlalchemy import insert

from hopcost.history.contents.digest import digest_of
from hopcost.history.contents.read import Contents, read_contents
from hopcost.history.database.engine import make_engine, writing
from hopcost.history.database.place import read_place
from hopcost.history.database.rows import label_rows, point_rows, record_row
from hopcost.history.database.schema import CONTENTS, LABELS, POINTS, RECORDS
from hopcost.history.history import History
from hopcost.history.points import KeptRecord
from hopcost.page import links
from hopcost.page.links import AskedTrend
from tools import markdown

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorial" / "history-page.md"
PART = "times"  # of the page
SAMPLES = ("nginx-go", "nginx-go", "express", "go")  # in turn; the first two lie on the disk
ON_DISK = 2
MACHINES = 2
AT_ONCE = 200  # records in one transaction
BEGIN = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
SPREAD = 0.02  # between records, of the logarithm
LEVELS, LEVEL_RECORDS = (1.0, 0.9), 2000
NEWER_NGINX = "1.24.0"


class Timed(NamedTuple):
    """A page in ms: the first request, the median and the longest of the others; and its size in kB."""

    name: str
    first_ms: float
    median_ms: float
    longest_ms: float
    kilobytes: float


def main() -> None:
    """Fill a database, time the pages, write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--requests", type=int, default=20, help="of each page, after the first one")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.relative_to(ROOT)}")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hopcost-history-") as folder:
        database = Path(folder) / "history.sqlite"
        two = fill(database, wanted.records, Path(folder) / "copy")
        with History.open(str(database)) as history:
            pages, longest = addresses(history, two), longest_series(history)
        with served(database) as port:
            timed = [measure(port, name, address, wanted.requests) for name, address in pages.items()]
    text = f"{wanted.records:,} records; the longest history has {longest:,}.\n\n{table(timed)}"
    print(text)
    if wanted.write:
        PAGE.write_text(markdown.replace_part(PAGE.read_text(encoding="utf-8"), PART, text), encoding="utf-8")


def fill(database: Path, records: int, copy: Path, level_records: int = LEVEL_RECORDS) -> list[str]:
    """That many records; the digests of those that lie on the disk, one of them in `copy`, which is made.

    After each `level_records` all ratios go to another level, and nginx to another version.
    """
    paths = [ROOT / "docs" / "samples" / name for name in SAMPLES]
    shutil.copytree(paths[1], copy)
    with (copy / "run.json").open("a") as file:
        file.write("\n")  # another digest
    paths[1] = copy
    samples = [read_contents(path, digest_of(path), {}) for path in paths]
    History.open(str(database)).close()
    engine = make_engine(read_place(str(database)))
    chance = random.Random(28)
    for first in range(0, records, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, records))
        batch = [
            varied(samples[number % len(samples)], number, number // level_records % len(LEVELS), chance)
            for number in numbers
        ]
        with writing(engine) as connection:
            connection.execute(insert(RECORDS), [record_row(contents) for contents in batch])
            for contents in batch:
                own = {"environment": contents.environment, "summary": contents.summary}
                connection.execute(insert(CONTENTS), {"digest": contents.record.digest, **own})
            labels = [label_rows(contents.record.digest, contents.record.labels) for contents in batch]
            connection.execute(insert(LABELS), [row for rows in labels for row in rows])
            connection.execute(insert(POINTS), [row for contents in batch for row in point_rows(contents)])
    engine.dispose()
    return [sample.record.digest for sample in samples[:ON_DISK]]


def varied(sample: Contents, number: int, level: int, chance: random.Random) -> Contents:
    """The sample as it might have been measured some hours later; the first ones are the samples themselves."""
    key = f"record {number}".encode()
    machine = hashlib.sha256(b"machine %d" % (number // len(SAMPLES) % MACHINES)).hexdigest()
    is_itself = number < ON_DISK
    versions = sample.record.versions
    programs = versions.programs | ({"nginx": NEWER_NGINX} if level and "nginx" in versions.programs else {})
    record: KeptRecord = msgspec.structs.replace(
        sample.record,
        versions=msgspec.structs.replace(versions, programs=programs),
        digest=sample.record.digest if is_itself else hashlib.sha256(key).hexdigest(),
        path=sample.record.path if is_itself else f"/elsewhere/{number}",
        started=BEGIN + datetime.timedelta(hours=number),
        machine=machine,
        host=f"ci-{machine[:2]}",
        labels={"branch": chance.choice(("main", "main", "slow")), "commit": hashlib.sha1(key).hexdigest()},
    )
    points = []
    for point in sample.points:
        factor = LEVELS[level] * chance.lognormvariate(0, SPREAD)
        low, high = (None if end is None else end * factor for end in (point.low, point.high))
        points.append(msgspec.structs.replace(point, record=record, ratio=point.ratio * factor, low=low, high=high))
    run = hashlib.sha256(b"run of " + key).hexdigest()
    contents: Contents = msgspec.structs.replace(sample, record=record, run=run, points=tuple(points))
    return contents


def _arm(history: History) -> tuple[str, str, str]:
    """The first one of the sample that comes most often."""
    return next(names for names in history.arms() if names[0] == "nginx-go")


def addresses(history: History, on_disk: Sequence[str]) -> dict[str, str]:
    """Of each kind of page, by what it is."""
    arm = _arm(history)
    asked = AskedTrend(*arm)
    (newest,) = history.records(limit=1)
    return {
        "the list": "/",
        "its last page": f"/?page={max(1, history.count() // 50)}",
        "a search for two words": "/?words=ci+nginx",
        "a search by arm and label": f"/?{urllib.parse.urlencode({'arm': arm[2], 'label': 'branch=main'})}",
        "a record's report": links.record(on_disk[0]),
        "a record of another machine": links.record(newest.digest),
        "two records compared": links.compare(*on_disk),
        "the list of histories": "/history",
        "a history": links.trend(asked),
        "a history of one label": links.trend(asked._replace(labels=(("branch", "main"),))),
        "a history as CSV": links.trend_data(asked),
    }


def longest_series(history: History) -> int:
    """Records of the longest one that is timed."""
    return max(len(series.points) for series in history.series(*_arm(history), "throughput"))


@contextlib.contextmanager
def served(database: Path) -> Iterator[int]:
    """`hopcost serve` as a process: its port."""
    command = [Path(sys.executable).with_name("hopcost"), "serve", "--database", database, "--port", "0"]
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline().strip().rstrip("/").rpartition(":")[2])
        finally:
            process.send_signal(signal.SIGINT)


def measure(port: int, name: str, address: str, requests: int) -> Timed:
    """One request after the other, each over a connection of its own."""
    times, size = [], 0
    for _ in range(1 + requests):
        began = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", address)
        answer = connection.getresponse()
        size = len(answer.read())
        times.append(1000 * (time.perf_counter() - began))
        connection.close()
        if answer.status != 200:
            raise SystemExit(f"error: {name}: {address} answers {answer.status}")
    return Timed(name, times[0], statistics.median(times[1:]), max(times[1:]), size / 1000)


def table(timed: Sequence[Timed]) -> str:
    """In Markdown."""
    rows = [[row.name, *(f"{figure:,.0f}" for figure in row[1:])] for row in timed]
    return markdown.table(["page", "first, ms:", "median, ms:", "longest, ms:", "kB:"], rows)


if __name__ == "__main__":
    main()
