"""Certificates and keys that a configuration names, with the kind of key of the originals where they can be read.

The kind decides what a handshake costs: RSA with 2048 bits takes several times as much as EC with 256.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hopcost.nginx.edits import Edit
from hopcost.nginx.read.text import ConfigurationText
from hopcost.nginx.sites import find_servers
from hopcost.nginx.sites.listen import listens_of
from hopcost.nginx.sites.names import host_for
from hopcost.nginx.tree import Directive, Placed, inside, walk

ADDED = "/etc/nginx/hopcost-certificate.pem"
ADDED_KEY = "/etc/nginx/hopcost-certificate.key"
ASSUMED = ("rsa", 2048)


@dataclass(frozen=True)
class Certificate:
    """A certificate and its key, to be made at these paths of nginx."""

    path: str
    key_path: str
    hosts: tuple[str, ...]
    """names that it must hold"""
    kind: str = ASSUMED[0]
    """of the key: rsa, ec or ed25519"""
    bits: int = ASSUMED[1]
    is_assumed: bool = True
    """the original could not be read: its kind is a guess"""


def find_certificates(configuration: ConfigurationText, machine: Path = Path("/")) -> list[Certificate]:
    """All pairs of a certificate and a key. Names with variables are left out: nginx opens them with each handshake."""
    certificates: dict[tuple[str, str], Certificate] = {}
    for parents, block in _blocks(configuration):
        names = [directive.first for directive in inside(block) if directive.name.endswith("ssl_certificate")]
        keys = [directive.first for directive in inside(block) if directive.name.endswith("ssl_certificate_key")]
        for name, key in zip(names, keys, strict=False):
            if "$" in name or "$" in key or name.startswith("data:"):
                continue
            paths = (absolute(name), absolute(key))
            kind = _kind_of(configuration, machine, paths)
            old = certificates.get(paths)
            hosts = tuple(dict.fromkeys((*(old.hosts if old else ()), *_hosts(configuration, block, parents))))
            certificates[paths] = Certificate(*paths, hosts, *(kind or ASSUMED), is_assumed=kind is None)
    if needs_a_certificate(configuration):
        hosts = tuple(
            host for server in needs_a_certificate(configuration) for host in _hosts(configuration, server, ())
        )
        certificates[ADDED, ADDED_KEY] = Certificate(ADDED, ADDED_KEY, hosts)
    return list(certificates.values())


def needs_a_certificate(configuration: ConfigurationText) -> list[Directive]:
    """Servers that speak TLS and have no certificate: nginx does not start with one."""
    http = [directive for directive, parents in walk(configuration) if directive.name == "http" and not parents]
    if any(directive.name == "ssl_certificate" for block in http for directive in inside(block)):
        return []
    return [
        server
        for server in find_servers(configuration)
        if any(listen.is_tls for listen in listens_of(server))
        and not any(
            directive.name in ("ssl_certificate", "ssl_reject_handshake", "ssl_certificate_by_lua_block")
            for directive in inside(server)
        )
    ]


def certificate_edits(configuration: ConfigurationText) -> list[Edit]:
    """Gives a certificate to each server that lacks one, on the line of its `{`, so that lines keep their numbers."""
    lines = f" ssl_certificate {ADDED}; ssl_certificate_key {ADDED_KEY};"
    servers = needs_a_certificate(configuration)
    return list(dict.fromkeys(Edit(server.file, server.opens, server.opens, lines) for server in servers))


def absolute(path: str) -> str:
    """A path of the configuration as nginx takes it: relative to the folder of nginx.conf.

    >>> absolute("certs/a.pem"), absolute("/x/a.pem")
    ('/etc/nginx/certs/a.pem', '/x/a.pem')
    """
    return path if path.startswith("/") else f"/etc/nginx/{path}"


def _blocks(configuration: ConfigurationText) -> list[tuple[tuple[Directive, ...], Directive]]:
    return [
        (placed.parents, placed.directive)
        for placed in walk(configuration)
        if placed.directive.block is not None and not placed.directive.is_include and _is_of_http(placed)
    ]


def _is_of_http(placed: Placed) -> bool:
    return any(block.name == "http" for block in (*placed.parents, placed.directive))


def _hosts(configuration: ConfigurationText, block: Directive, parents: tuple[Directive, ...]) -> list[str]:
    """The hosts of the server around it; those of all servers if it stands in `http`."""
    servers = [server for server in (*parents, block) if server.name == "server"] or find_servers(configuration)
    names = [name for server in servers for line in inside(server) if line.name == "server_name" for name in line.args]
    return [host for name in names if (host := host_for(name)) is not None]


def _kind_of(configuration: ConfigurationText, machine: Path, paths: tuple[str, str]) -> tuple[str, int] | None:
    """The kind and bits of the original's key, by its certificate; None if it cannot be read here."""
    from cryptography import x509  # only where there is TLS: it takes time to load

    name = paths[0]
    inner = name.removeprefix("/etc/nginx/")
    places = [configuration.folder / inner] if inner != name else []
    for path in (*places, machine / name.lstrip("/")):
        try:
            certificate = x509.load_pem_x509_certificate(path.read_bytes())
        except (OSError, ValueError):
            continue
        return _kind(certificate.public_key())
    return None


def _kind(key: object) -> tuple[str, int] | None:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    if isinstance(key, RSAPublicKey):
        return "rsa", key.key_size
    if isinstance(key, EllipticCurvePublicKey):
        return "ec", key.key_size
    return ("ed25519", 256) if isinstance(key, Ed25519PublicKey) else None
