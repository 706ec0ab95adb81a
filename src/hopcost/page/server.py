"""The server of the page: a socket on loopback, and bounds on what a connection may take."""

from __future__ import annotations

import errno
import socket
from asyncio import TimerHandle
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from hopcost.errors import CannotMeasure, UsageError
from hopcost.page.app import make_app
from hopcost.page.kept import Kept
from hopcost.statistics.change_points import LEAST_RECORDS, change_points

LOOPBACK = "127.0.0.1"  # and nothing else: whoever wants more puts a reverse proxy with a login before it
LONGEST_HEAD = 16 * 1024  # bytes of a request's first line and headers
LONGEST_REQUEST_S = 30.0  # from a connection's or the last answer's end to the next answer's end
IDLE_S = 5
MOST_AT_ONCE = 64  # connections
GRACE_S = 3  # for answers under way when it stops


class BoundedProtocol(H11Protocol):
    """A connection whose next answer is not written in time is cut: slow senders, slow readers, endless requests."""

    _deadline: TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_watch()
        super().connection_lost(exc)

    def _watch(self) -> None:
        self._end_watch()
        if not self.transport.is_closing():
            self._deadline = self.loop.call_later(LONGEST_REQUEST_S, self.transport.abort)

    def _end_watch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def bind(port: int) -> socket.socket:
    """A socket on loopback; port 0 takes a free one. UsageError if the port is taken or not for everybody."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # what a server before left behind takes no port
    try:
        listener.bind((LOOPBACK, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise _refused(port, error) from error
    return listener


def address_of(listener: socket.socket) -> str:
    """What a person opens."""
    return f"http://{LOOPBACK}:{listener.getsockname()[1]}/"


def make_server(kept: Kept) -> uvicorn.Server:
    """Not started: its `run(sockets=[listener])` answers until Ctrl-C, and may raise KeyboardInterrupt then.

    What pages load once is loaded here, so that the first one need not wait for it.
    """
    change_points([0.0] * (2 * LEAST_RECORDS), [None] * (2 * LEAST_RECORDS))
    config = uvicorn.Config(
        make_app(kept),
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_level="error",  # faults with their traceback; no log of requests
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=MOST_AT_ONCE,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=GRACE_S,
        h11_max_incomplete_event_size=LONGEST_HEAD,
    )
    return uvicorn.Server(config)


def _refused(port: int, error: OSError) -> Exception:
    if error.errno == errno.EADDRINUSE:
        return UsageError(
            f"--port {port}: another program listens there", f"hopcost serve --port {port + 1 if port < 65535 else 0}"
        )
    if error.errno == errno.EACCES:
        return UsageError(f"--port {port}: this user may not listen there", "take a port above 1023")
    return CannotMeasure(f"{LOOPBACK}:{port}: {error.strerror}", "hopcost serve needs a network interface `lo`")
