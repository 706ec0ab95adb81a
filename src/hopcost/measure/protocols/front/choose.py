"""Which fronts an app can have, out of what was learned of it; and why it cannot have the others. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hopcost.measure.learn import Learned
from hopcost.measure.learn.idle import WATCHED_S
from hopcost.measure.protocols.front.learning import AppLearned
from hopcost.measure.protocols.front.request import FrontRequest, socket_hint
from hopcost.plan.plan import LeftOut
from hopcost.statistics.questions.front.fronts import Front
from hopcost.suites.arms.app import SOCKET
from hopcost.suites.experiments.request import Method

TEXT = re.compile(r"(text/.*|application/(json|javascript|xml)|image/svg\+xml)(;.*)?", re.IGNORECASE)
COMPRESSED_FROM = 1024  # bytes of an answer; below, compression saves no packet
NOT_CACHED = re.compile(r"\b(no-store|no-cache|private|max-age=0|s-maxage=0)\b", re.IGNORECASE)
IDLE_MARGIN_S = 0.8  # that nginx closes before the app does, at the least


def choose_fronts(app_learned: AppLearned) -> tuple[list[Front], list[LeftOut]]:
    """The wanted fronts that the app can have, and the others with reasons."""
    reasons = {front: _why_not(front, app_learned) for front in app_learned.request.wanted}
    left_out = [LeftOut(front.value, *why) for front, why in reasons.items() if why is not None]
    return [front for front in app_learned.request.wanted if reasons[front] is None], left_out


def upstream_timeout_s(learned: Learned) -> int | None:
    """How many whole seconds nginx may keep an idle connection to the app, safely less than the app; None: too few."""
    idle_s = WATCHED_S if learned.idle_timeout_s is None else learned.idle_timeout_s
    return int(idle_s - IDLE_MARGIN_S) or None


def pool_size(request: FrontRequest, learned: Learned) -> int:
    """How many idle connections nginx keeps: one for each of the client's.

    Over FastCGI a process may serve one connection at a time. A pool of all of them would leave none to other
    clients, so it is half of them.
    """
    if request.is_fastcgi and learned.processes > 1:
        return max(1, (learned.processes - 1) // 2)
    return max(16, request.workload.connections)


def _why_not(front: Front, app_learned: AppLearned) -> tuple[str, str | None] | None:
    """The reason and a remedy; None if the app can have the front."""
    request, learned = app_learned.request, app_learned.learned
    match front:
        case Front.KEEPALIVE:
            return _why_no_kept_fastcgi(request, learned) if request.is_fastcgi else _why_no_keepalive(learned)
        case Front.UNIX:
            return _why_no_socket(app_learned)
        case Front.HAPROXY | Front.CADDY if request.is_fastcgi:
            return "hopcost has it before HTTP alone", None
        case Front.GZIP:
            return _why_no_gzip(learned, compresses=app_learned.compresses)
        case Front.CACHE:
            why = _why_no_cache(request, learned)
            return None if why is None else (why, None)
        case Front.COPIES if request.app.port is not None:
            return f"the app listens on port {request.app.port} whatever it is told, so it cannot run twice", None
    return None


def _why_no_keepalive(learned: Learned) -> tuple[str, str | None] | None:
    if not learned.keeps_connections:
        return "the app closes each connection, so there is nothing to keep", None
    if upstream_timeout_s(learned) is None:
        return f"the app drops idle connections after {learned.idle_timeout_s:.2g} s: too soon to keep them", None
    return None


def _why_no_socket(app_learned: AppLearned) -> tuple[str, str | None] | None:
    app = app_learned.request.app
    if app.mentions(SOCKET):
        return "the app is told a socket anyhow: all stacks reach it over that", None
    if app_learned.request.socket_app is None:
        return "nothing tells the app a socket's path", socket_hint(app.command)
    return None if app_learned.why_no_socket is None else (app_learned.why_no_socket, socket_hint(app.command))


def _why_no_kept_fastcgi(request: FrontRequest, learned: Learned) -> tuple[str, str | None] | None:
    """A process of PHP-FPM belongs to one connection until that is closed: with more of them requests hang."""
    children, connections = learned.processes - 1, request.workload.connections
    if children < 1 or connections <= children:
        return None
    return (
        f"each of the app's {children} processes serves one kept connection, and with {connections} connections"
        " requests would hang",
        f"--connections {children}",
    )


def _why_no_gzip(learned: Learned, *, compresses: bool) -> tuple[str, str | None] | None:
    if learned.body_bytes < COMPRESSED_FROM:
        return f"answers have {learned.body_bytes:,} bytes; it pays from about {COMPRESSED_FROM:,} on", None
    if learned.content_type is None or not TEXT.fullmatch(learned.content_type):
        return f"answers are {learned.content_type or 'of no type'}, which is not text", None
    if compresses or _values(learned.headers, "content-encoding"):
        return "the app compresses its answers itself", None
    return None


def _why_no_cache(request: FrontRequest, learned: Learned) -> str | None:
    """What forbids nginx to keep the answer, or a person to give it to somebody else."""
    if request.workload.method is not Method.GET:
        return f"{request.workload.method.value} is not cached"
    if learned.status != 200:
        return f"answers have status {learned.status}"
    sent = {name.lower() for name, _ in request.workload.headers}
    for name in ("authorization", "cookie"):
        if name in sent:
            return f"the request carries {name.capitalize()}: the answer may be one person's"
    if _values(learned.headers, "set-cookie"):
        return "the answer has Set-Cookie"
    for value in _values(learned.headers, "cache-control"):
        if NOT_CACHED.search(value):
            return f"the answer has Cache-Control: {value}"
    if "*" in _values(learned.headers, "vary"):
        return "the answer has Vary: *"
    return None


def _values(headers: Sequence[tuple[str, str]], name: str) -> list[str]:
    return [value.strip() for header, value in headers if header.lower() == name]
