"""A running stack as the engine's plan names it: where it listens, its request, its answer, where its CPU time is."""

from __future__ import annotations

from hopcost.programs.generators import engine_protocol
from hopcost.programs.generators.beside import EngineIdleConnections, EngineSlowClients
from hopcost.programs.generators.engine_protocol import (
    Cgroup,
    EngineArm,
    EngineHop,
    ProcessClocks,
    Tls,
)
from hopcost.stacks.attached.request import request_of
from hopcost.stacks.client import check
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.stack import Stack
from hopcost.suites.experiments.experiment import Workload


def engine_arm(stack: Stack, workload: Workload, expected: HttpAnswer) -> EngineArm:
    """A running stack as the engine's plan names it."""
    address, request = stack.prepared.address, request_of(stack.prepared, workload)
    return EngineArm(
        name=stack.arm,
        address={"unix" if address.is_unix else "tcp": address.address},
        network_namespace=stack.network_namespace,
        connections=workload.connections,
        tls=Tls(address.ca_file, address.server_name, address.verify) if address.is_tls else None,
        timeout_ns=workload.timeout_s * 1_000_000_000,
        request=engine_protocol.engine_request(request.target, request.headers, request.method, request.body),
        expect=check.expect_under_load(expected, workload.expect),
        freeze=stack.freeze,
        hops=[*_own_hops(stack), *_shared_hops(stack)],
        requests_per_connection=workload.requests_per_connection,
        slow_clients=_slow_clients(workload),
        idle_connections=_idle_connections(workload),
    )


def _slow_clients(workload: Workload) -> EngineSlowClients | None:
    slow = workload.slow_clients
    return None if slow is None or not slow.number else EngineSlowClients(slow.number, slow.bytes_per_s)


def _idle_connections(workload: Workload) -> EngineIdleConnections | None:
    idle = workload.idle_connections
    return None if idle is None or not idle.number else EngineIdleConnections(idle.number, idle.every_ns)


def _own_hops(stack: Stack) -> list[EngineHop]:
    return [EngineHop(name, _cpu(stack.account_of(name), pids)) for name, pids in stack.processes.items()]


def _shared_hops(stack: Stack) -> list[EngineHop]:
    """The services that its apps use, as far as their CPU time can be read."""
    known = [service for service in stack.services if service.why_unknown is None]
    return [EngineHop(service.name, _cpu(service.account, service.pids), shared=True) for service in known]


def _cpu(account: str | None, pids: list[int]) -> ProcessClocks | Cgroup:
    """Where a hop's CPU time is read: the clocks of its processes, unless they come and go and a cgroup counts them."""
    return ProcessClocks(processes=pids) if account is None else Cgroup(cgroup=account)
