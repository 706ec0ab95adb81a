"""One change of a configuration whose effect is measured, and what the first answer told of the load."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from hopcost.nginx.edits import Edit, Place


class Receipt(StrEnum):
    """What shows in a start with a few requests that an edit had its effect."""

    LOG = "log"  # the access log or the error log grew less, or later
    ENCODING = "encoding"  # Content-Encoding of the answers
    BYTES = "bytes"  # the answer as it was sent
    CONNECTIONS = "connections"  # how many nginx opened to the app
    CLIENT_CONNECTIONS = "client connections"  # how many the client needed
    CACHED = "cached"  # files in the cache's folder
    TEMP_FILES = "temp_files"  # "buffered to a temporary file" in the error log
    OPEN_FILES = "open files"  # that nginx keeps between requests
    LISTENING = "listening"  # sockets of the port
    SESSIONS = "sessions"  # whether a client's TLS session is resumed
    PROTOCOL = "protocol"  # what client and server agree on when TLS begins
    HEADER = "header"  # fields of the answer
    REQUEST = "request"  # the length of its head, as the app gets it
    SUBREQUESTS = "subrequests"  # packets with data between nginx and what is behind it
    LOGIN = "login"  # the status of a request without a password
    NONE = "none"  # it only shows as cost


class LoadSeen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The load, and what its first answer told."""

    connections: int
    requests_per_connection: int | None
    """None if connections stay open"""
    body_bytes: int
    """of the answer as it came, compressed or not"""
    content_type: str | None
    status: int
    encoding: str | None
    """Content-Encoding; None if there is none"""
    accepts_gzip: bool
    """whether the request says so"""
    is_tls: bool
    is_upload: bool
    idle_timeout_s: float | None
    """how long the app keeps an idle connection; None if it keeps it open, 0 if it closes after each answer"""
    is_from_upstream: bool
    """False for a file of nginx's own, or `return`"""
    keeps_when_upgrading: bool | None = None
    """whether the app keeps a connection whose requests say `Connection: upgrade`; None if nobody asked it"""
    workers: int | None = None
    """of nginx here; None as the configuration says, `auto` for one"""
    path: str = "/"
    """of the request, with its query"""
    streams: int | None = None
    """requests at a time on each connection over HTTP/2; None over HTTP/1.1"""

    @property
    def at_once(self) -> int:
        """Requests at a time, on all connections: so many may wait for the app."""
        return self.connections * (self.streams or 1)

    @property
    def opens_connections(self) -> bool:
        """Whether handshakes are a part of the load: few requests on each connection."""
        return self.requests_per_connection is not None and self.requests_per_connection <= 10


class Ablation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One change. Its effect in µs is that of the edits: less is cheaper."""

    name: str
    """unique, of a-z, 0-9 and -"""
    words: str
    """what the edits do, for the first column of a table"""
    places: tuple[Place, ...]
    """the lines that it is about"""
    edits: tuple[Edit, ...]
    is_giant: bool = False
    """it may change the cost by a third or more, so it is settled before the others are screened"""
    is_offered: bool = False
    """the edits may stand in the diff if they save: they take nothing away that somebody wants"""
    receipt: Receipt = Receipt.NONE
    unseen: str | None = None
    """why this load cannot show it, and which would; None if it can"""
    buys: str = ""
    """what the directive buys as it stands, or what an added one costs besides"""
