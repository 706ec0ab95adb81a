"""The same configuration with all that it needs at other places: for machines where no jail can be made.

Paths, users, ports and names of hosts tie a configuration to its machine. All else stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hopcost.nginx.edits import Edit
from hopcost.nginx.needs.certificates import absolute
from hopcost.nginx.needs.files import FOLDERS, KINDS, LOGS, LUA_FILE, NO_LOG_FILE, prefixed
from hopcost.nginx.read.text import ConfigurationText
from hopcost.nginx.sites.listen import Listen, listens_of
from hopcost.nginx.tokens import Token
from hopcost.nginx.tree import Directive, inside, walk

LOOPBACK = "127.0.0.1"
CERTIFICATE = re.compile(r"\w*ssl_certificate(?:_key)?$")
VARIABLE = re.compile(r"\$\{?(\w+)\}?")
NEEDS_QUOTES = re.compile(r"[\s;{}'\"]")
NAMES_A_HOST = re.compile(r"(?:server|resolver|access_log|error_log|\w+_pass)$")
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")  # folders that nginx wants whatever is configured


@dataclass(frozen=True)
class Elsewhere:
    """Where things are. `path_of` gives the place of a path, `ports` that of a port; `hosts` are this machine."""

    path_of: Callable[[str], str]
    ports: Mapping[int, int]
    hosts: Sequence[str]
    cores: int
    without: Sequence[str] = ()
    """options of the nginx, such as --without-http_scgi_module"""
    access_log: str = "/var/log/nginx/access.log"
    """where it logs if told nothing"""


def edits_elsewhere(text: ConfigurationText, elsewhere: Elsewhere) -> list[Edit]:
    """The edits of a whole configuration. No two touch each other."""
    variables = _variables_of_paths(text)
    edits: list[Edit] = []
    for directive, parents in walk(text):
        if directive.name == "user" and not parents:
            edits.append(_without(text, directive))
        elif directive.name == "worker_processes" and directive.first == "auto":
            edits.append(_word(directive, directive.words[1], str(elsewhere.cores)))
        elif directive.name == "server" and parents and parents[-1].name == "http":
            edits += _listens(text, directive, elsewhere)
        elif directive.name == "http" and not parents:
            edits.append(Edit(directive.file, directive.opens, directive.opens, _defaults(directive, elsewhere)))
        else:
            edits += _words(directive, elsewhere, variables, is_main=not parents)
    return list(dict.fromkeys(edits))


def _words(directive: Directive, elsewhere: Elsewhere, variables: set[str], *, is_main: bool) -> Iterator[Edit]:
    """Paths and hosts among its arguments."""
    path = _path_of_argument(directive, variables, is_main=is_main)
    if path is not None:
        token = directive.words[path[0]]
        yield _word(directive, token, elsewhere.path_of(path[1]))
    elif NAMES_A_HOST.match(directive.name):
        for token in directive.words[1:]:
            plain = _with_hosts(token.text, elsewhere.hosts)
            if plain != token.text:
                yield _word(directive, token, plain)


def _path_of_argument(directive: Directive, variables: set[str], *, is_main: bool) -> tuple[int, str] | None:
    """Which word is a path, and the path as nginx takes it; None if none is, or a variable says it."""
    name, first = directive.name, directive.first
    if name == "js_import" and directive.args:
        return len(directive.args), absolute(directive.args[-1])
    if not first or first.startswith("$") or first == "off":
        set_here = name == "set" and first.lstrip("$") in variables and directive.args[1:2]
        return (2, directive.args[1]) if set_here and directive.args[1].startswith("/") else None
    if name == "include" or name in KINDS or CERTIFICATE.match(name) or LUA_FILE.match(name):
        return None if first.startswith("data:") else (1, absolute(first))
    if name in LOGS:
        return None if NO_LOG_FILE.match(first) else (1, prefixed(first))
    if FOLDERS.match(name) or (name in ("pid", "lock_file") and is_main):
        return 1, prefixed(first)
    return None


def _variables_of_paths(text: ConfigurationText) -> set[str]:
    """The variables that folders begin with, and those that these are made of."""
    names = {
        begins[1]
        for directive, _ in walk(text)
        if FOLDERS.match(directive.name) and (begins := VARIABLE.match(directive.first))
    }
    for _ in range(len(names) and 4):
        names |= {
            begins[1]
            for directive, _ in walk(text)
            if directive.name == "set" and len(directive.args) == 2 and directive.first.lstrip("$") in names
            if (begins := VARIABLE.match(directive.args[1]))
        }
    return names


def _listens(text: ConfigurationText, server: Directive, elsewhere: Elsewhere) -> Iterator[Edit]:
    """On the loopback of IPv4 alone, each port once: what else there is says the same again."""
    listens = listens_of(server)
    taken: set[int] = set()
    for listen in sorted(listens, key=lambda listen: listen.host.startswith("[")):
        directive, port = listen.directive, listen.port
        if directive is None:
            yield Edit(server.file, server.opens, server.opens, f" listen {LOOPBACK}:{elsewhere.ports[port or 80]};")
        elif port is None:
            yield _word(directive, directive.words[1], f"unix:{elsewhere.path_of(listen.host)}")
        elif port in taken or listen.words & {"quic", "udp"}:
            yield _without(text, directive)
        else:
            taken.add(port)
            yield from _listen(directive, listen, elsewhere.ports[port])


def _listen(directive: Directive, listen: Listen, port: int) -> Iterator[Edit]:
    yield _word(directive, directive.words[1], f"{LOOPBACK}:{port}")
    if any(word.startswith("ipv6only=") for word in listen.words):
        for token in directive.words[2:]:
            if token.text.startswith("ipv6only="):
                yield _word(directive, token, "")


def _defaults(http: Directive, elsewhere: Elsewhere) -> str:
    """What nginx was built to use if nothing says otherwise, on the line of the `{`."""
    said = {directive.name for directive in inside(http)}
    words = [
        f"{name}_temp_path {_quoted(elsewhere.path_of(f'/var/lib/nginx/{name}_temp'))};"
        for name in TEMPORARY
        if f"{name}_temp_path" not in said and f"--without-http_{name}_module" not in elsewhere.without
    ]
    if "access_log" not in said:
        words.append(f"access_log {_quoted(elsewhere.path_of(elsewhere.access_log))};")
    return "".join(f" {word}" for word in words)


def _with_hosts(word: str, hosts: Sequence[str]) -> str:
    """The word with this machine's address in the place of each of these names.

    >>> _with_hosts("http://app:80/app", ["app"]), _with_hosts("syslog:server=log,tag=log", ["log"])
    ('http://127.0.0.1:80/app', 'syslog:server=127.0.0.1,tag=log')
    """
    for host in hosts:
        word = re.sub(rf"(^|//|server=){re.escape(host)}(?=$|[:/,])", rf"\g<1>{LOOPBACK}", word, count=1)
    return word


def _word(directive: Directive, token: Token, word: str) -> Edit:
    return Edit(directive.file, token.start, token.end, _quoted(word))


def _quoted(word: str) -> str:
    return f'"{word}"' if NEEDS_QUOTES.search(word) else word


def _without(text: ConfigurationText, directive: Directive) -> Edit:
    """Line ends stay, so that nginx's line numbers are the user's."""
    lines = text.files[directive.file].count("\n", directive.start, directive.end)
    return Edit(directive.file, directive.start, directive.end, "\n" * lines)
