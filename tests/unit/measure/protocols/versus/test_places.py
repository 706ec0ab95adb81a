"""Which addresses may be loaded without a word: this machine's and private ones."""

from __future__ import annotations

import pytest

from hopcost.errors import UsageError
from hopcost.measure.protocols.versus.places import Place, host_and_port, place_of, refuse_public, resolve
from hopcost.measure.protocols.versus.url import read_url


@pytest.mark.parametrize(
    ("ip", "place"),
    [
        ("127.0.0.1", Place.HERE),
        ("127.9.9.9", Place.HERE),
        ("0.0.0.0", Place.HERE),
        ("::1", Place.HERE),
        ("::ffff:127.0.0.1", Place.HERE),
        ("10.0.0.1", Place.PRIVATE),
        ("172.16.0.1", Place.PRIVATE),
        ("172.32.0.1", Place.PUBLIC),
        ("192.168.1.1", Place.PRIVATE),
        ("169.254.1.1", Place.PRIVATE),
        ("fe80::1%eth0", Place.PRIVATE),
        ("fd12::1", Place.PRIVATE),
        ("2001:db8::1", Place.PUBLIC),
        ("100.64.0.1", Place.PUBLIC),
        ("198.18.0.1", Place.PUBLIC),
        ("::ffff:8.8.8.8", Place.PUBLIC),
        ("8.8.8.8", Place.PUBLIC),
    ],
)
def test_the_class_of_an_address(ip: str, place: Place) -> None:
    assert place_of(ip) is place


def test_a_private_address_of_this_machine_is_here_and_a_public_one_still_asks() -> None:
    own = frozenset({"10.0.0.1", "8.8.8.8"})
    assert (place_of("10.0.0.1", own), place_of("8.8.8.8", own)) == (Place.HERE, Place.PUBLIC)


def test_the_internet_is_loaded_on_ones_word_alone() -> None:
    url = read_url("http://8.8.8.8/")
    with pytest.raises(UsageError, match="neither this machine nor a private address") as caught:
        refuse_public(url, "8.8.8.8", may_load=False)
    assert caught.value.hint is not None and "--i-may-load-this" in caught.value.hint
    refuse_public(url, "8.8.8.8", may_load=True)
    refuse_public(url, "10.1.1.1", may_load=False)


def test_an_address_needs_no_resolving() -> None:
    assert resolve(read_url("http://127.0.0.1:1/")) == "127.0.0.1"
    assert (host_and_port("::1", 80), host_and_port("127.0.0.1", 80)) == ("[::1]:80", "127.0.0.1:80")
