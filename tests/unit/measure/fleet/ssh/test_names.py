"""The words of `--on`."""

from __future__ import annotations

import pytest

from hopcost.errors import UsageError
from hopcost.measure.fleet.ssh.names import Elsewhere, Login, Machines, read_login, read_machines


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


@pytest.mark.parametrize(
    "text", ["", "me@", "a b", "bench:0", "bench:65536", "bench:ssh", "fe80::1", "@bench", "a@b@c"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected a machine"):
        read_login(text)


def test_the_generator_alone_or_both_machines_are_named() -> None:
    assert read_machines("g=b") == Machines(None, (Login("b"),))
    assert read_machines("s=a, g=me@b") == Machines(Login("a"), (Login("b", "me"),))


def test_several_generators_keep_their_order() -> None:
    assert read_machines("g=c,s=a,g=b") == Machines(Login("a"), (Login("c"), Login("b")))
    assert list(Elsewhere((Login("c"), Login("b"))).names) == ["c", "b"]
    assert list(Elsewhere((Login("c"), Login("c", port=23))).names) == ["c:22", "c:23"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("b", "expected g=HOST"),
        ("x=b", "expected g=HOST"),
        ("s=a", "is missing"),
        ("s=a,s=b,g=c", "expected g=HOST"),
        ("g=a,g=a", "stands twice"),
        ("s=a,g=me@a", "stands twice"),
    ],
)
def test_what_names_no_generator_or_a_machine_twice_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_machines(text)


@pytest.mark.parametrize("text", ["bench", "me@bench:2222", "[fe80::1]:2222"])
def test_a_login_is_written_as_it_is_read(text: str) -> None:
    assert read_login(text).text == text
