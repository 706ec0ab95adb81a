"""The certificate of a stack whose first hop speaks TLS: made anew for each start, trusted by its clients alone."""

from __future__ import annotations

import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CERTIFICATE, KEY = "tls.crt", "tls.key"  # in the stack's directory
VALID = datetime.timedelta(days=7)


def make_certificate(ip: str) -> dict[str, str]:
    """The certificate for a server at this address, and its key, in PEM, by file name.

    It signs itself and is no authority: who trusts it trusts one server. P-256, because that is what most sites have,
    and its key is made in a millisecond.

    trustme does not make this kind: its certificates are signed by an authority of their own. The server's file would
    then not be the one that clients trust, and the certificate that each handshake carries would be another one.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    hosts = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(ip)), x509.DNSName("localhost")])
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a hopcost stack")])
    now = datetime.datetime.now(datetime.UTC)
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - VALID)  # a clock that is set back must not spoil a run
        .not_valid_after(now + VALID)
        .add_extension(hosts, critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return {
        CERTIFICATE: certificate.public_bytes(serialization.Encoding.PEM).decode(),
        KEY: key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode(),
    }
