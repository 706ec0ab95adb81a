"""What shows when TLS begins: whether a client may resume its session, and which protocol both sides agree on."""

from __future__ import annotations

import ssl
from collections.abc import Sequence

from hopcost.programs.generators import engine_plan
from hopcost.stacks.client.address import Address
from hopcost.stacks.client.connection import CHECK_S

HTTP2, HTTP1 = "h2", "http/1.1"  # in ALPN


def agreed_protocol(address: Address) -> str | None:
    """`h2` or `http/1.1`, for a client that speaks both; None if there was no handshake, or nothing was agreed on."""
    if not address.is_tls:
        return None
    context = address.trust()
    context.set_alpn_protocols([HTTP2, HTTP1])
    try:
        with address.connect(CHECK_S, context) as connection:
            assert isinstance(connection, ssl.SSLSocket), "it speaks TLS"
            return connection.selected_alpn_protocol()
    except OSError:
        return None


def resumes_sessions(address: Address, target: str, headers: Sequence[tuple[str, str]]) -> bool | None:
    """Whether the second of two connections had the session of the first; None if one of them had no answer, or it
    speaks no TLS.
    """
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
