"""A password hashed as somebody else's: checked by the library that nginx asks, and by known answers."""

from __future__ import annotations

import ctypes

import pytest

from hopcost.stacks.jail.made.passwords import LIBRARIES, PASSWORD, hash_apr1, make_users


@pytest.mark.parametrize(
    ("hashed", "begins", "words"),
    [
        ("$2y$05$aaaaaaaaaaaaaaaaaaaaaaxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "$2y$05$", "bcrypt, cost 5"),
        ("$1$salt$xxxxxxxxxxxxxxxxxxxxxx", "$1$", "MD5"),
        ("$5$salt$xxxx", "$5$", "SHA-256"),
        ("$6$rounds=6000$salt$xxxx", "$6$rounds=6000$", "SHA-512, rounds=6000"),
        ("rqXexS6ZhobKA", "ho", "DES"),
    ],
)
def test_what_crypt_knows_is_hashed_by_it(hashed: str, begins: str, words: str) -> None:
    users = make_users(f"# staff\nme:{hashed}:a comment\n")
    assert (users.words, users.is_original) == (words, True)
    name, _, value = users.text.rstrip("\n").partition(":")
    assert name == "hopcost" and value.startswith(begins)
    library = ctypes.CDLL(LIBRARIES[0])
    library.crypt.restype = ctypes.c_char_p
    assert library.crypt(PASSWORD.encode(), value.encode()).decode() == value
    assert library.crypt(b"another", value.encode()).decode() != value


@pytest.mark.parametrize(
    ("hashed", "text", "words"),
    [
        ("{PLAIN}secret", "hopcost:{PLAIN}hopcost\n", "not hashed"),
        ("{SHA}x", "hopcost:{SHA}FlHmO050SAoe8l6MjX+0claXsX8=\n", "SHA-1"),
    ],
)
def test_others_are_known_answers(hashed: str, text: str, words: str) -> None:
    users = make_users(f"me:{hashed}\n")
    assert (users.text, users.words, users.is_original) == (text, words, True)


def test_apr1_and_salted_sha_have_a_salt() -> None:
    assert make_users("me:$apr1$x$y").text == f"hopcost:{hash_apr1(b'hopcost', b'hopcost.')}\n"
    assert make_users("me:{SSHA}x").words == "salted SHA-1"


@pytest.mark.parametrize("original", [None, "", "# nobody\n", "me:$9$new$kind\n", "me\n"])
def test_without_a_hash_that_is_known_the_password_is_not_hashed(original: str | None) -> None:
    users = make_users(original)
    assert (users.text, users.is_original) == ("hopcost:{PLAIN}hopcost\n", False)
