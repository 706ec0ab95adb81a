"""An app with an oddity, for tests: `python odd_app.py ODDITY PORT`. The standard library alone."""

from __future__ import annotations

import itertools
import os
import secrets
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = b'<form><input name="csrf" value="%s"></form>' + b" a page that stays" * 9 + b"\n"
count = itertools.count(1)


def body(oddity: str, number: int) -> bytes:
    """What the answer of this number has in its body."""
    if oddity == "token":
        return PAGE % secrets.token_hex(8).encode()
    if oddity == "longer":
        return PAGE % (b"x" * (number % 50))
    if oddity == "noise":
        return secrets.token_bytes(100)
    if oddity == "rare":
        return PAGE % (b"the usual one" if number % 50 else b"the other one")
    return PAGE % b"always the same"


class App(BaseHTTPRequestHandler):
    """One answer after the other."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    oddity = ""

    def do_GET(self) -> None:
        """Answer as the oddity has it."""
        number, oddity = next(count), self.oddity
        if oddity == "silent":
            time.sleep(60)
        elif oddity == "no HTTP":
            self.wfile.write(b"220 ready\r\n\r\n")
            self.close_connection = True
        elif oddity == "stream":
            self.stream()
        elif (oddity == "stalls once" and 300 <= number < 304) or (oddity == "stalls" and number % 100 >= 96):
            time.sleep(5)
        elif oddity == "ends" and number > 100:
            sys.stderr.write("enough answered\n")
            sys.stderr.flush()
            os._exit(3)
        else:
            self.answer(number, oddity)

    def answer(self, number: int, oddity: str) -> None:
        """A whole answer."""
        status = {"redirect": 302, "login": 401, "broken": 500}.get(oddity, 200)
        if (oddity == "flips" and number % 2 == 0) or (oddity == "fails" and number % 20 == 0):
            status = 503
        if status >= 500:
            sys.stderr.write("KeyError: 'DATABASE'\n")
            sys.stderr.flush()
        content = body(oddity, number)
        self.send_response(status)
        if oddity == "redirect":
            self.send_header("Location", "/login/")
        if oddity == "token":
            self.send_header("Set-Cookie", f"csrf={number}")
        if oddity == "closes" or (oddity == "closes upgrades" and self.headers["Connection"] == "upgrade"):
            self.send_header("Connection", "close")
            self.close_connection = True
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def stream(self) -> None:
        """Events without an end."""
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b"data: x\n\n")
            time.sleep(0.01)

    def log_message(self, *_: object) -> None:
        """Nothing, so that the last lines are the app's own."""


def main() -> None:
    """Serve until it is told to stop."""
    App.oddity = sys.argv[1]
    if App.oddity == "impatient":
        App.timeout = 1
    threading.stack_size(256 * 1024)
    ThreadingHTTPServer.request_queue_size = 128
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), App).serve_forever()


if __name__ == "__main__":
    main()
