"""What each server does with connections that are open and idle: drops them after a while, or answers no others."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import msgspec

from hopcost.measure.learn.idle import KEEPS, Keeping, watch_connection
from hopcost.measure.protocols.versus.answers import NOWHERE
from hopcost.measure.protocols.versus.find import Found
from hopcost.plan.method import METHOD
from hopcost.stacks.attached.request import ArmRequest, request_of
from hopcost.stacks.attached.stack import AttachedStack
from hopcost.stacks.client.address import Address
from hopcost.stacks.client.connection import NO_ANSWER, Connection
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.suites.arms.arm import Link
from hopcost.suites.arms.server import RunningServer
from hopcost.suites.experiments.workload import Workload

MOST_OPENED = 1000  # idle connections of one set; servers with so many workers are not short of them
APART_S = 0.0002  # a short queue of new connections must not overflow
MOST_ASKING_S = 5.0  # one after the other
PATIENCE_S = 2.0  # for an answer beside idle connections, and
PATIENCE_FACTOR = 3.0  # times what an answer takes without them


def learn_connections(servers: Sequence[Found], workload: Workload, gap_s: float) -> list[Found]:
    """The servers with what was learned of each, all at once.

    `gap_s` is the longest time between two turns of a server. Idle connections are watched for so long, and no longer
    than until something has shown that they cannot wait for their next turn.
    """
    raise_open_files()
    is_decided = threading.Event()
    if gap_s > METHOD.max_idle_watch_s:
        is_decided.set()
    by_address = {server.server.address: server for server in reversed(servers)}
    with ThreadPoolExecutor(len(by_address)) as pool:
        try:
            learned = pool.map(lambda server: _learn(server, workload, gap_s, is_decided), by_address.values())
            of_address = dict(zip(by_address, learned, strict=True))
        finally:
            is_decided.set()  # after Ctrl-C nobody watches on
    return [
        msgspec.structs.replace(server, server=_with(server.server, *of_address[server.server.address]))
        for server in servers
    ]


class Blocking(msgspec.Struct, frozen=True):
    """Beside how many open connections a server does not answer: new ones, and such as had an answer; None: it does."""

    idle: int | None = None
    kept: int | None = None


def _with(server: RunningServer, keeping: Keeping, blocking: Blocking) -> RunningServer:
    return msgspec.structs.replace(
        server,
        keeps_connections=keeping.keeps_connections,
        idle_timeout_s=keeping.idle_timeout_s,
        blocked_by_idle=blocking.idle,
        blocked_by_kept=blocking.kept,
    )


def _learn(server: Found, workload: Workload, gap_s: float, is_decided: threading.Event) -> tuple[Keeping, Blocking]:
    """What it does with idle connections, and beside how many it does not answer."""
    unfrozen = msgspec.structs.replace(server.server, freeze=False)
    with AttachedStack(server.name, unfrozen, NOWHERE) as stack:
        address, request = stack.prepared.address, request_of(stack.prepared, workload)
    keeping, blocking = KEEPS, Blocking()
    try:
        began_s = time.monotonic()
        _ask(address, request, workload.timeout_s)
        usual_s = time.monotonic() - began_s
        patience_s = min(workload.timeout_s, PATIENCE_S + PATIENCE_FACTOR * usual_s)
        blocking = Blocking(find_blocking(address, request, workload.connections, patience_s))
        if blocking.idle is not None:
            is_decided.set()
        with Connection(address, workload.timeout_s) as connection:
            keeping = watch_connection(connection, request, gap_s, lambda: not is_decided.is_set())
        if keeping.idle_timeout_s is not None:
            is_decided.set()
        if blocking.idle is not None and keeping.keeps_connections:
            kept = find_blocking_kept(address, request, workload.connections, patience_s)
            blocking = msgspec.structs.replace(blocking, kept=kept)
    except NO_ANSWER:  # it has answered before: the first batch asks it again, and says what is wrong
        pass
    return keeping, blocking


def find_blocking(address: Address, request: ArmRequest, connections: int, patience_s: float) -> int | None:
    """Beside how many new, idle connections a server does not answer; None if it answers beside two sets of them.

    The first set are those of an arm, the second those of the same server's second run.
    """
    raw = _without_handshake(address)
    with ExitStack() as idle:
        opened = 0
        for set_of_them in (1, 2):
            wanted = set_of_them * min(connections, MOST_OPENED) - 1
            opened += _open(raw, wanted - opened, patience_s, idle)
            if opened and not _answers(address, request, patience_s):
                return opened
            if opened < wanted:
                return None
    return None


def find_blocking_kept(address: Address, request: ArmRequest, connections: int, patience_s: float) -> int | None:
    """Beside how many connections that are idle behind an answer a server does not answer; None if it does beside all.

    gunicorn's threads wait for the first request of a connection, and for no other one; a prefork server's workers wait
    for each.
    """
    end_s = time.monotonic() + MOST_ASKING_S
    with ExitStack() as kept:
        for opened in range(min(connections, MOST_OPENED)):
            if time.monotonic() > end_s:
                return None
            try:
                kept.enter_context(Connection(address, patience_s)).ask(*request)
            except NO_ANSWER:
                return opened or None
    return None


def _open(address: Address, count: int, timeout_s: float, idle: ExitStack) -> int:
    """How many of so many connections could be opened: a full queue of new ones, or this machine, may end it."""
    for opened in range(count):
        try:
            idle.enter_context(address.connect(timeout_s))
        except OSError:
            return opened
        time.sleep(APART_S)
    return count


def _ask(address: Address, request: ArmRequest, timeout_s: float) -> None:
    with Connection(address, timeout_s) as connection:
        connection.ask(*request)


def _answers(address: Address, request: ArmRequest, timeout_s: float) -> bool:
    try:
        _ask(address, request, timeout_s)
    except NO_ANSWER:
        return False
    return True


def _without_handshake(address: Address) -> Address:
    """The same place without TLS: what counts is who is connected, and a busy worker shakes no hands."""
    return msgspec.structs.replace(address, link=Link.HTTP_TCP.value) if address.is_tls else address
