"""Certificates of a run: who signed them, for whom they are, for how long."""

from __future__ import annotations

import datetime

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.x509.oid import ExtendedKeyUsageOID

from hopcost.measure.fleet.authority import AUTHORITY, certificate_of, key_of, make_certificates

FILES = make_certificates(["s", "g"])


def certificate(name: str) -> x509.Certificate:
    return x509.load_pem_x509_certificate(FILES[name])


def test_there_is_an_authority_without_its_key_and_a_pair_for_each_name() -> None:
    assert set(FILES) == {AUTHORITY, "s.pem", "s.key", "g.pem", "g.key"}


@pytest.mark.parametrize("name", ["s", "g"])
def test_a_certificate_is_signed_by_the_authority_for_one_name_and_has_its_key(name: str) -> None:
    own = certificate(certificate_of(name))
    own.verify_directly_issued_by(certificate(AUTHORITY))
    names = own.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == [name]
    usage = own.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert set(usage) == {ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH}
    assert own.extensions.get_extension_for_class(x509.BasicConstraints).value.ca is False
    key = serialization.load_pem_private_key(FILES[key_of(name)], password=None)
    assert key.public_key() == own.public_key()


def test_an_authority_of_another_run_has_not_signed_it() -> None:
    other = x509.load_pem_x509_certificate(make_certificates(["s"])[AUTHORITY])
    assert other.subject == certificate(AUTHORITY).subject, "the name says nothing"
    with pytest.raises(InvalidSignature):
        certificate(certificate_of("s")).verify_directly_issued_by(other)


def test_a_certificate_is_valid_for_a_day_to_either_side() -> None:
    own, now = certificate(certificate_of("g")), datetime.datetime.now(datetime.UTC)
    hour = datetime.timedelta(hours=1)
    assert own.not_valid_before_utc < now - 23 * hour
    assert now + 23 * hour < own.not_valid_after_utc < now + 25 * hour
