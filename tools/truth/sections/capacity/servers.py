"""The servers of known capacity that the searches are tried on, real and simulated."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from tools.truth.sections.capacity.simulated import QueueServer, simulated_capacity
from tools.truth.sections.capacity.waiting import capacity

SHARE = 0.01  # of requests that p99 lets be slow
SIMULATED_S = 2000.0


class Known(msgspec.Struct, frozen=True):
    """A server with a queue, the time that its p99 must stay below, and how unlike its starts are."""

    server: QueueServer
    p99_s: float
    restart_spread: float = 0.0

    @property
    def per_s(self) -> float:
        """Its capacity: by formula, or simulated if it pauses."""
        return _capacity_per_s(self.server, self.p99_s)

    @property
    def settings(self) -> str:
        """Of the program `origin`, as a suite has them."""
        server = self.server
        return (
            f"queue_us = {round(server.service_s * 1e6)}, servers = {server.servers},"
            f" pause_ms = {round(server.pause_s * 1e3)}, pause_every_ms = {round(server.period_s * 1e3)}"
        )


SERVERS = {
    "one, 1 ms": QueueServer(service_s=0.001),
    "two, 1 ms": QueueServer(service_s=0.001, servers=2),
    "one, 0.5 ms, pauses of 50 ms each second": QueueServer(service_s=0.0005, pause_s=0.05),
}


def known(name: str, services: int, restart_spread: float = 0.0) -> Known:
    """One of the servers, with a limit of so many service times beside its pause."""
    server = SERVERS[name]
    return Known(server, server.pause_s + services * server.service_s, restart_spread)


@lru_cache(maxsize=64)
def _capacity_per_s(server: QueueServer, p99_s: float) -> float:
    if server.pause_s:
        return simulated_capacity(server, p99_s, SHARE, SIMULATED_S)
    return capacity(p99_s / server.service_s, SHARE, server.servers) * server.servers / server.service_s
