"""Why an app cannot be measured as it answers, and what to do: a message and a hint. Pure."""

from __future__ import annotations

import re
import shlex
from http.client import RemoteDisconnected
from urllib.parse import urlsplit

import h11

from hopcost.measure.learn.changes import fields_of
from hopcost.stacks.client.connection import Endless, HttpAnswer

LOCAL = ("localhost", "127.0.0.1", "::1")
TLS_ALERT = b"\x15\x03"
TO_LOG_IN = re.compile(r"(?i)log[-_]?in|sign[-_]?in|auth|\bsso\b")
LOGIN = "log in with -H 'Authorization: …' or -H 'Cookie: …'"
HINTS = {
    400: "-H 'Host: NAME' if it answers to its own name alone (Django: ALLOWED_HOSTS), or another --path",
    401: LOGIN,
    403: f"{LOGIN}, or take a page that everybody may see: --path",
    404: "--path names a page that there is",
    405: "this page takes another method: --path names another page",
    407: LOGIN,
    410: "--path names a page that there is",
    421: "-H 'Host: NAME' asks for a name that it serves",
    429: "it limits how often it is asked: switch that off, or the limit is measured",
}
WITH_A_BODY = ("POST", "PUT", "PATCH")
OTHER_BODY = "--body-file FILE sends what it takes, and -H 'Content-Type: …' says what that is"
BODY_HINTS = {
    400: OTHER_BODY,
    411: OTHER_BODY,
    413: "its limit is lower: --body-file FILE with a shorter one",
    415: OTHER_BODY,
    422: OTHER_BODY,
}
BROKEN = "mend that first, or take a page that works: --path"


def why_refused(answer: HttpAnswer, request: str, last_lines: str) -> tuple[str, str] | None:
    """Message and hint for a status that is no success; None for 2xx. `request` is `GET /path`."""
    status = answer.status
    if 200 <= status < 300:
        return None
    if 300 <= status < 400:
        return _redirect(answer, request)
    words = f"it answers {request} with status {status}"
    if status >= 500:
        return words + quoted(last_lines), BROKEN
    of_body = body_hint(status, request.partition(" ")[0])
    hints = [hint for hint in (of_body, HINTS.get(status)) if hint is not None]
    return words, "; ".join(hints) or "take a page that it answers: --path, or add what it wants: -H"


def body_hint(status: int, method: str) -> str | None:
    """What helps if it was the body that was refused, or that there was none; None for other refusals.

    >>> body_hint(413, "POST"), body_hint(415, "GET")
    ('its limit is lower: --body-file FILE with a shorter one', None)
    """
    return BODY_HINTS.get(status) if method.upper() in WITH_A_BODY else None


def _redirect(answer: HttpAnswer, request: str) -> tuple[str, str]:
    """Where it redirects to, and how to get there."""
    location = next((value for name, value in fields_of(answer.head) if name.lower() == "location"), None)
    if location is None:
        return f"it answers {request} with status {answer.status} and no Location", "take another page: --path"
    words = f"it redirects {request} to {location} (status {answer.status})"
    to = urlsplit(location)
    path = to.path + (f"?{to.query}" if to.query else "") or "/"
    options = []
    if to.hostname is not None and to.hostname not in LOCAL:
        options.append(f"-H {shlex.quote(f'Host: {to.netloc}')}")
    if path != request.partition(" ")[2]:
        options.append(f"--path {shlex.quote(path)}")
    elif to.scheme == "https":  # the same page, but over TLS
        options.append("-H 'X-Forwarded-Proto: https'")
    if not options:
        return words, "it redirects to itself"
    there = f"ask for what it redirects to: {' '.join(options)}"
    return words, f"{LOGIN}, or {there}" if TO_LOG_IN.search(f"{to.hostname}{to.path}") else there


def why_no_answer(error: Exception, received: bytes, request: str, last_lines: str) -> tuple[str, str]:
    """Message and hint for what came in place of a whole answer; `received` are the first bytes that came."""
    printed = quoted(last_lines)
    match error:
        case Endless():
            words = f"its answer to {request} does not end: {error}"
            return words, "event streams and long polling cannot be measured: --path names an answer that ends"
        case TimeoutError():
            hint = "does it wait for a database or another service? --needs HOST:PORT lets it reach one"
            return f"it does not answer {request}: {error}{printed}", hint
        case ConnectionRefusedError():
            return f"it opens no more connections{printed}", BROKEN
        case RemoteDisconnected() | ConnectionError():
            return f"it closes the connection without an answer to {request}{printed}", BROKEN
        case h11.RemoteProtocolError() if received.startswith(TLS_ALERT):
            return f"it speaks TLS, and was asked {request} without", "let it serve HTTP: a front can end TLS"
        case h11.RemoteProtocolError() if not received.startswith(b"HTTP/"):
            hint = "is that the port that it serves HTTP on?"
            return f"what it sends is not HTTP: it begins with {received[:32]!r}", hint
        case _:
            return f"its answer to {request} is broken: {error}{printed}", BROKEN


def quoted(last_lines: str) -> str:
    """The end of a log as the end of a message; empty if nothing was printed."""
    return f"; its last lines:\n{last_lines}" if last_lines else "; it printed nothing"
