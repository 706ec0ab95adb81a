"""What stands behind the configuration: the user's app, or hopcost's origin, speaking what requests are passed in."""

from __future__ import annotations

import msgspec

from hopcost.errors import UsageError
from hopcost.measure.protocols.conf.suite import APP
from hopcost.nginx.read import ConfigurationText
from hopcost.nginx.sites import Site
from hopcost.nginx.sites.bodies import works_on_bodies
from hopcost.suites.arms.app import SOCKET, App
from hopcost.suites.arms.arm import Hop, Link, SettingValue

PROTOCOLS = {"http": "http", "https": "http", "fastcgi": "fastcgi"}
ECHO = "/echo-head-length"
TYPES = (  # that the origin knows
    "text/html",
    "text/plain",
    "text/css",
    "application/javascript",
    "application/json",
    "application/xml",
    "image/jpeg",
    "application/octet-stream",
)
TEXTS = frozenset(TYPES[:6])
BODY_BYTES, TYPE = 2048, "text/html"  # of an answer, as long as no app has given one
PAGE_BYTES = 20_000  # if nginx does something with each byte; it fits into proxy_buffers as they are by default


def origin_of(site: Site, body_bytes: int = BODY_BYTES, content_type: str | None = TYPE) -> Hop | None:
    """hopcost's origin behind a site, with answers of that length and type; None behind one that passes nothing on."""
    if not site.upstreams:
        return None
    plain = (content_type or "").partition(";")[0].strip().lower()
    settings: dict[str, SettingValue] = {
        "any_path": f"/{'text' if plain in TEXTS else 'bytes'}/{body_bytes}",
        "content_type": plain if plain in TYPES else "",
    }
    return Hop(program="origin", link=link_behind(site, over_socket=True), settings=settings)


def origin_without_app(text: ConfigurationText, site: Site, path: str) -> tuple[Hop | None, str | None]:
    """hopcost's origin where no app gives an example, and what a person is told of its answers; None: nothing.

    What nginx does with every byte is measured on a page of a real size.
    """
    filters = works_on_bodies(text, site, path)
    origin = origin_of(site, PAGE_BYTES if filters else BODY_BYTES)
    if origin is None or not filters:
        return origin, None
    what = f"{', '.join(filters)} {'is' if len(filters) == 1 else 'are'} on"
    return origin, f"hopcost's origin answers with {PAGE_BYTES:,} bytes of text: {what}"


def origin_that_echoes(origin: Hop) -> Hop:
    """The same, but its answers say how long the head of the request is that came through nginx."""
    return msgspec.structs.replace(origin, settings=origin.settings | {"any_path": ECHO})


def app_hop_of(site: Site, app: App) -> Hop:
    """The app behind a site. UsageError if the site passes nothing on."""
    if not site.upstreams:
        raise UsageError(f"{site.url} passes no request to an app", "leave the command out, or choose a site: --host")
    return Hop(program=APP, link=link_behind(site, over_socket=app.mentions(SOCKET)))


def link_behind(site: Site, *, over_socket: bool) -> Link:
    """How the site reaches it. UsageError for a protocol that neither hopcost's origin nor its checks speak."""
    upstream = site.upstreams[0]
    protocol = PROTOCOLS.get(upstream.protocol)
    if protocol is None:
        raise UsageError(
            f"{site.url} passes requests on as {upstream.protocol}, which hopcost does not speak",
            "it speaks HTTP and FastCGI: choose another site with --host",
        )
    return Link(f"{protocol}+{'unix' if upstream.path is not None and over_socket else 'tcp'}")


def with_learned(app: App, idle_timeout_s: float | None, warm_up_requests: int) -> App:
    """The app with what a run must know of it."""
    return msgspec.structs.replace(app, idle_timeout_s=idle_timeout_s, warm_up_requests=warm_up_requests)
