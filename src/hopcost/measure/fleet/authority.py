"""A certificate authority for one run: it signs the agent's certificate and the generators', and nobody else trusts it.

Its key signs these and is kept nowhere.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

STACKS, GENERATOR = "s", "g"  # the names in the certificates, and those of `--on`
AUTHORITY = "ca.pem"
VALID = datetime.timedelta(hours=24)  # to both sides: the machines' clocks may differ


def generator_names(count: int) -> list[str]:
    """Those in the certificates of so many generators.

    >>> generator_names(1), generator_names(2)
    (['g'], ['g1', 'g2'])
    """
    return [GENERATOR] if count == 1 else [f"{GENERATOR}{number}" for number in range(1, count + 1)]


def certificate_of(name: str) -> str:
    """The file of a certificate."""
    return f"{name}.pem"


def key_of(name: str) -> str:
    """The file of its key."""
    return f"{name}.key"


def make_certificates(names: Iterable[str] = (STACKS, GENERATOR)) -> dict[str, bytes]:
    """PEM by file name: the authority's certificate, and for each name a certificate and its key (P-256)."""
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = _sign("hopcost run", authority_key.public_key(), None, authority_key)
    files = {AUTHORITY: authority.public_bytes(serialization.Encoding.PEM)}
    for name in names:
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _sign(name, key.public_key(), authority, authority_key)
        files[certificate_of(name)] = certificate.public_bytes(serialization.Encoding.PEM)
        files[key_of(name)] = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    return files


def _sign(
    name: str,
    key: ec.EllipticCurvePublicKey,
    authority: x509.Certificate | None,
    authority_key: ec.EllipticCurvePrivateKey,
) -> x509.Certificate:
    """A certificate for the name; without an authority that of the authority itself."""
    is_authority = authority is None
    now = datetime.datetime.now(datetime.UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        encipher_only=False,
        decipher_only=False,
    )
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if authority is None else authority.subject)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - VALID)
        .not_valid_after(now + VALID)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=0 if is_authority else None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False)
    )
    if not is_authority:
        both = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = builder.add_extension(x509.ExtendedKeyUsage(both), critical=False)
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    return builder.sign(authority_key, hashes.SHA256())
