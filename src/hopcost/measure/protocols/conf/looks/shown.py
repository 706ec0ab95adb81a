"""What one start of a configuration showed over a few requests, and whether a change shows there. Pure."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from hopcost.nginx.ablations import Receipt
from hopcost.stacks.client.connection import HttpAnswer


class Shown(msgspec.Struct, frozen=True):
    """Counts of one start; None where nobody can tell here.

    `connections` are the client's at one time (0: one request was all), `opened` how many it opened in all. `behind`
    are the TCP connections that nginx opened to what is behind it. `open_files` and `cached_files` are files that it
    holds at the end; `listening` are sockets of the site's port. `resumes` says whether a client's TLS session is
    resumed, `protocol` what was agreed on when TLS began. `packets` are all with data between all sides, of `requests`
    in all. `without_login` is the status of a request without a password, `head_bytes` the length of a request's head
    as the origin got it.
    """

    answer: HttpAnswer
    log_bytes: int = 0
    connections: int = 0
    opened: int = 1
    behind: int | None = None
    temporary_files: int = 0
    cached_files: int = 0
    open_files: int | None = None
    listening: int | None = None
    resumes: bool | None = None
    protocol: str | None = None
    requests: int = 0
    packets: int | None = None
    without_login: int | None = None
    head_bytes: int | None = None


def why_without_effect(as_is: Shown, changed: Shown, receipt: Receipt) -> str | None:
    """Why a change counts for nothing: what ought to show it is as it was. None if it shows, or cannot be seen so."""
    judge = JUDGES.get(receipt)
    if receipt not in OF_ONE_ANSWER and not (as_is.connections and changed.connections):
        return None
    why = None if judge is None else judge(as_is, changed)
    return None if why is None else f"without effect here: {why}"


def _encoding(as_is: Shown, changed: Shown) -> str | None:
    if changed.answer.content_encoding != as_is.answer.content_encoding:
        return None
    return f"Content-Encoding is {as_is.answer.content_encoding or 'none'} as before; it stands somewhere else too"


def _bytes(as_is: Shown, changed: Shown) -> str | None:
    if changed.answer.body != as_is.answer.body:
        return None
    return "the answer is the same to the byte"


def _log(as_is: Shown, changed: Shown) -> str | None:
    if changed.log_bytes >= as_is.log_bytes > 0:
        return "the log grows as before; it stands somewhere else too"
    return None


def _connections(as_is: Shown, changed: Shown) -> str | None:
    """A quarter of the client's connections is a difference: a pool that is one too small is none."""
    if as_is.behind is None or changed.behind is None:
        return None
    if 4 * abs(changed.behind - as_is.behind) >= as_is.connections:
        return None
    return f"nginx opens {changed.behind} connections to the app as before ({as_is.behind})"


def _client_connections(as_is: Shown, changed: Shown) -> str | None:
    if changed.opened != as_is.opened:
        return None
    return f"the client opens {as_is.opened} connections as before"


def _cached(as_is: Shown, changed: Shown) -> str | None:
    if changed.cached_files != as_is.cached_files:
        return None
    return "nothing of this answer is in the cache" if not as_is.cached_files else "the cache is filled as before"


def _temporary_files(as_is: Shown, changed: Shown) -> str | None:
    if as_is.temporary_files and changed.temporary_files >= as_is.temporary_files:
        return "answers go through temporary files as before"
    return None


def _open_files(as_is: Shown, changed: Shown) -> str | None:
    if as_is.open_files is None or changed.open_files is None or changed.open_files != as_is.open_files:
        return None
    return "nginx keeps as many files open as before"


def _listening(as_is: Shown, changed: Shown) -> str | None:
    if as_is.listening is None or changed.listening is None or changed.listening != as_is.listening:
        return None
    return f"{as_is.listening} listening sockets as before"


def _sessions(as_is: Shown, changed: Shown) -> str | None:
    if as_is.resumes is None or changed.resumes is None or changed.resumes is not as_is.resumes:
        return None
    return f"a client's TLS session is {'resumed' if as_is.resumes else 'not resumed'} as before"


def _protocol(as_is: Shown, changed: Shown) -> str | None:
    if as_is.protocol is None or changed.protocol is None or changed.protocol != as_is.protocol:
        return None
    return f"{as_is.protocol} is spoken as before; another server of this port has it on too"


def _header(as_is: Shown, changed: Shown) -> str | None:
    if _fields(changed.answer) != _fields(as_is.answer):
        return None
    return "the answer has the same header fields as before"


def _fields(answer: HttpAnswer) -> list[str]:
    """The names in the order in which they came, and the type; what others say may change with the time."""
    lines = [line.partition(":") for line in answer.head.splitlines()[1:]]
    return [name.lower() + (value if name.lower() == "content-type" else "") for name, _, value in lines]


def _request(as_is: Shown, changed: Shown) -> str | None:
    if as_is.head_bytes is None or changed.head_bytes is None or changed.head_bytes != as_is.head_bytes:
        return None
    return f"the app gets a head of {as_is.head_bytes} bytes as before: this path has header lines of its own"


def _subrequests(as_is: Shown, changed: Shown) -> str | None:
    """A subrequest is two packets at least, of which one for each request is asked for: some may be sent together."""
    if as_is.packets is None or changed.packets is None or as_is.packets - changed.packets >= as_is.requests:
        return None
    return f"{changed.packets} packets for {changed.requests} requests as before ({as_is.packets}): nobody was asked"


def _login(as_is: Shown, changed: Shown) -> str | None:
    if None in (as_is.without_login, changed.without_login) or changed.without_login != as_is.without_login:
        return None
    return f"a request without a password gets {as_is.without_login} as before"


OF_ONE_ANSWER = frozenset({Receipt.ENCODING, Receipt.BYTES, Receipt.HEADER, Receipt.REQUEST})
JUDGES: dict[Receipt, Callable[[Shown, Shown], str | None]] = {
    Receipt.LOG: _log,
    Receipt.ENCODING: _encoding,
    Receipt.BYTES: _bytes,
    Receipt.CONNECTIONS: _connections,
    Receipt.CLIENT_CONNECTIONS: _client_connections,
    Receipt.CACHED: _cached,
    Receipt.TEMP_FILES: _temporary_files,
    Receipt.OPEN_FILES: _open_files,
    Receipt.LISTENING: _listening,
    Receipt.SESSIONS: _sessions,
    Receipt.PROTOCOL: _protocol,
    Receipt.HEADER: _header,
    Receipt.REQUEST: _request,
    Receipt.SUBREQUESTS: _subrequests,
    Receipt.LOGIN: _login,
}
