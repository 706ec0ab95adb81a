"""Where a configuration sends requests, and what listens there in the jail: the next hop, or an origin for the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import msgspec

from hopcost.nginx.edits import Edit
from hopcost.nginx.read import ConfigurationText
from hopcost.nginx.upstreams import TLS_LEFT_OUT, Upstream
from hopcost.stacks.client.address import LOOPBACK

LOCAL = re.compile(r"127\.|localhost$|::1$")
ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+$|[0-9a-fA-F:]*:[0-9a-fA-F:.]*$")
SPOKEN = {"http": "http", "https": "http", "fastcgi": "fastcgi"}  # by the origin; TLS it does not speak
SOCKET_OF_APP = "/run/hopcost-app.sock"


class Place(msgspec.Struct, frozen=True):
    """Where something listens: an address and a port, or a socket's path in the jail."""

    host: str = LOOPBACK
    port: int = 0
    path: str = ""

    @property
    def words(self) -> str:
        """As nginx writes it."""
        if self.path:
            return f"unix:{self.path}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Route(msgspec.Struct, frozen=True):
    """What the jail has in the place of one upstream: who listens where, in which protocol."""

    place: Place
    protocol: str
    is_app: bool


class Routes(msgspec.Struct, frozen=True):
    """All upstreams: `app` is where the next hop listens, None if no request is passed on. `edits` lead there."""

    app: Place | None
    protocol: str
    others: list[Route]
    edits: list[Edit]
    notes: list[str]


def route_upstreams(
    text: ConfigurationText,
    main: Sequence[Upstream],
    upstreams: Sequence[Upstream],
    own_ports: Iterable[int],
    next_place: Place | None,
    take_port: Callable[[], int],
    *,
    is_jailed: bool = True,
) -> Routes:
    """Where each upstream's stand-in listens. `main` are those of the measured site, the first gets the next hop.

    It listens where the configuration says. `next_place` is where it must listen instead, if it has no choice. What
    cannot listen at its place, because nginx itself or the app does, gets another port; of other sites none does.
    Outside of a jail nothing can, and everything gets one.
    """
    known = [upstream for upstream in main if upstream.unknown is None]
    first = known[0] if known else None
    edits: list[Edit] = []
    notes: list[str] = []
    taken = set(own_ports)
    app: Place | None = None
    if first is not None:
        wanted = place_of(first)
        is_free = is_jailed and (bool(wanted.path) or wanted.port not in taken)
        app = next_place or (wanted if is_free else Place(port=take_port()))
        taken.add(app.port)
    others: dict[tuple[Place, str], Route] = {}
    moved: dict[tuple[Place, str], Place] = {}
    for upstream in dict.fromkeys([*main, *upstreams]):
        if upstream.unknown is not None:
            notes.append(f"{_at(text, upstream)}: {upstream.unknown}: nothing answers there")
            continue
        if upstream.protocol not in SPOKEN:
            notes.append(
                f"{_at(text, upstream)}: nothing answers there: hopcost's origin does not speak {upstream.protocol}"
            )
            continue
        is_app = first is not None and _is_same(upstream, first)
        wanted = place_of(upstream)
        if is_app and app is not None:
            place = app
        else:
            is_taken = not is_jailed or (not wanted.path and wanted.port in taken)
            if is_taken and is_jailed and upstream not in main:
                continue  # a site that is not asked
            spoken = SPOKEN[upstream.protocol]
            if is_taken and (wanted, spoken) not in moved:
                moved[wanted, spoken] = Place(port=take_port())
            place = moved[wanted, spoken] if is_taken else wanted
            others[place, spoken] = Route(place, spoken, is_app=False)
        changes, words = _lead(text, upstream, wanted, place)
        edits += changes
        notes += words
    protocol = SPOKEN.get(first.protocol, "") if first is not None else ""
    return Routes(app, protocol, list(others.values()), list(dict.fromkeys(edits)), list(dict.fromkeys(notes)))


def place_of(upstream: Upstream) -> Place:
    """Where nginx looks for it: a name is this machine."""
    if upstream.path is not None:
        return Place(path=upstream.path)
    host = upstream.host or LOOPBACK
    is_address = ADDRESS.match(host) is not None and not LOCAL.match(host)
    return Place(host=host if is_address else LOOPBACK, port=upstream.port or 80)


def _is_same(upstream: Upstream, first: Upstream) -> bool:
    """Whether the app answers there: the same address, or another server of the same block."""
    if upstream.name or first.name:
        return upstream.name == first.name
    return (upstream.host, upstream.port, upstream.path) == (first.host, first.port, first.path)


def _lead(text: ConfigurationText, upstream: Upstream, wanted: Place, place: Place) -> tuple[list[Edit], list[str]]:
    """The edits that lead from where the configuration sends requests to where something listens, and why."""
    edits: list[Edit] = []
    notes: list[str] = []
    directive, is_tls = upstream.directive, upstream.protocol == "https"
    is_literal = directive is upstream.passes
    if upstream.by_variable:
        if wanted != place or is_tls:
            notes.append(f"{_at(text, upstream)}: a variable leads to {wanted.words}: nothing answers there")
        return [], notes
    if wanted != place or (is_tls and is_literal):
        word = directive.words[1]
        edits.append(Edit(directive.file, word.start, word.end, _with_authority(word.text, place)))
    if wanted != place:
        notes.append(f"{_at(text, upstream)}: {wanted.words} is {place.words} here")
    if is_tls and not is_literal:
        word = upstream.passes.words[1]
        plain = re.sub(r"(?i)^https://", "http://", word.text)
        edits.append(Edit(upstream.passes.file, word.start, word.end, plain))
    if is_tls:
        notes.append(f"{_at(text, upstream)}: {TLS_LEFT_OUT}")
    return edits, notes


def _with_authority(word: str, place: Place) -> str:
    """`http://app:80/x` or `app:80` with another address.

    >>> _with_authority("https://app/x", Place(port=2001)), _with_authority("app:80", Place(path="/a.sock"))
    ('http://127.0.0.1:2001/x', 'unix:/a.sock')
    """
    match = re.match(r"(?i)https?://", word)
    if match is None:
        return place.words
    rest = word[match.end() :]
    if rest.startswith("unix:"):
        _, _, uri = rest.removeprefix("unix:").partition(":")
    else:
        slash = rest.find("/")
        uri = rest[slash:] if slash >= 0 else ""
    between = ":" if place.path and uri else ""
    return f"http://{place.words}{between}{uri}"


def _at(text: ConfigurationText, upstream: Upstream) -> str:
    return f"{text.name_of(upstream.directive.file)}:{upstream.directive.line}"
