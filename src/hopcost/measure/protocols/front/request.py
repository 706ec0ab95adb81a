"""What a person asks of `hopcost front`: the app, the request, the fronts."""

from __future__ import annotations

import msgspec

from hopcost.errors import UsageError
from hopcost.statistics.questions.front.fronts import Front
from hopcost.suites.arms.app import PORT, PORT_VARIABLE, SOCKET, App
from hopcost.suites.arms.arm import Link
from hopcost.suites.experiments.workload import Workload

SOCKET_COMMANDS = {  # how programs are told a socket
    "gunicorn": "gunicorn -b unix:{socket} …",
    "uvicorn": "uvicorn --uds {socket} …",
    "hypercorn": "hypercorn -b unix:{socket} …",
    "daphne": "daphne -u {socket} …",
    "puma": "puma -b unix://{socket} …",
}


class FrontRequest(msgspec.Struct, frozen=True):
    """The app as it is started, the load, and the fronts that are wanted.

    `socket_app` is the app over a Unix socket, None if nobody knows how to tell it one. `script` is what a FastCGI app
    runs for each request. `rate_per_s` is a load to offer; None: full load alone. `streams` are requests at a time on
    each connection to the front over HTTP/2.
    """

    app: App
    workload: Workload
    wanted: list[Front]
    socket_app: App | None = None
    is_fastcgi: bool = False
    script: str | None = None
    rate_per_s: float | None = None
    is_quick: bool = False
    streams: int = 1

    @property
    def link(self) -> Link:
        """How the app is reached, but for the front over a Unix socket: TCP, unless it is told a socket anyhow."""
        return self._over("unix" if self.app.mentions(SOCKET) else "tcp")

    @property
    def socket_link(self) -> Link:
        """How it is reached over a Unix socket."""
        return self._over("unix")

    def _over(self, transport: str) -> Link:
        return Link(f"{'fastcgi' if self.is_fastcgi else 'http'}+{transport}")


def over_socket(app: App, command: list[str] | None) -> App | None:
    """The app over a Unix socket, None if it is only told a port. UsageError for a command without a place for a path.

    With a command of its own that is it. Without, an app that reads PORT may take a path there, as Node does.
    """
    if command is not None:
        told = {name: text for name, text in app.environment.items() if PORT not in text and name != PORT_VARIABLE}
        other = msgspec.structs.replace(app, command=command, port=None, environment=told)
        if not other.mentions(SOCKET):
            raise UsageError(f"--socket: the command has no {SOCKET}", f"like {socket_hint(app.command)}")
        return other
    return None if app.mentions(PORT) or app.mentions(SOCKET) or app.port is not None else app


def socket_hint(command: list[str]) -> str:
    """How the app might be started over a socket.

    >>> socket_hint(["python3", "-m", "uvicorn", "app:app", "--port", "{port}"])
    "--socket 'uvicorn --uds {socket} …'"
    """
    names = [word.rpartition("/")[2] for word in command]
    words = next((SOCKET_COMMANDS[name] for name in names if name in SOCKET_COMMANDS), f"COMMAND … {SOCKET} …")
    return f"--socket '{words}'"
