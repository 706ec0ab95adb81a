"""Writers as processes, many at once or one that is killed, and whether what they left is whole."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from places import ROOT

from hopcost.history.history import History
from hopcost.history.points import Search

WORKER = Path(__file__).with_name("worker.py")
LONGEST_S = 200  # that a writer may take on a very slow machine
FIGURES = 3  # points of a simulated record


def start_writer(database: str, records: Sequence[Path], moment: str = "never") -> subprocess.Popen[str]:
    """It waits for a line."""
    return subprocess.Popen(
        [sys.executable, WORKER, database, moment, *map(str, records)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def started(writers: Sequence[subprocess.Popen[str]]) -> Iterator[None]:
    """Killed at the end, those that go on."""
    try:
        yield
    finally:
        for writer in writers:
            if writer.poll() is None:
                writer.kill()
            writer.communicate()


def run_writers(writers: Sequence[subprocess.Popen[str]]) -> list[tuple[int, list[str], str]]:
    """All at once, to their ends: exit code (below 0: the signal), what each keeping did, and errors."""
    with started(writers):
        for writer in writers:
            assert writer.stdout is not None and writer.stdin is not None
            assert writer.stdout.readline() == "ready\n", writer.communicate()[1]
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("\n")
            writer.stdin.flush()
        ended = [writer.communicate(timeout=LONGEST_S) for writer in writers]
    return [
        (writer.returncode, output.split(), errors) for writer, (output, errors) in zip(writers, ended, strict=True)
    ]


def run_writer(database: str, records: Sequence[Path], moment: str = "never") -> tuple[int, list[str], str]:
    """One by itself."""
    ((code, said, errors),) = run_writers([start_writer(database, records, moment)])
    return code, said, errors


def assert_whole(history: History, records: int) -> None:
    """So many records are kept, each with all that belongs to it."""
    assert history.count() == records
    for record in history.records(Search(), limit=records + 1):
        assert len(history.points(record.digest)) == FIGURES
        assert history.summary(record.digest) and history.environment(record.digest)
        assert record.labels["branch"] == "main"
