"""`--http2` and `--streams`, as `conf` and `front` take them."""

from __future__ import annotations

from hopcost.errors import UsageError


def read_streams(streams: int | None, *, http2: bool) -> int | None:
    """Requests at a time on each connection over HTTP/2; None over HTTP/1.1. UsageError for `--streams` alone.

    >>> read_streams(None, http2=True), read_streams(10, http2=True), read_streams(None, http2=False)
    (1, 10, None)
    """
    if http2:
        return streams or 1
    if streams is not None:
        raise UsageError("--streams: over HTTP/1.1 a connection has one request at a time", "add --http2")
    return None
