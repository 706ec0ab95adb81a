"""Embedded origins that run by themselves, as servers that hopcost finds and never starts or stops."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hopcost.machine import binaries

ROW = np.dtype("<u8,<u8,<u4,<u2,u1,u1")  # as tools/truth/server.py reads it


class Origin(NamedTuple):
    """One of them: its process, its address, and the file with a row for each request."""

    process: subprocess.Popen[str]
    address: str
    rows: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def url(self, target: str = "/hello") -> str:
        return f"http://{self.address}{target}"

    def answered(self) -> int:
        """Ends it; how many requests it has answered."""
        self.process.terminate()
        self.process.wait(timeout=10)
        rows = np.fromfile(self.rows, dtype=ROW, offset=ROW.itemsize)
        return int((rows["f1"] != np.iinfo(np.uint64).max).sum())


@contextmanager
def origin(folder: Path, link: str = "http+tcp:127.0.0.1:0") -> Iterator[Origin]:
    rows = folder / f"rows-{len(list(folder.glob('rows-*')))}"
    words = [str(binaries.require("hopcost-origin")), "--listen", link, "--log-requests", str(rows)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None, "a pipe was asked for"
            yield Origin(process, json.loads(process.stdout.readline())["listeners"][0]["address"], rows)
        finally:
            process.kill()
