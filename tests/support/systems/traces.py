"""What a hopcost of the test's own has on the machine: noted while it runs, looked for when it has ended."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from hopcost.machine.traces import descendants, virtual_cards
from hopcost.stacks.sandbox import leftovers
from tools.leftovers import remains

LOOKS_EVERY_S = 0.2
GONE_S = 20.0  # a limit, not a measure: keepers clean up on their own


class Traces:
    """The processes and network namespaces that a harness has had so far."""

    def __init__(self, harness: int, temporary: Path, given: Collection[str] = ()) -> None:
        self.harness, self.temporary, self.given = harness, temporary, frozenset(given)
        self.owner = leftovers.owner(harness)
        self.cards = virtual_cards()
        self.family: set[int] = set()
        self.namespaces: set[str] = set()

    def note(self) -> None:
        """Add what it has now."""
        family = descendants(self.harness)
        self.family |= family
        self.namespaces |= remains.others_namespaces(family) - self.given

    def left(self) -> dict[str, list[str]]:
        """What is there when it has ended, by kind; empty when nothing is, at the latest after a while.

        Ask when no other run of the test goes on: the kernel gives numbers of namespaces again.
        """
        deadline = time.monotonic() + GONE_S
        while (left := self._look()) and time.monotonic() < deadline:
            time.sleep(0.1)
        return left

    def _look(self) -> dict[str, list[str]]:
        family = self.family | set(_started_in(self.temporary))
        left = remains.look(self.owner, self.temporary, family, self.namespaces, self.cards)
        files = [str(path) for path in self.temporary.iterdir()]
        return left | ({"files": files} if files else {})


def _started_in(temporary: Path) -> Iterator[int]:
    """Every process whose environment names this folder, whoever its parent is now."""
    for pid in psutil.pids():
        with contextlib.suppress(OSError):
            if str(temporary).encode() in Path(f"/proc/{pid}/environ").read_bytes():
                yield pid


@contextmanager
def noted(harness: int, temporary: Path, given: Collection[str] = ()) -> Iterator[Traces]:
    """The traces of a harness whose TMPDIR is this folder, noted all the time.

    `given` are network namespaces that it was started in: they are the test's.
    """
    traces, ends = Traces(harness, temporary, given), threading.Event()

    def watch() -> None:
        while not ends.wait(LOOKS_EVERY_S):
            traces.note()

    watcher = threading.Thread(target=watch)
    traces.note()
    watcher.start()
    try:
        yield traces
    finally:
        ends.set()
        watcher.join()
