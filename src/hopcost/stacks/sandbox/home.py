"""A thread that stays in the host's network when this process leaves it, and connects from there on behalf of stacks.

In a user namespace nobody can go back to the host's network. A thread that never left is still there. Its connections
are handed over through a Unix socket, which every network namespace reaches.
"""

from __future__ import annotations

import contextlib
import queue
import selectors
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

DIAL_S = 5.0
REQUEST_BYTES = 1000  # of addresses


class Home:
    """The thread. It takes calls, and requests to connect: addresses in a line, answered with a connected socket."""

    def __init__(self) -> None:
        self._calls: queue.Queue[Callable[[], None]] = queue.Queue()
        self._sleeper, self._waker = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._sleeper, selectors.EVENT_READ)
        threading.Thread(target=self._serve, name="hopcost-home", daemon=True).start()

    def run(self, call: Callable[[], T]) -> T:
        """What the call gives in the host's network; its errors too."""
        future: Future[T] = Future()

        def perform() -> None:
            try:
                future.set_result(call())
            except Exception as error:
                future.set_exception(error)

        self._calls.put(perform)
        self._waker.send(b"1")
        return future.result()

    def begin_to_connect(self, path: Path) -> socket.socket:
        """Serve requests at this socket file until `end_to_connect`."""
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen(socket.SOMAXCONN)
        self.run(lambda: self._selector.register(listener, selectors.EVENT_READ))
        return listener

    def end_to_connect(self, listener: socket.socket) -> None:
        """No more requests come from there."""
        self.run(lambda: self._selector.unregister(listener))
        listener.close()

    def _serve(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._sleeper:
                    self._sleeper.recv(1)
                    self._calls.get()()
                else:
                    with contextlib.suppress(OSError):
                        _connect_for(key.fileobj)


def _connect_for(listener: Any) -> None:
    """One request: the first of its addresses that accepts. Nothing is answered if none does."""
    asking, _ = listener.accept()
    with asking:
        asking.settimeout(DIAL_S)
        for place in asking.recv(REQUEST_BYTES).decode().split():
            host, _, port = place.rpartition(":")
            try:
                connection = socket.create_connection((host.strip("[]"), int(port)), timeout=DIAL_S)
            except OSError:
                continue
            with connection:
                connection.setblocking(True)  # who gets it waits for it
                socket.send_fds(asking, [b"1"], [connection.fileno()])
            return
