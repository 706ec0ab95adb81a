"""Apps that tests write: a few lines of Python each, that listen where they are told, elsewhere, or not at all."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hopcost.suites.arms.app import App

SERVER = """
import os, socket, socketserver, sys, time
from http.server import BaseHTTPRequestHandler

class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def body(self):
        return b"hello\\n"

    def do_GET(self):
        body = self.body()
        self.send_response(200 if body else 500)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass

class Tcp(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads, request_queue_size = True, True, 128

class Tcp6(Tcp):
    address_family = socket.AF_INET6

class Unix(socketserver.ThreadingUnixStreamServer):
    daemon_threads, request_queue_size = True, 128

class OnUnix(Answer):
    disable_nagle_algorithm = False
"""
ASKS = (
    SERVER
    + """
class Asks(Answer):
    service = ("127.0.0.1", {port})

    def setup(self):
        super().setup()
        try:
            self.database = socket.create_connection(self.service)
        except OSError:
            self.database = None

    def body(self):
        if self.database is None:
            return b""
        self.database.sendall(b"select 1\\n")
        return self.database.recv(100)
"""
)
DATABASE = """
import socketserver

class Answers(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):  # `select 1` is answered with `1`, line by line
        while line := self.rfile.readline():
            self.wfile.write(line.split()[-1] + b"\\n")

class Service(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads, request_queue_size = True, True, 128

server = Service(("127.0.0.1", 0), Answers)
print(server.server_address[1], flush=True)
server.serve_forever()
"""
BY_VARIABLE = 'Tcp(("127.0.0.1", int(os.environ["PORT"])), Answer).serve_forever()'
BY_WORD = 'Tcp(("0.0.0.0", int(sys.argv[1])), Answer).serve_forever()'
ON_PORT_3000 = 'Tcp(("127.0.0.1", 3000), Answer).serve_forever()'
ON_IPV6 = 'Tcp6(("::1", int(os.environ["PORT"])), Answer).serve_forever()'
ON_SOCKET = "Unix(sys.argv[1], OnUnix).serve_forever()"
ON_TWO_PORTS = 'other = Tcp(("127.0.0.1", 9000), Answer); Tcp(("127.0.0.1", 3000), Answer).serve_forever()'
NOWHERE = 'print("loading", flush=True); time.sleep(600)'
EXITS = 'sys.exit("no licence")'
GOES_TO_THE_BACKGROUND = "os.fork() and sys.exit(); time.sleep(600)"
FORKS = 'server = Tcp(("127.0.0.1", int(os.environ["PORT"])), Answer); os.fork(); server.serve_forever()'
TELLS_ITS_WORLD = (
    'seen = [os.getcwd(), *sys.argv[1:], os.environ["GREETING"], os.environ["PASSED_ON"]];'
    ' open("seen", "w").write("\\n".join(seen)); ' + BY_VARIABLE
)
WANTS_TENANT = 'Answer.body = lambda self: b"hello\\n" if "X-Tenant" in self.headers else b""; ' + BY_VARIABLE
ASKS_WHEN_ASKED = 'Tcp(("127.0.0.1", int(os.environ["PORT"])), Asks).serve_forever()'
ASKS_FIRST = "socket.create_connection(Asks.service, timeout=5); " + ASKS_WHEN_ASKED


def write(folder: Path, main: str, *words: str, prelude: str = SERVER) -> App:
    """The app as a file, with its last line and the words of its command."""
    (folder / "app.py").write_text(f"{prelude}\n{main}\n")
    return App(command=[sys.executable, "app.py", *words], folder=str(folder))


@contextmanager
def database() -> Iterator[int]:
    """A service on the loopback of this thread's namespace, a process of its own: its port."""
    with subprocess.Popen([sys.executable, "-c", DATABASE], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None, "a pipe was asked for"
            yield int(process.stdout.readline())
        finally:
            process.kill()


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
