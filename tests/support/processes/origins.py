"""Embedded origins and an nginx that run by themselves, as servers that hopcost finds and never starts or stops."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from known import known
from processes.needed import need_program
from processes.small_apps import free_port

from hopcost.machine import binaries
from hopcost.programs.receipt import installed

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


READY_S = 30.0  # a limit, not a measure
NGINX = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://{behind}; }} }}
}}
"""


@contextmanager
def nginx_before(origin: Origin, folder: Path) -> Iterator[str]:
    """The address of an nginx that passes all requests on to this origin."""
    need_program("nginx")
    port = free_port()
    configuration = folder / "nginx.conf"
    configuration.write_text(NGINX.format(folder=folder, port=port, behind=origin.address))
    words = [known(installed("nginx").path), "-p", str(folder), "-e", "stderr", "-c", str(configuration)]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            deadline = time.monotonic() + READY_S
            while True:
                with suppress(OSError):
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                assert process.poll() is None and time.monotonic() < deadline, "nginx does not listen"
                time.sleep(0.02)
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()  # its workers too
