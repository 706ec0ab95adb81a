"""A hop that is the user's own configuration, with everything decided: its jail, and where its upstreams listen."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from hopcost.errors import UsageError
from hopcost.machine import binaries
from hopcost.nginx.edits import Edit
from hopcost.nginx.read import ConfigurationText
from hopcost.nginx.secrets import MASK, find_secrets
from hopcost.nginx.sites import Site, choose_site
from hopcost.nginx.tree import walk
from hopcost.stacks.client.address import LOOPBACK, Address
from hopcost.stacks.jail import names
from hopcost.stacks.jail.made.contents import Contents, contents_of
from hopcost.stacks.jail.made.script import jail_command, jail_script
from hopcost.stacks.jail.outcome import Outcome, outcome_of
from hopcost.stacks.jail.tried.added import merge_edits
from hopcost.stacks.jail.tried.start import nginx_command
from hopcost.stacks.jail.upstreams import SOCKET_OF_APP, SPOKEN, Place, Routes, place_of, route_upstreams
from hopcost.stacks.prepare.certificate import CERTIFICATE
from hopcost.suites.arms.arm import Hop, Link
from hopcost.suites.arms.configuration import Configuration

FIRST_PORT = 2900  # of what cannot listen where the configuration says; in a namespace of its own
ORIGIN, BODY = "hopcost-origin", "/hello"
LONG_ENOUGH = 4  # characters: a shorter value stands in other words too
OTHERS, NAMES = "other-upstreams", "name-server"


class Jail(msgspec.Struct, frozen=True):
    """What a prepared hop has besides if it runs in a jail.

    `made` are files of the stack's folder that are neither shown nor kept. `helpers` are commands by name: the origin
    that stands for all upstreams but the next hop, and a name server. `logs` are paths in the jail. `secrets` are the
    values of the configuration that nobody may see.
    """

    made: dict[str, bytes]
    authorities: str
    helpers: dict[str, list[str]]
    secrets: list[str]
    logs: list[str]
    notes: list[str]

    def mask(self, text: str) -> str:
        """A text without the secrets."""
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        return text


class InJail(msgspec.Struct, frozen=True):
    """The parts of a prepared hop."""

    version: str
    command: list[str]
    files: dict[str, str]
    children: int
    forks: bool
    jail: Jail


def front_address(hop: Hop, configuration: Configuration, ip: str, directory: Path) -> Address:
    """Where the site is reached; UsageError if it is not reached so."""
    outcome = outcome_of(configuration)
    is_tls = _site(outcome, configuration).is_tls
    if is_tls is not (hop.link is Link.HTTPS_TCP):
        link = (Link.HTTPS_TCP if is_tls else Link.HTTP_TCP).value
        raise UsageError(
            f"{hop.program}: port {configuration.port} of {configuration.file} is not reached over {hop.link.value}",
            f"link = {link!r}",
        )
    ca_file = str(directory / CERTIFICATE) if is_tls else None
    name = configuration.host if is_tls else None
    return Address(hop.link.value, f"{ip}:{configuration.port}", ca_file=ca_file, server_name=name)


def next_address(configuration: Configuration, hop: Hop, socket: Path) -> Address:
    """Where the hop after the configuration listens: where the site sends requests, if it can listen there.

    UsageError if they do not speak the same protocol.
    """
    outcome = outcome_of(configuration)
    known = [upstream for upstream in _site(outcome, configuration).upstreams if upstream.unknown is None]
    if not known:
        raise UsageError(
            f"{configuration.file}: {configuration.host}:{configuration.port} passes no request on",
            f"leave {hop.program} out: nobody would ask it",
        )
    protocol = SPOKEN.get(known[0].protocol, known[0].protocol)
    if hop.link.value.partition("+")[0] != protocol:
        raise UsageError(
            f"{hop.program} is reached over {hop.link.value}; {configuration.file} passes requests on by {protocol}",
            f"link = {protocol}+tcp or {protocol}+unix, and a program that speaks it",
        )
    if hop.copies > 1:
        raise UsageError(f"{hop.program}: copies: behind your own configuration there is one", "leave `copies` out")
    if hop.link.is_unix:
        return Address(hop.link.value, str(socket))
    wanted = place_of(known[0])
    is_free = not wanted.path and wanted.port not in outcome.needs.ports
    port = hop.fixed_port or (wanted.port if is_free else next(_free_ports(outcome)))
    host = wanted.host if hop.app is None and not wanted.path and hop.fixed_port is None else LOOPBACK
    return Address(hop.link.value, f"[{host}]:{port}" if ":" in host else f"{host}:{port}")


def prepare_in_jail(
    name: str, configuration: Configuration, upstreams: Sequence[Address], directory: Path, cores: Sequence[int]
) -> InJail:
    """The hop `name` of a stack in this directory, whose next hop listens at the first of `upstreams`."""
    outcome = outcome_of(configuration)
    site, sockets = _site(outcome, configuration), dict[str, str]()
    next_place = _place_in_jail(site, upstreams[0], sockets) if upstreams else None
    routes = _routes(outcome, site, next_place)
    edits = merge_edits([*configuration.edits, *routes.edits, *outcome.edits])
    contents = contents_of(
        "jail",
        outcome.text,
        outcome.needs,
        outcome.added,
        edits,
        outcome.nginx,
        host=configuration.host,
        cores=len(cores),
        has_index=not _passes_root_on(site),
        sockets=sockets | {path: str(directory / socket) for path, socket in _other_sockets(routes).items()},
    )
    script = f"{name}-jail.sh"
    inside = nginx_command(outcome.nginx, outcome.text)
    reached = [*sockets.values(), *(str(directory / socket) for socket in _other_sockets(routes).values())]
    text = jail_script(name, directory, contents.items, inside, reached)
    return InJail(
        version=outcome.nginx.text,
        command=jail_command(directory / script),
        files={script: text} | contents.files,
        children=_workers(outcome, configuration.edits, len(cores)),
        forks=_has_cache(outcome),
        jail=_jail(outcome, routes, contents, edits, directory, len(cores)),
    )


def _jail(
    outcome: Outcome, routes: Routes, contents: Contents, edits: Sequence[Edit], directory: Path, cores: int
) -> Jail:
    helpers = {OTHERS: _origin_command(routes, directory, cores), NAMES: _names_command(outcome)}
    return Jail(
        made=contents.made,
        authorities=contents.authorities,
        helpers={name: command for name, command in helpers.items() if command},
        secrets=_secrets(outcome.text.with_edits(edits)),
        logs=contents.logs,
        notes=[*outcome.notes, *routes.notes],
    )


def _secrets(text: ConfigurationText) -> list[str]:
    """Their values, the longest first: one may be a part of another."""
    values = {text.files[span.file][span.start : span.end] for span in find_secrets(text)}
    return sorted((value for value in values if len(value) >= LONG_ENOUGH), key=len, reverse=True)


def _site(outcome: Outcome, configuration: Configuration) -> Site:
    return choose_site(outcome.text, configuration.host, configuration.port)


def _passes_root_on(site: Site) -> bool:
    """Whether a request for `/` goes to an upstream: by the server, `location /`, a named one or an expression."""
    ends = [[block.args for block in upstream.parents if block.name == "location"][-1:] for upstream in site.upstreams]
    return any(not end or end[0][0].startswith(("@", "~")) or end[0][-1] == "/" for end in ends)


def _place_in_jail(site: Site, upstream: Address, sockets: dict[str, str]) -> Place:
    """The next hop's place as nginx sees it; its socket is where the configuration looks for one."""
    if not upstream.is_unix:
        return Place(host=upstream.host, port=upstream.port or 0)
    wanted = next((known.path for known in site.upstreams if known.unknown is None), None)
    path = wanted or SOCKET_OF_APP
    sockets[path] = upstream.address
    return Place(path=path)


