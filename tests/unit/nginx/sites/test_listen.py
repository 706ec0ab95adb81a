"""`listen` is read as nginx reads it."""

from __future__ import annotations

import pytest

from hopcost.nginx.sites.listen import listens_of
from hopcost.nginx.tree import parse_file


@pytest.mark.parametrize(
    ("words", "host", "port", "is_tls"),
    [
        ("80", "*", 80, False),
        ("*:81", "*", 81, False),
        ("10.0.0.1:82 ssl", "10.0.0.1", 82, True),
        ("[::]:443 ssl http2", "[::]", 443, True),
        ("10.0.0.1", "10.0.0.1", 80, False),
        ("[::1]", "[::1]", 80, False),
        ("localhost:8000", "localhost", 8000, False),
        ("unix:/run/a.sock ssl", "/run/a.sock", None, True),
    ],
)
def test_a_listen(words: str, host: str, port: int | None, is_tls: bool) -> None:
    (server,) = parse_file(f"server {{ listen {words}; }}", "a")
    (listen,) = listens_of(server)
    assert (listen.host, listen.port, listen.is_tls) == (host, port, is_tls)
    assert listen.can_be_loaded is (port is not None)


def test_a_server_without_listen_has_port_80_and_ssl_on_is_of_all() -> None:
    (server,) = parse_file("server { ssl on; }", "a")
    (listen,) = listens_of(server)
    assert (listen.directive, listen.port, listen.is_tls, listen.is_default) == (None, 80, True, False)


def test_quic_and_the_proxy_protocol_cannot_be_loaded() -> None:
    (server,) = parse_file("server { listen 443 quic; listen 80 proxy_protocol; listen 81 default_server; }", "a")
    assert [(listen.can_be_loaded, listen.is_default) for listen in listens_of(server)] == [
        (False, False),
        (False, False),
        (True, True),
    ]
