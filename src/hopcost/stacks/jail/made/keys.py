"""Certificates and keys of a jail: of the kind and size that the originals have, and never the originals.

They are made once per process: all arms have the same, and no start waits for a key.
"""

from __future__ import annotations

import base64
import datetime
import ipaddress
import os
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from hopcost.stacks.prepare.certificate import VALID

TICKET_KEY_BYTES = 80
CURVES: dict[int, ec.EllipticCurve] = {256: ec.SECP256R1(), 384: ec.SECP384R1(), 521: ec.SECP521R1()}
RSA_BITS = (2048, 3072, 4096)
GROUPS = {2048: (1918, 560_316), 3072: (2942, 2_625_351), 4096: (3966, 5_736_041)}  # RFC 7919, appendix A


@cache
def make_pair(kind: str, bits: int, hosts: tuple[str, ...]) -> tuple[str, str]:
    """A certificate for these hosts that signs itself, and its key, both in PEM; `kind` is `rsa` or `ec`.

    As that of other stacks it is no authority: who trusts it trusts one server.
    """
    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
    if kind == "ec":
        key = ec.generate_private_key(CURVES.get(bits, CURVES[256]))
    else:
        key = rsa.generate_private_key(65_537, next((known for known in RSA_BITS if bits <= known), RSA_BITS[-1]))
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a hopcost jail")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - VALID)
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectAlternativeName([_name(host) for host in dict.fromkeys(hosts)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return (
        certificate.public_bytes(serialization.Encoding.PEM).decode(),
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode(),
    )


def _name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


@cache
def make_dhparam(bits: int = 2048) -> str:
    """The Diffie-Hellman group of RFC 7919 of about so many bits, in PEM: a new one would take seconds."""
    bits = min(GROUPS, key=lambda known: abs(known - bits))
    digits, more = GROUPS[bits]
    prime = (1 << bits) - (1 << (bits - 64)) + ((_e_times_power_of_two(digits) + more) << 64) - 1
    body = _der(0x02, _bytes(prime)) + _der(0x02, _bytes(2))  # PKCS #3: a sequence of the prime and the generator
    lines = base64.encodebytes(_der(0x30, body)).decode()
    return f"-----BEGIN DH PARAMETERS-----\n{lines}-----END DH PARAMETERS-----\n"


def _der(tag: int, content: bytes) -> bytes:
    """A value of ASN.1, shorter than 64 KiB."""
    length = len(content)
    head = bytes([length]) if length < 0x80 else bytes([0x82, length >> 8, length & 0xFF])
    return bytes([tag]) + head + content


def _bytes(number: int) -> bytes:
    """With a sign bit, which is 0."""
    return number.to_bytes(number.bit_length() // 8 + 1, "big")


def _e_times_power_of_two(digits: int) -> int:
    """⌊e · 2^digits⌋, by the series of 1/k! with 64 more binary digits."""
    term = total = 1 << (digits + 64)
    number = 1
    while term:
        term //= number
        total += term
        number += 1
    return total >> 64


@cache
def make_ticket_key(length: int = TICKET_KEY_BYTES) -> bytes:
    """A key of session tickets."""
    return os.urandom(length)