def _routes(outcome: Outcome, site: Site, next_place: Place | None) -> Routes:
    ports = _free_ports(outcome)
    main = site.upstreams if next_place is not None else ()
    own = outcome.needs.ports
    return route_upstreams(outcome.text, main, outcome.needs.upstreams, own, next_place, lambda: next(ports))


def _free_ports(outcome: Outcome) -> Iterator[int]:
    """Ports that neither nginx listens on nor some upstream has."""
    taken = {*outcome.needs.ports, *(upstream.port for upstream in outcome.needs.upstreams)}
    return (port for port in itertools.count(FIRST_PORT) if port not in taken)


def _other_sockets(routes: Routes) -> dict[str, str]:
    """Sockets of the other upstreams: path in the jail → name in the stack's folder."""
    paths = [route.place.path for route in routes.others if route.place.path]
    return {path: f"other-{number}.sock" for number, path in enumerate(paths, 1)}


def _origin_command(routes: Routes, directory: Path, cores: int) -> list[str]:
    """The origin that answers for all upstreams but the next hop."""
    sockets: Mapping[str, str] = _other_sockets(routes)
    words: list[str] = []
    for route in routes.others:
        path = route.place.path
        address = f"unix:{directory / sockets[path]}" if path else f"tcp:{route.place.words}"
        words += ["--listen", f"{route.protocol}+{address}"]
    if not words:
        return []
    return [str(binaries.require(ORIGIN)), *words, "--any-path", BODY, "--threads", str(cores)]


def _names_command(outcome: Outcome) -> list[str]:
    """The name server, if names of upstreams are looked up under load."""
    places = outcome.needs.resolvers
    is_asked = any(upstream.by_variable for upstream in outcome.needs.upstreams)
    return [sys.executable, "-I", "-S", names.__file__, *places] if places and is_asked else []


def _workers(outcome: Outcome, edits: Sequence[Edit], cores: int) -> int:
    """How many processes the master starts."""
    text = outcome.text.with_edits(merge_edits([*edits, *outcome.edits]))
    at_the_top = {directive.name: directive.first for directive, parents in walk(text) if not parents}
    if at_the_top.get("master_process") == "off":
        return 0
    word = at_the_top.get("worker_processes", "1")
    return cores if word == "auto" else int(word) if word.isdigit() else 1


def _has_cache(outcome: Outcome) -> bool:
    """Whether processes come and go: a cache's loader ends after a minute."""
    return any(directive.name.endswith("_cache_path") for directive, _ in walk(outcome.text))
