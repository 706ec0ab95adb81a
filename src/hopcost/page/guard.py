"""What stands before every page: only reading, only from this machine's own names, only what is small.

A page of another site can send a browser here under a name of its own that leads to 127.0.0.1 (DNS rebinding): its
Host header tells. Every answer, refusals and faults too, carries the same policy: no script and no style but ours.
"""

from __future__ import annotations

import re

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = ("GET", "HEAD")
HOST = re.compile(r"(?:localhost|127\.0\.0\.1)(?::[0-9]{1,5})?", re.IGNORECASE)
LONGEST_PATH, LONGEST_QUERY, LONGEST_HEADERS = 512, 4096, 16 * 1024  # bytes
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self';"
        " base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
CACHE = "Cache-Control"
NOT_KEPT = "no-store"  # by browsers: figures of a team's own


class Guard:
    """Around the application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # a web socket, which nothing here has
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault(CACHE, NOT_KEPT)
            await send(message)

        await (refusal(scope) or self._app)(scope, receive, send_with_headers)


def refusal(scope: Scope) -> PlainTextResponse | None:
    """The answer to a request that no page is asked for; None if it may pass."""
    if sum(len(name) + len(value) for name, value in scope["headers"]) > LONGEST_HEADERS:
        return _refuse(431, "these headers are too long", Connection="close")
    headers = [(name.lower(), value.decode("latin-1")) for name, value in scope["headers"]]
    hosts = [value for name, value in headers if name == b"host"]
    bodies = [value for name, value in headers if name in (b"content-length", b"transfer-encoding") and value != "0"]
    if len(hosts) != 1 or not HOST.fullmatch(hosts[0]):
        return _refuse(
            421, "this page answers to localhost and 127.0.0.1 alone: a proxy before it sets the Host header"
        )
    if scope["method"] not in METHODS:
        return _refuse(405, "this page is read only", Allow=", ".join(METHODS))
    if len(scope.get("raw_path") or b"") > LONGEST_PATH or len(scope["query_string"]) > LONGEST_QUERY:
        return _refuse(414, "this address is too long")
    if bodies:
        return _refuse(413, "a request here has no body", Connection="close")
    return None


def _refuse(status: int, words: str, **headers: str) -> PlainTextResponse:
    return PlainTextResponse(f"{words}\n", status, headers)
