"""What an arm is asked: the workload's request, or that of a running server, which has an address of its own."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from hopcost.errors import ArmFailed
from hopcost.stacks.client import check
from hopcost.stacks.client.connection import CHECK_S, HttpAnswer
from hopcost.stacks.prepare.prepared import PreparedStack
from hopcost.suites.experiments.workload import Workload


class ArmRequest(NamedTuple):
    """One request; `headers` name the host unless it is `localhost`."""

    target: str
    headers: list[tuple[str, str]]
    method: str
    body: bytes | None


def request_of(stack: PreparedStack, workload: Workload) -> ArmRequest:
    """The request that the stack is loaded with; ArmFailed if its body cannot be read any more."""
    server = stack.server
    if server is None:
        return ArmRequest(workload.target, workload.header_fields, workload.method.value, workload.body)
    headers = workload.header_fields
    if not any(name.lower() == "host" for name, _ in headers):
        headers = [("Host", server.host), *headers]
    try:
        body = None if server.body_file is None else Path(server.body_file).read_bytes()
    except OSError as error:
        raise ArmFailed(stack.arm, f"{server.body_file}: {error.strerror}", "the body must stay readable") from error
    return ArmRequest(server.target, headers, server.method, body)


def ask_stack(stack: PreparedStack, workload: Workload) -> HttpAnswer:
    """One request as the load sends it, from the calling thread's namespace, and its answer; ArmFailed without one."""
    request = request_of(stack, workload)
    timeout_s = max(CHECK_S, workload.timeout_s)
    return check.ask(stack.arm, stack.address, request.target, request.headers, request.method, request.body, timeout_s)
