"""HTTP/2 before the origin, which does not speak it: nginx takes it, and passes requests on over kept connections.

The origin's log stays the truth. What nginx takes for a request is in the engine's times and not in the log. Bars are
the same as without it; where they are narrower than that time, HTTP/1.1 through the same nginx tells it.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hopcost.errors import CannotMeasure, MeasurementFailed
from hopcost.programs.receipt import installed
from hopcost.stacks.sandbox.ports import Ports
from tools.truth.server import Origin, origin_core

SUFFIX = ", HTTP/2"  # behind a backend, in the names of cases
# As many requests at a time as the HTTP/1.1 runs have connections.
CONNECTIONS, STREAMS = 16, 4
OPTIONS = ("--http2", "-c", CONNECTIONS, "--streams", STREAMS)
SETTINGS: dict[str, object] = {"front": "nginx", "connections": CONNECTIONS, "streams": STREAMS}
WORDS = (
    f"HTTP/2: {CONNECTIONS} connections with {STREAMS} requests at a time on each, to nginx before the origin. Its time"
    " is in the engine's figures and not in the log."
)
READY_S = 10.0
# Without TLS: a client that knows may begin with HTTP/2 (RFC 9113, 3.3).
CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log crit;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  keepalive_requests 1000000;
  upstream origin {{ server {origin}; keepalive 256; keepalive_requests 1000000; }}
  server {{
    listen 127.0.0.1:{port} http2;
    listen 127.0.0.1:{plain_port};
    location / {{
      proxy_pass http://origin;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_next_upstream off;
    }}
  }}
}}
"""


class Front(NamedTuple):
    """Where nginx takes requests: over HTTP/2, and over HTTP/1.1, which tells its own time."""

    http2: str
    http1: str


@contextlib.contextmanager
def front(server: Origin) -> Iterator[Front]:
    """nginx on the origin's core, before the origin."""
    receipt = installed("nginx")
    if receipt.path is None:
        raise CannotMeasure(f"nginx: {receipt.missing}", receipt.remedy)
    with tempfile.TemporaryDirectory() as name:
        folder, ports = Path(name), Ports()
        port, plain_port = ports.take(), ports.take()
        configuration = folder / "nginx.conf"
        listens = {"port": port, "plain_port": plain_port}
        configuration.write_text(CONFIGURATION.format(folder=name, origin=server.address, **listens))
        command = ["taskset", "--cpu-list", str(origin_core()), receipt.path]
        command += ["-p", f"{name}/", "-e", f"{name}/error.log", "-c", str(configuration)]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            try:
                _wait_until_it_listens(port, process, folder / "error.log")
                yield Front(f"127.0.0.1:{port}", f"127.0.0.1:{plain_port}")
            finally:
                process.kill()


@contextlib.contextmanager
def way_to(server: Origin) -> Iterator[str]:
    """The address of nginx before the origin, for HTTP/2 alone."""
    with front(server) as listening:
        yield listening.http2


def _wait_until_it_listens(port: int, process: subprocess.Popen[bytes], errors: Path) -> None:
    deadline = time.monotonic() + READY_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError as error:
            if process.poll() is not None or time.monotonic() > deadline:
                said = errors.read_text(encoding="utf-8", errors="replace").strip() if errors.exists() else ""
                raise MeasurementFailed(f"nginx before the origin did not start: {said}") from error
        time.sleep(0.01)
