"""Whether a server lets a client resume its TLS session: two connections, the second with the session of the first."""

from __future__ import annotations

import ssl
from collections.abc import Sequence

from hopcost.programs.generators import engine_plan
from hopcost.stacks.client.address import Address
from hopcost.stacks.client.connection import CHECK_S


def resumes_sessions(address: Address, target: str, headers: Sequence[tuple[str, str]]) -> bool | None:
    """Whether it did; None if one of the two had no answer, or it speaks no TLS."""
    if not address.is_tls:
        return None
    context = address.trust()
    try:
        session, _ = _connect(address, context, None, target, headers)
        _, is_resumed = _connect(address, context, session, target, headers)
    except OSError:
        return None
    return is_resumed


def _connect(
    address: Address,
    context: ssl.SSLContext,
    session: ssl.SSLSession | None,
    target: str,
    headers: Sequence[tuple[str, str]],
) -> tuple[ssl.SSLSession | None, bool]:
    """The session of a connection with one request, and whether it was resumed. In TLS 1.3 it comes with the answer."""
    fields = "".join(f"{name}: {value}\r\n" for name, value in engine_plan.with_host(headers))
    with address.connect(CHECK_S, context, session) as connection:
        assert isinstance(connection, ssl.SSLSocket), "it speaks TLS"
        connection.sendall(f"GET {target} HTTP/1.1\r\n{fields}Connection: close\r\n\r\n".encode())
        while connection.recv(65536):
            pass
        return connection.session, bool(connection.session_reused)
