"""The certificate of a stack: for one address, believed by those who are told to, and by nobody else."""

from __future__ import annotations

import socket
import ssl
import threading
from pathlib import Path

import pytest

from hopcost.stacks.client.address import Address
from hopcost.stacks.prepare import certificate
from hopcost.stacks.prepare.certificate import CERTIFICATE, KEY


def serve_once(folder: Path, ip: str) -> tuple[Address, threading.Thread]:
    """A TLS server with a certificate for this address, on the loopback, that says one word."""
    for name, text in certificate.make_certificate(ip).items():
        (folder / name).write_text(text)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / CERTIFICATE, folder / KEY)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0] as connection:
            try:
                with context.wrap_socket(connection, server_side=True) as tls:
                    tls.sendall(b"well")
            except OSError:
                pass  # the client did not believe it

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    return Address(link="https+tcp", address=address, ca_file=str(folder / CERTIFICATE)), thread


def test_who_trusts_the_certificate_gets_through(tmp_path: Path) -> None:
    address, server = serve_once(tmp_path, "127.0.0.1")
    with address.connect(10.0) as connection:
        assert connection.recv(16) == b"well"
    server.join()


def test_nobody_else_does(tmp_path: Path) -> None:
    address, server = serve_once(tmp_path, "127.0.0.1")
    with pytest.raises(ssl.SSLCertVerificationError, match=r"self.signed"):
        Address(link=address.link, address=address.address).connect(10.0)
    server.join()


def test_it_is_for_its_address_alone(tmp_path: Path) -> None:
    address, server = serve_once(tmp_path, "198.18.0.1")
    with pytest.raises(ssl.SSLCertVerificationError, match=r"127\.0\.0\.1"):
        address.connect(10.0)
    server.join()
