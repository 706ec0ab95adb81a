"""Servers that do not bear idle connections: `python waiting_app.py KIND` is one, on a port that it prints.

`impatient` drops a connection that is idle for IDLE_S. `single` has one worker, which stays with a connection until it
is closed. `single-closes` has one worker too, and closes each connection behind its answer. `waits-once` has one that
waits for the first request of a connection, and for no other one. `patient` bears them all.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import NamedTuple

IDLE_S = 1.0
BODY = b"hello\n"


class Answer(BaseHTTPRequestHandler):
    """One page, over connections that are kept."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    closes = False

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        if self.closes:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


class Impatient(Answer):
    """It drops what is idle."""

    timeout = IDLE_S


class Closing(Answer):
    """It closes each connection behind its answer."""

    closes = True


class WaitsOnce(Answer):
    """Its worker is free again behind the first answer of a connection."""

    worker = threading.Lock()

    def handle(self) -> None:
        self.close_connection = True
        with self.worker:
            self.handle_one_request()
        while not self.close_connection:
            self.handle_one_request()


class Waiting(NamedTuple):
    """A server that runs by itself."""

    process: subprocess.Popen[str]
    port: int

    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"


@contextmanager
def waiting(kind: str) -> Iterator[Waiting]:
    """A server of this kind; it is there until the end."""
    words = [sys.executable, __file__, kind]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None, "a pipe was asked for"
            yield Waiting(process, int(process.stdout.readline()))
            assert process.poll() is None, "it runs as before"
        finally:
            process.kill()


def main(kind: str) -> None:
    """Serve for ever."""
    server = HTTPServer if kind.startswith("single") else ThreadingHTTPServer
    server.request_queue_size = 128
    handler = {"impatient": Impatient, "single-closes": Closing, "waits-once": WaitsOnce}.get(kind, Answer)
    with server(("127.0.0.1", 0), handler) as serving:
        print(serving.server_address[1], flush=True)
        serving.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1])
