"""The words of `--on`."""

from __future__ import annotations

import pytest

from hopcost.errors import UsageError
from hopcost.measure.fleet.names import Login, read_generator, read_login


@pytest.mark.parametrize(
    ("text", "login"),
    [
        ("bench", Login("bench")),
        ("me@bench", Login("bench", "me")),
        ("bench:2222", Login("bench", None, 2222)),
        ("me@10.0.0.2:2222", Login("10.0.0.2", "me", 2222)),
        ("[fe80::1]", Login("fe80::1")),
        ("me@[fe80::1]:2222", Login("fe80::1", "me", 2222)),
    ],
)
def test_a_login_has_a_host_and_perhaps_a_user_and_a_port(text: str, login: Login) -> None:
    assert read_login(text) == login


@pytest.mark.parametrize("text", ["", "me@", "a b", "bench:0", "bench:65536", "bench:ssh", "fe80::1", "@bench", "a@b@c"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected a machine"):
        read_login(text)


def test_the_generators_machine_is_named() -> None:
    assert read_generator("g=me@b") == Login("b", "me")


@pytest.mark.parametrize("text", ["b", "x=b", "s=a,g=b", "", "=b"])
def test_what_names_no_generator_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected g=HOST"):
        read_generator(text)
