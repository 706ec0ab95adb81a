"""Requests that meet an nginx all at once: one on each of many connections, so that pools and logs show what they do.

A client that sends one request after the other would never need more than one connection to the app. So nginx is
stopped while a round of requests is sent, and finds them all waiting when it goes on.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator

import msgspec

from hopcost.stacks.client.connection import Connection, HttpAnswer
from hopcost.stacks.running.stack import RunningStack
from hopcost.suites.experiments.workload import Workload

ROUNDS = 3
MOST_CONNECTIONS = 64
MOST_BODY_BYTES = 16_384  # of an upload: so much fits into the socket of a server that is stopped


class Burst(msgspec.Struct, frozen=True):
    """What came of it: the first answer, the connections at one time, and how many the client opened in all."""

    answer: HttpAnswer
    connections: int
    opened: int


def send_burst(stack: RunningStack, workload: Workload, connections: int) -> Burst:
    """Rounds of one request on each connection; what the server closes is opened again. An error of NO_ANSWER."""
    address, method = stack.prepared.address, workload.method.value
    is_small = len(workload.body or b"") <= MOST_BODY_BYTES
    pids = stack.processes[stack.prepared.hops[0].name] if is_small else []
    opened, first = 0, None
    with stack.as_client(), contextlib.ExitStack() as closing:
        links: list[Connection] = []
        for _ in range(ROUNDS):
            links = [link for link in links if link.is_kept]
            while len(links) < connections:
                links.append(closing.enter_context(Connection(address)))
                opened += 1
            with _stopped(pids):
                for link in links:
                    link.send(workload.target, workload.header_fields, method, workload.body)
            answers = [link.read() for link in links]
            first = first or answers[0]
    assert first is not None, "there are rounds and connections"
    return Burst(first, connections, opened)


@contextlib.contextmanager
def _stopped(pids: Iterable[int]) -> Iterator[None]:
    """These processes stand still within; they go on after it whatever happens."""
    pids = list(pids)
    try:
        _signal(pids, signal.SIGSTOP)
        yield
    finally:
        _signal(pids, signal.SIGCONT)


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
