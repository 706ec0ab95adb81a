"""Whether an app keeps connections, and for how long if nothing is asked on them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from hopcost.errors import ArmFailed
from hopcost.stacks.attached.request import ArmRequest
from hopcost.stacks.client.connection import NO_ANSWER, Connection
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox import namespaces
from hopcost.suites.arms.arm import Link
from hopcost.suites.experiments.workload import Workload

WATCHED_S = 8.0  # gunicorn closes after 2, Node and uvicorn after 5 to 7
LOOK_S = 0.25  # how often somebody is asked whether to go on


class Keeping(msgspec.Struct, frozen=True):
    """Whether connections are kept; their idle time-out, None if they outlast WATCHED_S or none is kept; why not."""

    keeps_connections: bool
    idle_timeout_s: float | None = None
    note: str | None = None


KEEPS = Keeping(keeps_connections=True)
CLOSES = Keeping(keeps_connections=False, note="it closes each connection after its answer")
FASTCGI = Keeping(
    keeps_connections=False, note="it speaks FastCGI: its connections are the business of the hop before it"
)


def watch_idle(stack: RunningStack, workload: Workload) -> Keeping:
    """Two requests on one connection to the app itself, the last hop; then nothing, until it closes or time is over.

    ArmFailed if the app is gone.
    """
    if _speaks_fastcgi(stack):
        return FASTCGI
    try:
        return _watch_app(stack, workload, workload.header_fields, WATCHED_S)
    except NO_ANSWER as error:
        raise ArmFailed(
            stack.arm, f"it answered, and does so no more: {stack.failure() or repr(error)}", "see the app's own log"
        ) from error


def keeps_when_upgrading(stack: RunningStack, workload: Workload) -> bool | None:
    """Whether the app keeps a connection whose requests say `Connection: upgrade`, and no more of what they want.

    None if it speaks FastCGI, or does not answer such a request.
    """
    if _speaks_fastcgi(stack):
        return None
    try:
        return _watch_app(stack, workload, [*workload.header_fields, ("Connection", "upgrade")], 0.0).keeps_connections
    except NO_ANSWER:
        return None


def _speaks_fastcgi(stack: RunningStack) -> bool:
    return Link(stack.prepared.hops[-1].address.link) in (Link.FASTCGI_TCP, Link.FASTCGI_UNIX)


def _watch_app(stack: RunningStack, workload: Workload, headers: list[tuple[str, str]], most_s: float) -> Keeping:
    """A connection to the app itself, the last hop."""
    request = ArmRequest(workload.target, headers, workload.method.value, workload.body)
    with (
        namespaces.inside(stack.session.namespace),
        Connection(stack.prepared.hops[-1].address, workload.timeout_s) as connection,
    ):
        return watch_connection(connection, request, most_s)


def watch_connection(
    connection: Connection, request: ArmRequest, most_s: float, goes_on: Callable[[], bool] = lambda: True
) -> Keeping:
    """Two requests on it; then nothing, until it closes, time is over or nobody wants to know any more.

    An error of NO_ANSWER if the first one has no answer.
    """
    connection.ask(*request)
    try:
        if connection.is_kept:
            connection.ask(*request)
    except NO_ANSWER:  # closed without a word
        return CLOSES
    if not connection.is_kept:
        return CLOSES
    waited_s = 0.0
    while waited_s < most_s and goes_on():
        step_s = min(LOOK_S, most_s - waited_s)
        ended_s = connection.wait_for_end(step_s)
        if ended_s is not None:
            return Keeping(keeps_connections=True, idle_timeout_s=round(waited_s + ended_s, 1))
        waited_s += step_s
    return KEEPS
