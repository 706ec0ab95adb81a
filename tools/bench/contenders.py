"""Whom `make bench` compares: our engine under some options, and the peers, called alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from hopcost.programs.generators.peers import BY_NAME
from hopcost.programs.generators.peers.ours import our_engine
from hopcost.programs.generators.peers.peer import Peer, PeerLoad
from hopcost.programs.generators.process import Drive, run_peer, version_of

PEERS = ("wrk", "ab", "h2load", "oha")
CLOSING = ("wrk", "ab", "oha")  # h2load opens no connection for each request
TO_SOCKET = {"h2load": "--base-uri=unix:", "oha": "--unix-socket="}  # the others speak TCP alone
KEEP_ALIVE_OFF = ["-H", "Connection: close"]


@dataclass(frozen=True)
class Contender:
    """A load generator; `words` takes (connections, seconds, URL)."""

    peer: Peer
    words: Callable[[int, int, str], list[str]]

    def drive(self, connections: int, seconds: int, url: str, cores: list[int]) -> Drive:
        """Run it on these cores to its end; MeasurementFailed with its own words when it fails."""
        return run_peer(self.peer, [self.peer.executable, *self.words(connections, seconds, url)], cores)


def engine(executable: Path, *options: str, verb: str = "load") -> Contender:
    """Our engine under given options; `verb` is `load` or `floor`."""
    return Contender(
        our_engine(executable, "hopcost-engine"),
        lambda connections, seconds, url: [
            *(verb, "--json", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", *options, url)
        ],
    )


def contender(name: str, keep_alive: bool = True) -> Contender:
    """A peer with connections that are kept, or with one per request."""

    def of_name(connections: int, seconds: int, url: str) -> list[str]:
        if name == "wrk":  # without --latency, which costs it something
            close = [] if keep_alive else KEEP_ALIVE_OFF
            return ["-t", "1", "-c", str(connections), "-d", f"{seconds}s", *close, url]
        return BY_NAME[name].words(PeerLoad(url=url, connections=connections, seconds=seconds, keep_alive=keep_alive))

    return Contender(BY_NAME[name], of_name)


def over_unix_socket(name: str) -> Contender:
    """A peer over a Unix socket, whose URL is in the form that our engine takes."""

    def of_url(connections: int, seconds: int, url: str) -> list[str]:
        socket, _, path = url.removeprefix("http+unix://").partition("/")
        options = [TO_SOCKET[name] + unquote(socket)]
        plain = PeerLoad(url=f"http://localhost/{path}", connections=connections, seconds=seconds, options=options)
        return BY_NAME[name].words(plain)

    return Contender(BY_NAME[name], of_url)


def h2load_over_http2(streams: int) -> Contender:
    """h2load with so many requests at a time on each connection; inside TLS it takes HTTP/2 by itself."""
    return Contender(
        BY_NAME["h2load"],
        lambda connections, seconds, url: [
            *("-t", "1", "-c", str(connections), "-m", str(streams), "-D", str(seconds), url)
        ],
    )


def installed() -> list[str]:
    """The peers that are installed here."""
    return [name for name in PEERS if version_of(BY_NAME[name]) is not None]
