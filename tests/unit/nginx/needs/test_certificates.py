"""Certificates are made with the kind of key that the original has, and where one is lacking it is added."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from texts.nginx_texts import configuration_of, own

from hopcost.nginx.needs.certificates import Certificate, certificate_edits, find_certificates
from hopcost.nginx.tree import walk

Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


def pem_of(key: Key) -> bytes:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a.b")])
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, start, start + datetime.timedelta(days=1))
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


TLS = "server { listen 443 ssl; server_name .a.b; ssl_certificate NAME; ssl_certificate_key k.pem; }"


@pytest.mark.parametrize("name", ["certs/c.pem", "/etc/nginx/certs/c.pem", "/etc/ssl/c.pem"])
@pytest.mark.parametrize("kind", ["rsa", "ec"])
def test_the_key_is_of_the_original_s_kind_and_size(tmp_path: Path, name: str, kind: str) -> None:
    key: Key = rsa.generate_private_key(65537, 1024) if kind == "rsa" else ec.generate_private_key(ec.SECP384R1())
    inner = name.removeprefix("/etc/nginx/")
    path = tmp_path / "machine" / inner.lstrip("/") if inner.startswith("/") else tmp_path / inner
    path.parent.mkdir(parents=True)
    path.write_bytes(pem_of(key))
    configuration = configuration_of(tmp_path, TLS.replace("NAME", name))
    (found,) = find_certificates(configuration, tmp_path / "machine")
    whole = name if name.startswith("/") else f"/etc/nginx/{name}"
    bits = 1024 if kind == "rsa" else 384
    assert found == Certificate(whole, "/etc/nginx/k.pem", ("a.b",), kind, bits, is_assumed=False)


def test_without_the_original_the_kind_is_a_guess_and_says_so(tmp_path: Path) -> None:
    (found,) = find_certificates(configuration_of(tmp_path, TLS.replace("NAME", "c.pem")), tmp_path)
    assert (found.kind, found.bits, found.is_assumed) == ("rsa", 2048, True)


def test_a_certificate_of_all_servers_holds_all_their_names(tmp_path: Path) -> None:
    servers = "server { listen 443 ssl; server_name a.b; } server { server_name c.d; }"
    text = f"ssl_certificate c; ssl_certificate_key k; {servers}"
    (found,) = find_certificates(configuration_of(tmp_path, text), tmp_path)
    assert found.hosts == ("a.b", "c.d")


def test_a_server_without_a_certificate_gets_one_and_keeps_its_lines() -> None:
    configuration = own("no-certificate")
    (edit,) = certificate_edits(configuration)
    changed = configuration.with_edits([edit])
    lines = [found.line for found, _ in walk(changed) if found.name == "proxy_pass"]
    assert lines == [found.line for found, _ in walk(configuration) if found.name == "proxy_pass"]
    assert certificate_edits(changed) == []
    assert [found.path for found in find_certificates(changed)] == [
        found.path for found in find_certificates(configuration)
    ]


def test_a_server_that_has_one_or_refuses_handshakes_gets_none(tmp_path: Path) -> None:
    text = TLS.replace("NAME", "c") + "server { listen 444 ssl; ssl_reject_handshake on; } server { listen 80; }"
    assert certificate_edits(configuration_of(tmp_path, text)) == []
