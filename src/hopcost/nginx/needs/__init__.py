"""What a configuration needs of its machine: what a jail must make before nginx starts in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from hopcost.nginx.edits import Edit
from hopcost.nginx.needs.certificates import Certificate, certificate_edits, find_certificates
from hopcost.nginx.needs.files import FileKind, Folder, NeededFile, find_files, find_folders, find_roots
from hopcost.nginx.read.text import ConfigurationText
from hopcost.nginx.sites import find_servers
from hopcost.nginx.sites.listen import listens_of
from hopcost.nginx.tree import Directive, walk
from hopcost.nginx.upstreams import Upstream, find_upstreams

__all__ = ["Certificate", "FileKind", "Folder", "NeededFile", "Needs", "find_needs"]

ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+$|[0-9a-fA-F:]*:[0-9a-fA-F:.]*$")
LOOPBACK = re.compile(r"127\.|::1$|0\.0\.0\.0$|::$")
DEFAULT_CONNECTIONS = 512
OF_THE_PROCESS = frozenset({"daemon", "master_process", "worker_cpu_affinity", "worker_priority", "ssl_engine"})


@dataclass(frozen=True)
class Needs:
    """What must be there, by nginx's paths and names. Made for one jail; nothing of it is made here."""

    certificates: tuple[Certificate, ...]
    edits: tuple[Edit, ...]
    """for all arms: certificates where a server that speaks TLS has none"""
    users: tuple[str, ...]
    groups: tuple[str, ...]
    folders: tuple[Folder, ...]
    """to be made if they are missing"""
    roots: tuple[str, ...]
    """those of them with what the sites serve themselves"""
    files: tuple[NeededFile, ...]
    """to be made if they are missing"""
    hosts: tuple[str, ...]
    """names that must lead to this machine: of upstreams, and of what a resolver is asked for"""
    addresses: tuple[str, ...]
    """that the jail's loopback must have: of `listen`, upstreams and resolvers"""
    resolvers: tuple[str, ...]
    """where nginx asks for names at run time; empty if it never does"""
    modules: tuple[str, ...]
    """of `load_module`, as they stand"""
    ports: tuple[int, ...]
    """where it listens"""
    upstreams: tuple[Upstream, ...]
    worker_connections: int
    open_files: int | None
    """`worker_rlimit_nofile`"""
    of_the_process: tuple[Directive, ...]
    """directives that would fight how hopcost starts nginx: daemon, master_process, worker_cpu_affinity …"""


def find_needs(configuration: ConfigurationText, machine: Path = Path("/")) -> Needs:
    """All that a configuration needs. `machine` is where originals of certificates are looked for."""
    upstreams = find_upstreams(configuration)
    listens = [listen for server in find_servers(configuration) for listen in listens_of(server)]
    users, groups = _users(configuration)
    resolvers = _resolvers(configuration)
    places = [upstream.host for upstream in upstreams if upstream.host] + [_host(resolver) for resolver in resolvers]
    listening = [listen.host.strip("[]") for listen in listens if listen.port is not None and listen.host != "*"]
    names = [*(place for place in (*places, *listening, *_other_hosts(configuration)) if not ADDRESS.match(place))]
    return Needs(
        certificates=tuple(find_certificates(configuration, machine)),
        edits=tuple(certificate_edits(configuration)),
        users=users,
        groups=groups,
        folders=tuple(find_folders(configuration)),
        roots=tuple(find_roots(configuration)),
        files=tuple(find_files(configuration)),
        hosts=tuple(dict.fromkeys(name for name in names if name != "localhost")),
        addresses=tuple(
            dict.fromkeys(
                place for place in (*places, *listening) if ADDRESS.match(place) and not LOOPBACK.match(place)
            )
        ),
        resolvers=resolvers,
        modules=tuple(directive.first for directive, _ in walk(configuration) if directive.name == "load_module"),
        ports=tuple(dict.fromkeys(listen.port for listen in listens if listen.port is not None)),
        upstreams=tuple(upstreams),
        worker_connections=_number(configuration, "worker_connections") or DEFAULT_CONNECTIONS,
        open_files=_number(configuration, "worker_rlimit_nofile"),
        of_the_process=tuple(
            directive for directive, parents in walk(configuration) if not parents and directive.name in OF_THE_PROCESS
        ),
    )


def _users(configuration: ConfigurationText) -> tuple[tuple[str, ...], tuple[str, ...]]:
    lines = [directive for directive, parents in walk(configuration) if directive.name == "user" and not parents]
    users = tuple(dict.fromkeys(line.first for line in lines if line.args))
    groups = tuple(dict.fromkeys(line.args[-1] for line in lines if line.args))
    return users, groups


def _resolvers(configuration: ConfigurationText) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            word
            for directive, _ in walk(configuration)
            if directive.name == "resolver"
            for word in directive.args
            if "=" not in word
        )
    )


def _other_hosts(configuration: ConfigurationText) -> list[str]:
    """Names that nginx looks up when it starts, besides upstreams: of logs that go by syslog."""
    addresses = [
        re.match(r"syslog:server=([^,:\[]+)", directive.first)
        for directive, _ in walk(configuration)
        if directive.name in ("access_log", "error_log")
    ]
    return [match[1] for match in addresses if match and match[1] != "unix"]


def _host(place: str) -> str:
    """A resolver's host without its port."""
    return (
        place.strip("[]")
        if place.count(":") > 1 and not place.startswith("[")
        else re.sub(r":\d+$", "", place).strip("[]")
    )


def _number(configuration: ConfigurationText, name: str) -> int | None:
    words = [directive.first for directive, _ in walk(configuration) if directive.name == name]
    return int(words[-1]) if words and words[-1].isdigit() else None
