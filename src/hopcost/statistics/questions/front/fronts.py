"""Which fronts there are, what each is in words, and which stack each is compared with. Light: `--help` reads it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum

from hopcost.errors import UsageError, nearest

ALONE = "alone"  # the arm without a front
EVERYTHING = "all"  # of `--with`


class Front(StrEnum):
    """What hopcost can put before an app; the name of its arm."""

    NGINX = "nginx"
    KEEPALIVE = "keepalive"
    UNIX = "unix"
    HAPROXY = "haproxy"
    CADDY = "caddy"
    TLS = "tls"
    HTTP2 = "http2"
    GZIP = "gzip"
    CACHE = "cache"
    COPIES = "copies"

    @property
    def words(self) -> str:
        """As sentences call it."""
        return WORDS[self]


WORDS = {
    Front.NGINX: "nginx",
    Front.KEEPALIVE: "upstream keepalive",
    Front.UNIX: "Unix socket",
    Front.HAPROXY: "HAProxy",
    Front.CADDY: "Caddy",
    Front.TLS: "TLS at nginx",
    Front.HTTP2: "HTTP/2 at nginx",
    Front.GZIP: "gzip at nginx",
    Front.CACHE: "1 s cache",
    Front.COPIES: "2 copies of the app",
}
DEFAULT = (Front.NGINX, Front.KEEPALIVE, Front.UNIX)
# What the client gets is the same, so the cheapest of them can take the place of another.
EQUIVALENT = (Front.NGINX, Front.KEEPALIVE, Front.UNIX, Front.HAPROXY, Front.CADDY)


def parse_fronts(words: Iterable[str], *, over_http2: bool = False) -> list[Front]:
    """The fronts that `--with` names, in their own order. nginx is always there: the others are compared with it.

    `over_http2` adds HTTP/2, and HTTP/1.1 over TLS beside it.

    >>> parse_fronts(["gzip,unix"]), len(parse_fronts(["all"]))
    ([<Front.NGINX: 'nginx'>, <Front.UNIX: 'unix'>, <Front.GZIP: 'gzip'>], 10)
    """
    names = [name.strip().lower() for word in words for name in word.split(",")]
    for name in names:
        if name not in (*Front, EVERYTHING):
            raise UsageError(f"--with: no front is called '{name}'", nearest(name, [*Front, EVERYTHING]))
    if EVERYTHING in names:
        return list(Front)
    asked = set(names) if names else set(DEFAULT)
    if over_http2:
        asked |= {Front.TLS, Front.HTTP2}
    return [front for front in Front if front is Front.NGINX or front in asked]


def beside(front: Front, fronts: Collection[Front]) -> str:
    """The arm that shows what a front is worth: one line of configuration less.

    nginx stands beside the app alone, HTTP/2 beside HTTP/1.1 over TLS. Everything else stands on upstream keepalive, if
    the app can have that: so the stack with the most advice is a measured one.

    >>> beside(Front.UNIX, [Front.NGINX, Front.UNIX]), beside(Front.UNIX, list(Front)), beside(Front.NGINX, list(Front))
    ('nginx', 'keepalive', 'alone')
    """
    if front is Front.NGINX:
        return ALONE
    if front is Front.HTTP2 and Front.TLS in fronts:
        return Front.TLS.value
    is_on_keepalive = front is not Front.KEEPALIVE and Front.KEEPALIVE in fronts
    return (Front.KEEPALIVE if is_on_keepalive else Front.NGINX).value


def has_keepalive(front: Front, fronts: Collection[Front]) -> bool:
    """Whether nginx keeps connections to the app: all fronts but plain nginx do, if the app can have that."""
    return front is not Front.NGINX and Front.KEEPALIVE in fronts
