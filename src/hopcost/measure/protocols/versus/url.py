"""URLs as `hopcost load` reads them, as far as servers are compared over HTTP; `unix:/run/app.sock:/path` too."""

from __future__ import annotations

import re
from urllib.parse import unquote

import msgspec

from hopcost.errors import UsageError
from hopcost.suites.arms.arm import Link

FORMS = "http://HOST:PORT/PATH, https://…, unix:/run/app.sock:/PATH or http+unix://%2Frun%2Fapp.sock/PATH"
SCHEME = re.compile(r"([a-z0-9+]+)://(.*)", re.IGNORECASE | re.DOTALL)
USUAL_PORTS = {"http": 80, "https": 443}
SOCKET = "unix:"


class Url(msgspec.Struct, frozen=True):
    """A URL taken apart. `host` is a name, an address without brackets or a socket's path."""

    text: str
    link: Link
    host: str
    port: int | None
    authority: str
    target: str


def read_url(text: str) -> Url:
    """UsageError with the forms that there are for any other text.

    >>> url = read_url(":3000")
    >>> url.authority, url.host, url.port, url.target
    ('localhost:3000', 'localhost', 3000, '/')
    >>> read_url("unix:/run/app.sock:/a?b").host, read_url("http+unix://%2Frun%2Fapp.sock/a").target
    ('/run/app.sock', '/a')
    """
    if re.search(r"[\x00-\x20\x7f]", text):
        raise _wrong(text, "a space or control character in it; write it as %20 and so on")
    if text.startswith(SOCKET):
        path, _, target = text.removeprefix(SOCKET).partition(":")
        return _socket(text, path, target)
    whole = f"localhost{text}" if text.startswith(":") else text
    match = SCHEME.fullmatch(whole)
    scheme, rest = (match[1].lower(), match[2]) if match else ("http", whole)
    authority, target = _split(rest.partition("#")[0])
    if scheme == "http+unix":
        return _socket(text, unquote(authority), target)
    if scheme.startswith("fastcgi"):
        raise _wrong(text, "servers are compared over HTTP alone; hopcost load speaks FastCGI")
    if scheme not in USUAL_PORTS:
        raise _wrong(text, f"`{scheme}` is not spoken here")
    if "@" in authority:
        raise UsageError(f"`{text}`: a user name in it", '-H "Authorization: Basic …"')
    host, port = _host_and_port(text, authority)
    link = Link.HTTPS_TCP if scheme == "https" else Link.HTTP_TCP
    return Url(text, link, host, port or USUAL_PORTS[scheme], authority, target or "/")


def _socket(text: str, path: str, target: str) -> Url:
    if not path.startswith("/"):
        raise _wrong(text, "no path of a socket")
    if target and not target.startswith("/"):
        raise _wrong(text, f"`{target}` behind the socket is no path")
    return Url(text, Link.HTTP_UNIX, path, None, "localhost", target or "/")


def _split(rest: str) -> tuple[str, str]:
    """Authority, and path with query."""
    at = next((index for index, character in enumerate(rest) if character in "/?"), len(rest))
    authority, target = rest[:at], rest[at:]
    return authority, f"/{target}" if target.startswith("?") else target


def _host_and_port(text: str, authority: str) -> tuple[str, int | None]:
    match = re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]*)(?::(\d*))?", authority)
    if match is None:
        raise _wrong(text, "an IPv6 address without brackets, or no port behind it; like http://[::1]:8080/")
    host = match[1].strip("[]")
    if not host:
        raise _wrong(text, "no host")
    if match[2] is None:
        return host, None
    if not match[2] or not 0 < int(match[2]) < 65536:
        raise _wrong(text, f"`{match[2]}` is not a port")
    return host, int(match[2])


def _wrong(text: str, what: str) -> UsageError:
    return UsageError(f"`{text}`: {what}", FORMS)
