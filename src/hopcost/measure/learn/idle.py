"""Whether an app keeps connections, and for how long if nothing is asked on them."""

from __future__ import annotations

import msgspec

from hopcost.errors import ArmFailed
from hopcost.stacks.connection import NO_ANSWER, Connection
from hopcost.stacks.sandbox import namespaces
from hopcost.stacks.stack import RunningStack
from hopcost.suites.arm import Link
from hopcost.suites.experiment import Workload

WATCHED_S = 8.0  # gunicorn closes after 2, Node and uvicorn after 5 to 7


class Keeping(msgspec.Struct, frozen=True):
    """Whether connections are kept; their idle time-out, None if they outlast WATCHED_S or none is kept; why not."""

    keeps_connections: bool
    idle_timeout_s: float | None = None
    note: str | None = None


CLOSES = Keeping(keeps_connections=False, note="it closes each connection after its answer")
FASTCGI = Keeping(
    keeps_connections=False, note="it speaks FastCGI: its connections are the business of the hop before it"
)


def watch_idle(stack: RunningStack, workload: Workload) -> Keeping:
    """Two requests on one connection to the app itself, the last hop; then nothing, until it closes or time is over.

    ArmFailed if the app is gone.
    """
    app = stack.prepared.hops[-1]
    if Link(app.address.link) in (Link.FASTCGI_TCP, Link.FASTCGI_UNIX):
        return FASTCGI
    try:
        with (
            namespaces.inside(stack.session.namespace),
            Connection(app.address, workload.timeout_s) as connection,
        ):
            return _watch(connection, workload)
    except NO_ANSWER as error:
        raise ArmFailed(stack.arm, f"it answered, and does so no more: {stack.failure() or repr(error)}") from error


def _watch(connection: Connection, workload: Workload) -> Keeping:
    request = (workload.target, workload.header_fields, workload.method.value, workload.body)
    connection.ask(*request)
    try:
        if connection.is_kept:
            connection.ask(*request)
    except NO_ANSWER:  # closed without a word
        return CLOSES
    if not connection.is_kept:
        return CLOSES
    ended_s = connection.wait_for_end(WATCHED_S)
    return Keeping(keeps_connections=True, idle_timeout_s=None if ended_s is None else round(ended_s, 1))
