"""Certificates and keys have the kind and the size that they are asked for, and fit each other."""

from __future__ import annotations

import base64

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from hopcost.stacks.jail.made.keys import make_dhparam, make_pair, make_ticket_key


@pytest.mark.parametrize(("kind", "bits", "expected"), [("rsa", 2048, 2048), ("ec", 384, 384), ("ec", 224, 256)])
def test_a_pair_is_of_the_originals_kind_and_size(kind: str, bits: int, expected: int) -> None:
    pem, key_pem = make_pair(kind, bits, ("www.example.com", "127.0.0.1", "*.example.com"))
    certificate = x509.load_pem_x509_certificate(pem.encode())
    key = serialization.load_pem_private_key(key_pem.encode(), None)
    assert isinstance(key, rsa.RSAPrivateKey if kind == "rsa" else ec.EllipticCurvePrivateKey)
    assert key.key_size == expected
    assert certificate.public_key() == key.public_key()
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["www.example.com", "*.example.com"]
    assert len(names.get_values_for_type(x509.IPAddress)) == 1


def test_a_pair_is_made_once() -> None:
    assert make_pair("ec", 256, ("a",)) is make_pair("ec", 256, ("a",))


@pytest.mark.parametrize("bits", [2048, 4096])
def test_the_group_is_the_one_of_rfc_7919(bits: int) -> None:
    body = base64.b64decode("".join(make_dhparam(bits).splitlines()[1:-1]))
    length = bits // 8 + 1
    assert body[0] == 0x30 and body[-3:] == b"\x02\x01\x02"
    prime = int.from_bytes(body[-3 - length : -3], "big")
    assert prime.bit_length() == bits
    assert f"{prime:x}".startswith("ffffffffffffffffadf85458a2bb4a9aafdc5620273d3cf1")  # of all these groups
    assert pow(2, prime - 1, prime) == 1 and pow(2, prime // 2, prime) == 1


def test_ticket_keys_are_as_long_as_asked() -> None:
    assert len(make_ticket_key(48)) == 48
