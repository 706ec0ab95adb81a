"""URLs of servers that are compared: the forms of `hopcost load`, and a socket's path."""

from __future__ import annotations

import pytest

from hopcost.errors import UsageError
from hopcost.measure.protocols.versus.url import read_url
from hopcost.suites.arms.arm import Link


@pytest.mark.parametrize(
    ("text", "link", "host", "port", "authority", "target"),
    [
        ("http://h", Link.HTTP_TCP, "h", 80, "h", "/"),
        ("h:8080/?of=http://x", Link.HTTP_TCP, "h", 8080, "h:8080", "/?of=http://x"),
        (":8080/x", Link.HTTP_TCP, "localhost", 8080, "localhost:8080", "/x"),
        ("http://h:8080/a?b#c", Link.HTTP_TCP, "h", 8080, "h:8080", "/a?b"),
        ("http://h?b", Link.HTTP_TCP, "h", 80, "h", "/?b"),
        ("http://[::1]:81", Link.HTTP_TCP, "::1", 81, "[::1]:81", "/"),
        ("https://h/x", Link.HTTPS_TCP, "h", 443, "h", "/x"),
        ("unix:/run/app.sock", Link.HTTP_UNIX, "/run/app.sock", None, "localhost", "/"),
        ("unix:/run/app.sock:/a?b", Link.HTTP_UNIX, "/run/app.sock", None, "localhost", "/a?b"),
        ("http+unix://%2Frun%2Fapp.sock/x", Link.HTTP_UNIX, "/run/app.sock", None, "localhost", "/x"),
    ],
)
def test_a_url_is_taken_apart(text: str, link: Link, host: str, port: int | None, authority: str, target: str) -> None:
    url = read_url(text)
    assert (url.link, url.host, url.port, url.authority, url.target) == (link, host, port, authority, target)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no host"),
        ("http://", "no host"),
        ("http://h:x/", "no port behind it"),
        ("http://h:65536/", "`65536` is not a port"),
        ("http://u@h/", "a user name"),
        ("http://h/a b", "a space"),
        ("ftp://h", "`ftp` is not spoken"),
        ("http://::1:80/", "without brackets"),
        ("fastcgi://h:9000/a.php", "over HTTP alone"),
        ("unix:app.sock:/", "no path of a socket"),
        ("unix:/run/app.sock:x", "is no path"),
    ],
)
def test_any_other_text_is_refused_with_a_hint(text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_url(text)
    assert words in caught.value.message and caught.value.hint is not None
