"""A hop that is the user's own configuration, with everything decided: its jail, and where its upstreams listen."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from hopcost.machine import binaries
from hopcost.nginx.edits import Edit
from hopcost.nginx.read import ConfigurationText
from hopcost.nginx.secrets import find_secrets
from hopcost.nginx.sites import Site
from hopcost.nginx.tree import walk
from hopcost.stacks.client.address import Address
from hopcost.stacks.jail import names
from hopcost.stacks.jail.made.contents import Contents, contents_of
from hopcost.stacks.jail.made.script import jail_command, jail_script
from hopcost.stacks.jail.outcome import Outcome, outcome_of
from hopcost.stacks.jail.plain.copy import copied, free_ports, plain_command, plain_script, root_of
from hopcost.stacks.jail.prepare.addresses import free_ports_of, site_of
from hopcost.stacks.jail.prepare.jail import InJail, Jail
from hopcost.stacks.jail.tried.added import merge_edits
from hopcost.stacks.jail.tried.start import nginx_command
from hopcost.stacks.jail.upstreams import SOCKET_OF_APP, Place, Routes, route_upstreams
from hopcost.suites.arms.configuration import Configuration

ORIGIN, BODY = "hopcost-origin", "/hello"
LONG_ENOUGH = 4  # characters: a shorter value stands in other words too
OTHERS, NAMES = "other-upstreams", "name-server"


def prepare_in_jail(
    name: str,
    configuration: Configuration,
    address: Address,
    upstreams: Sequence[Address],
    directory: Path,
    cores: Sequence[int],
) -> InJail:
    """The hop `name` of a stack in this directory, at its address, whose next hop listens at the first of `upstreams`.

    Where no jail can be made it is a rewritten copy.
    """
    outcome = outcome_of(configuration)
    site, sockets = site_of(outcome, configuration), dict[str, str]()
    next_place = _place_in_jail(outcome, site, upstreams[0], sockets) if upstreams else None
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
    if outcome.why_no_jail is not None:
        return _prepare_copy(name, configuration, outcome, address, routes, contents, edits, directory, len(cores))
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


def _prepare_copy(
    name: str,
    configuration: Configuration,
    outcome: Outcome,
    address: Address,
    routes: Routes,
    contents: Contents,
    edits: Sequence[Edit],
    directory: Path,
    cores: int,
) -> InJail:
    """The same outside of a jail: the site's port is that of its address, all others are new."""
    root = root_of(directory, name)
    ports = {port: free_ports().take() for port in outcome.needs.ports if port != configuration.port}
    assert address.port is not None, "a site is reached over TCP"
    ports[configuration.port] = address.port
    hosts = [*outcome.needs.hosts, *outcome.added.hosts]
    copy = copied(
        "jail", contents, outcome.text, edits, outcome.nginx, root=root, ports=ports, hosts=hosts, cores=cores
    )
    script = f"{name}-copy.sh"
    text = plain_script(name, directory, copy.items, plain_command(outcome.nginx, outcome.text, root))
    return InJail(
        version=outcome.nginx.text,
        command=["sh", str(directory / script)],
        files={script: text} | copy.files,
        children=_workers(outcome, configuration.edits, cores),
        forks=_has_cache(outcome),
        jail=msgspec.structs.replace(_jail(outcome, routes, copy, edits, directory, cores), root=str(root)),
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
        notes=[*outcome.notes, *contents.notes, *routes.notes],
    )


def _secrets(text: ConfigurationText) -> list[str]:
    """Their values, the longest first: one may be a part of another."""
    values = {text.files[span.file][span.start : span.end] for span in find_secrets(text)}
    return sorted((value for value in values if len(value) >= LONG_ENOUGH), key=len, reverse=True)


def _passes_root_on(site: Site) -> bool:
    """Whether a request for `/` goes to an upstream: by the server, `location /`, a named one or an expression."""
    ends = [[block.args for block in upstream.parents if block.name == "location"][-1:] for upstream in site.upstreams]
    return any(not end or end[0][0].startswith(("@", "~")) or end[0][-1] == "/" for end in ends)


def _place_in_jail(outcome: Outcome, site: Site, upstream: Address, sockets: dict[str, str]) -> Place:
    """The next hop's place as nginx sees it; its socket is where the configuration looks for one."""
    if not upstream.is_unix:
        return Place(host=upstream.host, port=upstream.port or 0)
    if outcome.why_no_jail is not None:
        return Place(path=upstream.address)
    wanted = next((known.path for known in site.upstreams if known.unknown is None), None)
    path = wanted or SOCKET_OF_APP
    sockets[path] = upstream.address
    return Place(path=path)


def _routes(outcome: Outcome, site: Site, next_place: Place | None) -> Routes:
    ports = free_ports_of(outcome)
    main = site.upstreams if next_place is not None else ()
    own, is_jailed = outcome.needs.ports, outcome.why_no_jail is None
    take_port = (lambda: next(ports)) if is_jailed else free_ports().take
    upstreams = outcome.needs.upstreams
    return route_upstreams(outcome.text, main, upstreams, own, next_place, take_port, is_jailed=is_jailed)


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
    is_asked = outcome.why_no_jail is None and any(upstream.by_variable for upstream in outcome.needs.upstreams)
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
