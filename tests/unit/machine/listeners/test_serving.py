"""Which socket gets a connection: exact addresses, wildcards, both families."""

from __future__ import annotations

import socket
from ipaddress import ip_address

import pytest

from hopcost.machine.listeners import serving
from hopcost.machine.listeners.listening import ListeningSocket, TcpAddress, words_of
from hopcost.machine.listeners.serving import find_serving, to_ip

OWN = {ip_address("127.0.0.1"), ip_address("::1"), ip_address("10.1.2.3")}


def listener(ip: str, inode: int, port: int = 80, *, serves_ipv4: bool = True) -> ListeningSocket:
    tcp = TcpAddress(ip_address(ip), port, serves_ipv4)
    return ListeningSocket(words_of(tcp), inode, 0, tcp=tcp)


def serving_inodes(sockets: list[ListeningSocket], ip: str) -> list[int]:
    return [each.inode for each in find_serving(sockets, to_ip(ip), 80, OWN)]


def test_the_exact_address_comes_before_a_wildcard() -> None:
    sockets = [listener("0.0.0.0", 1), listener("127.0.0.1", 2), listener("::", 3)]
    assert serving_inodes(sockets, "127.0.0.1") == [2]
    assert serving_inodes(sockets, "10.1.2.3") == [1]
    assert serving_inodes(sockets, "::1") == [3]


def test_all_of_loopback_is_served_by_a_wildcard() -> None:
    assert serving_inodes([listener("0.0.0.0", 1)], "127.9.9.9") == [1]


def test_an_ipv6_wildcard_serves_ipv4_unless_it_says_otherwise() -> None:
    assert serving_inodes([listener("::", 1)], "127.0.0.1") == [1]
    assert serving_inodes([listener("::", 1, serves_ipv4=False)], "127.0.0.1") == []


def test_a_wildcard_does_not_serve_addresses_of_other_machines() -> None:
    sockets = [listener("0.0.0.0", 1), listener("::", 2)]
    assert serving_inodes(sockets, "192.0.2.1") == serving_inodes(sockets, "2001:db8::1") == []


def test_all_sockets_that_share_an_address_serve_it() -> None:
    assert serving_inodes([listener("0.0.0.0", 1), listener("0.0.0.0", 2)], "127.0.0.1") == [1, 2]


def test_another_port_and_a_unix_socket_are_nobodys() -> None:
    sockets = [listener("127.0.0.1", 1, port=81), ListeningSocket("unix:/run/x", 2, 0)]
    assert serving_inodes(sockets, "127.0.0.1") == []


def test_a_name_that_nobody_knows_has_no_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> object:
        raise OSError("Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert serving.resolve("nobody.invalid") == []


@pytest.mark.parametrize(("host", "ip"), [("127.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("0.0.0.0", "127.0.0.1")])
def test_addresses_resolve_to_themselves(host: str, ip: str) -> None:
    assert serving.resolve(host) == [ip_address(ip)]


def test_loopback_is_among_this_machines_addresses() -> None:
    assert ip_address("127.0.0.1") in serving.own_addresses()
