"""A running stack as the engine's plan names it: where it listens, its request, its answer, where its CPU time is."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.programs.generators import engine_plan
from hopcost.programs.generators.beside import EngineIdleConnections, EngineSlowClients
from hopcost.programs.generators.engine_plan import (
    Cgroup,
    EngineArm,
    EngineHop,
    EngineMixed,
    Expect,
    ProcessClocks,
    Request,
    Tls,
)
from hopcost.stacks.attached.request import request_of
from hopcost.stacks.client import check
from hopcost.stacks.client.address import Address
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.stack import Stack
from hopcost.suites.experiments.mix import requests_of
from hopcost.suites.experiments.tls_sessions import TlsSessions
from hopcost.suites.experiments.workload import Workload


def engine_arm(stack: Stack, workload: Workload, expected: Sequence[HttpAnswer]) -> EngineArm:
    """A running stack as the engine's plan names it, with what it answered to each request."""
    address = stack.prepared.address
    asked = zip(requests_of(workload), expected, strict=True)
    mix = [
        EngineMixed(request.name, request.weight, *_request_and_answer(stack, request.workload, answer))
        for request, answer in asked
    ]
    is_mix = workload.mix is not None
    return EngineArm(
        name=stack.arm,
        address={"unix" if address.is_unix else "tcp": address.address},
        network_namespace=stack.network_namespace,
        connections=workload.connections,
        tls=_tls(address, workload) if address.is_tls else None,
        wire="http2" if address.is_http2 else "http",
        streams=workload.streams if address.is_http2 else None,
        timeout_ns=workload.timeout_s * 1_000_000_000,
        freeze=stack.freeze,
        hops=[*_own_hops(stack), *_shared_hops(stack)],
        request=None if is_mix else mix[0].request,
        expect=None if is_mix else mix[0].expect,
        mix=mix if is_mix else [],
        requests_per_connection=workload.requests_per_connection,
        slow_clients=_slow_clients(workload),
        idle_connections=_idle_connections(workload),
    )


def _tls(address: Address, workload: Workload) -> Tls:
    resume = workload.tls_sessions is TlsSessions.RESUMED
    return Tls(address.ca_file, address.server_name, address.verify, resume)


def _slow_clients(workload: Workload) -> EngineSlowClients | None:
    slow = workload.slow_clients
    return None if slow is None or not slow.number else EngineSlowClients(slow.number, slow.bytes_per_s)


def _idle_connections(workload: Workload) -> EngineIdleConnections | None:
    idle = workload.idle_connections
    return None if idle is None or not idle.number else EngineIdleConnections(idle.number, idle.every_ns)


def _request_and_answer(stack: Stack, workload: Workload, answer: HttpAnswer) -> tuple[Request, Expect]:
    asked = request_of(stack.prepared, workload)
    request = engine_plan.engine_request(asked.target, asked.headers, asked.method, asked.body)
    return request, check.expect_under_load(answer, workload.expect)


def _own_hops(stack: Stack) -> list[EngineHop]:
    return [EngineHop(name, _cpu(stack.account_of(name), pids)) for name, pids in stack.processes.items()]


def _shared_hops(stack: Stack) -> list[EngineHop]:
    """The services that its apps use, as far as their CPU time can be read."""
    known = [service for service in stack.services if service.why_unknown is None]
    return [EngineHop(service.name, _cpu(service.account, service.pids), shared=True) for service in known]


def _cpu(account: str | None, pids: list[int]) -> ProcessClocks | Cgroup:
    """Where a hop's CPU time is read: the clocks of its processes, unless they come and go and a cgroup counts them."""
    return ProcessClocks(processes=pids) if account is None else Cgroup(cgroup=account)
