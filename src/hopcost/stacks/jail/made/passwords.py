"""A file of users whose one password is hashed as those of the original: the kind of the hash decides what it costs.

bcrypt takes milliseconds of each request, SHA-1 less than a microsecond. Of the original only that kind is read.
"""

from __future__ import annotations

import base64
import ctypes
import hashlib
import re

import msgspec

USER, PASSWORD = "hopcost", "hopcost"
SALT = "hopcost."
BCRYPT_SALT = "hopcosthopcosthopcostu"  # 22 of its alphabet
DIGITS = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
APR1_ROUNDS = 1000
APR1_TRIPLES = ((0, 6, 12), (1, 7, 13), (2, 8, 14), (3, 9, 15), (4, 10, 5))
LIBRARIES = ("libcrypt.so.1", "libcrypt.so.2")  # what nginx itself asks


class Users(msgspec.Struct, frozen=True):
    """The file's text, and how its password is hashed, for people; `is_original` if the original's are hashed so."""

    text: str
    words: str
    is_original: bool


def make_users(original: str | None) -> Users:
    """A file with hopcost's own user, hashed as the first user of the original; not at all if nobody knows how."""
    hashed = None if original is None else _first_hash(original)
    made = None if hashed is None else _hash_as(hashed)
    if made is None:
        return Users(f"{USER}:{{PLAIN}}{PASSWORD}\n", "not hashed, and checked for nothing", is_original=False)
    value, words = made
    return Users(f"{USER}:{value}\n", words, is_original=True)


def _first_hash(text: str) -> str | None:
    """Of the first line `user:hash` or `user:hash:comment`."""
    for line in text.splitlines():
        user, colon, rest = line.strip().partition(":")
        if colon and user and not user.startswith("#"):
            return rest.partition(":")[0]
    return None


def _hash_as(hashed: str) -> tuple[str, str] | None:
    """hopcost's password hashed in this way, and the way's name; None if it is not known here."""
    password = PASSWORD.encode()
    if hashed.startswith("{PLAIN}"):
        return f"{{PLAIN}}{PASSWORD}", "not hashed"
    if hashed.startswith("{SHA}"):
        digest = hashlib.sha1(password, usedforsecurity=False).digest()
        return f"{{SHA}}{base64.b64encode(digest).decode()}", "SHA-1"
    if hashed.startswith("{SSHA}"):
        digest = hashlib.sha1(password + SALT.encode(), usedforsecurity=False).digest()
        return f"{{SSHA}}{base64.b64encode(digest + SALT.encode()).decode()}", "salted SHA-1"
    if hashed.startswith("$apr1$"):
        return hash_apr1(password, SALT.encode()), "MD5 (apr1)"
    if bcrypt := re.match(r"\$2[abxy]\$(\d\d)\$", hashed):
        return _crypt(bcrypt[0] + BCRYPT_SALT, f"bcrypt, cost {int(bcrypt[1])}")
    if kind := re.match(r"\$(1|5|6)\$(rounds=\d+\$)?", hashed):
        name = {"1": "MD5", "5": "SHA-256", "6": "SHA-512"}[kind[1]]
        return _crypt(f"{kind[0]}{SALT}$", f"{name}{', ' + kind[2].rstrip('$') if kind[2] else ''}")
    return _crypt(SALT[:2], "DES") if re.fullmatch(r"[./0-9A-Za-z]{13}", hashed) else None


def _crypt(setting: str, words: str) -> tuple[str, str] | None:
    """crypt(3) of the password, as nginx checks it; None without the library, or if it does not know the kind."""
    for name in LIBRARIES:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        library.crypt.restype = ctypes.c_char_p
        value = library.crypt(PASSWORD.encode(), setting.encode())
        return None if value is None or value.startswith(b"*") else (value.decode(), words)
    return None


def hash_apr1(password: bytes, salt: bytes) -> str:
    """Apache's variant of the MD5 of FreeBSD's crypt (apr_md5.c); crypt(3) does not have it.

    >>> hash_apr1(b"myPassword", b"r31.....")
    '$apr1$r31.....$HqJZimcKQFAMYayBlzkrA/'
    """

    def md5(*parts: bytes) -> bytes:
        return hashlib.md5(b"".join(parts), usedforsecurity=False).digest()

    inner = md5(password, salt, password)
    parts = [password, b"$apr1$", salt, (inner * (len(password) // 16 + 1))[: len(password)]]
    length = len(password)
    while length:
        parts.append(b"\0" if length & 1 else password[:1])
        length >>= 1
    value = md5(*parts)
    for number in range(APR1_ROUNDS):
        value = md5(
            password if number & 1 else value,
            salt if number % 3 else b"",
            password if number % 7 else b"",
            value if number & 1 else password,
        )
    groups = [(value[high] << 16 | value[middle] << 8 | value[low], 4) for high, middle, low in APR1_TRIPLES]
    digits = "".join(_digits(number, many) for number, many in [*groups, (value[11], 2)])
    return f"$apr1${salt.decode()}${digits}"


def _digits(number: int, many: int) -> str:
    return "".join(DIGITS[number >> 6 * place & 63] for place in range(many))
