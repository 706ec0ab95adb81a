"""A site's leader: measures the blocks that it is told to, one after the other, on the stacks' machine.

Orders come in as lines of JSON, answers go out as such. At the end of its input it stops what runs, and ends.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import msgspec

from hopcost.errors import HopcostError
from hopcost.measure.sites.messages import Answer, Doing, LeaderLine, Measure, Open, Order, Refused, Watch
from hopcost.stacks.sandbox import network

if TYPE_CHECKING:
    from hopcost.measure.sites.there.bench import Bench

LIFE_S = 2.0  # between two signs of life
STOP_S = 4.0  # to stop the stacks; whatever is left then ends with this process


class Lines:
    """What goes out: answers, progress at most once in LIFE_S, signs of life."""

    def __init__(self, output: TextIO) -> None:
        self._output = output
        self._writing = threading.Lock()
        self._told_s = 0.0

    def write(self, line: LeaderLine) -> None:
        """One line."""
        with self._writing:
            self._output.write(msgspec.json.encode(line).decode() + "\n")
            self._output.flush()

    def tell(self, arm: str, doing: str) -> None:
        """Progress, unless something was told just now."""
        if time.monotonic() - self._told_s >= LIFE_S:
            self._told_s = time.monotonic()
            self.write(Doing(arm, doing))

    def live(self) -> None:
        """Signs of life, as long as this process runs."""
        while True:
            time.sleep(LIFE_S)
            self.write(Doing())


class Orders:
    """What comes in; at its end the main thread is interrupted if it is at work."""

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._at_work = threading.Event()
        threading.Thread(target=self._read, name="orders", daemon=True).start()

    def next(self) -> Order | None:
        """The next order; None at the end."""
        self._at_work.clear()
        line = self._lines.get()
        self._at_work.set()
        return None if line is None else msgspec.json.decode(line, type=Order)

    def _read(self) -> None:
        for line in sys.stdin.buffer:
            self._lines.put(line)
        self._lines.put(None)
        if self._at_work.is_set():
            timer = threading.Timer(STOP_S, os._exit, [1])
            timer.daemon = True
            timer.start()
            os.kill(os.getpid(), signal.SIGINT)


def main(folder: Path, *, alone: bool) -> int:
    """Until the input ends."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if alone:  # else a namespace of its own would hide the network that the generator's machine reaches
        network.enter_user_namespace()
    lines, orders = Lines(sys.stdout), Orders()
    sys.stdout = sys.stderr  # what anything else prints is no answer
    threading.Thread(target=lines.live, name="life", daemon=True).start()
    from hopcost.measure.sites.there.bench import Bench  # heavy

    bench = Bench(folder, lines.tell)
    try:
        while (order := orders.next()) is not None:
            lines.write(_answer(bench, order))
    except KeyboardInterrupt:
        return 130
    finally:
        bench.close()
    return 0


def _answer(bench: Bench, order: Order) -> Answer:
    try:
        match order:
            case Open():
                return bench.open(order)
            case Measure():
                return bench.measure(order)
            case Watch():
                return bench.watch(order)
    except HopcostError as error:
        return Refused(error.message, error.hint, error.exit_code)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), alone=sys.argv[2] == "alone"))
