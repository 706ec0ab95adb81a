"""Folders and files that a configuration names, besides certificates and what it includes."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from enum import StrEnum

from hopcost.nginx.needs.certificates import absolute
from hopcost.nginx.read.text import ConfigurationText
from hopcost.nginx.sites.listen import listens_of
from hopcost.nginx.tree import Directive, walk
from hopcost.nginx.upstreams.variables import expand, find_values


class FileKind(StrEnum):
    """What a file must hold."""

    AUTHORITIES = "ca"  # certificates to trust or to send
    DHPARAM = "dhparam"
    TICKET_KEY = "ticket_key"
    PASSWORDS = "password"  # of keys
    USERS = "htpasswd"
    REVOKED = "crl"
    STAPLING = "stapling"
    LUA = "lua"
    JAVASCRIPT = "javascript"
    DATABASE = "database"  # of places by address
    OTHER = "other"


KINDS = {
    "ssl_trusted_certificate": FileKind.AUTHORITIES,
    "ssl_client_certificate": FileKind.AUTHORITIES,
    "proxy_ssl_trusted_certificate": FileKind.AUTHORITIES,
    "grpc_ssl_trusted_certificate": FileKind.AUTHORITIES,
    "uwsgi_ssl_trusted_certificate": FileKind.AUTHORITIES,
    "ssl_dhparam": FileKind.DHPARAM,
    "ssl_session_ticket_key": FileKind.TICKET_KEY,
    "ssl_password_file": FileKind.PASSWORDS,
    "proxy_ssl_password_file": FileKind.PASSWORDS,
    "auth_basic_user_file": FileKind.USERS,
    "ssl_crl": FileKind.REVOKED,
    "proxy_ssl_crl": FileKind.REVOKED,
    "ssl_stapling_file": FileKind.STAPLING,
    "js_include": FileKind.JAVASCRIPT,
    "geoip_country": FileKind.DATABASE,
    "geoip_city": FileKind.DATABASE,
    "geoip_org": FileKind.DATABASE,
    "geoip2": FileKind.DATABASE,
    "modsecurity_rules_file": FileKind.OTHER,
    "xslt_stylesheet": FileKind.OTHER,
    "perl_require": FileKind.OTHER,
}
LUA_FILE = re.compile(r"\w+_by_lua_file$")
FOLDERS = re.compile(r"\w+_(?:temp|cache)_path$|\w+_store_temp$|(?:root|alias|perl_modules|working_directory)$")
LOGS = frozenset({"access_log", "error_log"})
NO_LOG_FILE = re.compile(r"off$|syslog:|memory:|stderr$|/dev/|\|")
BUILT_IN = ("/var/log/nginx", "/var/lib/nginx", "/var/cache/nginx", "/run", "/var/lock")
SERVED = frozenset({"root", "alias", "perl_modules"})


@dataclass(frozen=True)
class NeededFile:
    """A file that nginx opens when it starts or is asked, by its path for nginx."""

    path: str
    kind: FileKind


@dataclass(frozen=True)
class Folder:
    """A folder that must be there; nginx's workers write into it, or only read."""

    path: str
    is_written: bool


def find_folders(configuration: ConfigurationText) -> list[Folder]:
    """Folders that must be there: of logs, caches, temporary files, sockets, the pid, and of what is served."""
    values = find_values(configuration)
    folders = dict.fromkeys(BUILT_IN, True)
    for directive, parents in walk(configuration):
        for path in _folders_of(directive, parents, values):
            whole = posixpath.normpath(path)
            folders[whole] = folders.get(whole, False) or directive.name not in SERVED
    return [Folder(path, is_written) for path, is_written in folders.items()]


def find_roots(configuration: ConfigurationText) -> list[str]:
    """Folders with what the sites serve themselves: `root` and `alias`, by variables too. Some may not exist here."""
    values = find_values(configuration)
    return list(
        dict.fromkeys(
            prefixed(path)
            for directive, _ in walk(configuration)
            if directive.name in ("root", "alias") and directive.args
            for path in expand(directive.first, values)
            if path
        )
    )


def find_files(configuration: ConfigurationText) -> list[NeededFile]:
    """Files that nginx opens, by its paths, and what each must hold."""
    files: dict[str, FileKind] = {}
    for directive, _ in walk(configuration):
        kind = KINDS.get(directive.name)
        if kind is None and LUA_FILE.match(directive.name):
            kind = FileKind.LUA
        if directive.name == "js_import":
            kind = FileKind.JAVASCRIPT
        path = directive.args[-1] if directive.name == "js_import" and directive.args else directive.first
        if kind is not None and path and "$" not in path and path != "off":
            files.setdefault(absolute(path), kind)
    return [NeededFile(path, kind) for path, kind in files.items()]


def prefixed(path: str) -> str:
    """A path that nginx takes from its prefix, not from the folder of nginx.conf: that of Debian's build."""
    return path if path.startswith("/") else f"/usr/share/nginx/{path}"


def _folders_of(directive: Directive, parents: tuple[Directive, ...], values: dict[str, tuple[str, ...]]) -> list[str]:
    name, first = directive.name, directive.first
    if name in LOGS and first and not NO_LOG_FILE.match(first) and "$" not in first:
        return [posixpath.dirname(prefixed(first))]
    if name in ("pid", "lock_file") and first and not parents:
        return [posixpath.dirname(prefixed(first))]
    if FOLDERS.match(name) and first:
        return [prefixed(path) for path in expand(first, values) if path and path != "off"]
    if name == "server" and len(parents) == 1 and parents[0].name == "http":
        return [posixpath.dirname(listen.host) for listen in listens_of(directive) if listen.port is None]
    return []
