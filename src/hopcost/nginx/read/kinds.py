"""Is a file a main file or a site alone, and what stands around a site."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from hopcost.errors import HopcostError, UsageError
from hopcost.nginx.read.finder import HAS_WILDCARD, MODULE_FOLDERS, Finder, read_text, supplied_texts
from hopcost.nginx.read.text import ETC_NGINX, ConfigurationText
from hopcost.nginx.tree import Directive, parse_file, walk, walk_directives

MAIN_ONLY = frozenset({"http", "events", "stream", "mail", "worker_processes", "user", "pid", "load_module"})
INSIDE_A_SITE = frozenset({"location", "listen", "server_name", "proxy_pass", "fastcgi_pass", "try_files", "return"})
FOLDERS_UP = 4
FOLDERS_OF_SITES = re.compile(r"sites-available|sites-enabled|sites|conf\.d|http\.d|vhosts?(?:\.d)?")


def is_site(top: tuple[Directive, ...], called: str) -> bool:
    """Whether a file is what stands inside of `http`; UsageError if it is a part of a site, or neither."""
    names = {directive.name for directive in top}
    if names & MAIN_ONLY or not names:
        return False
    if "server" in names:
        return True
    if names & INSIDE_A_SITE:
        raise UsageError(
            f"{called} is a part of a site: it has no `server` block", "name the file that includes it, or nginx.conf"
        )
    return "include" not in names


def refuse_no_main(configuration: ConfigurationText, called: str) -> None:
    """UsageError if there is no `http` block in it."""
    at_the_top = {directive.name for directive, parents in walk(configuration) if not parents}
    if "http" in at_the_top:
        return
    if at_the_top & {"stream", "mail"}:
        raise UsageError(f"{called} has no `http` block", "hopcost measures HTTP; `stream` and `mail` it does not")
    raise UsageError(f"{called} has no `http` block", "name the main nginx.conf, or a file with a `server` block")


class Around(NamedTuple):
    """What stands around a site: where files are found, the site's path for nginx, and Debian's nginx.conf or None."""

    finder: Finder
    site: str
    generated: str | None


@dataclass(frozen=True)
class _Main:
    folder: Path
    patterns: list[str]  # of its includes in `http`, absolute


def whole_around(file: Path, machine: Path) -> Around:
    """The nginx.conf above a site if there is one that takes it in, else Debian's."""
    for folder in file.resolve().parents[:FOLDERS_UP]:
        main = _read_main(folder)
        if main is None:
            continue
        finder = Finder(folder, machine)
        names = [name for pattern in main.patterns for name in finder.names_of(pattern)]
        site = next((name for name in names if finder.path_of(name).resolve() == file.resolve()), None)
        if site is not None:
            return Around(finder, site, None)
        site = _place_for(file.name, main.patterns)
        if site is not None:
            return Around(Finder(folder, machine, {site: file}), site, None)
    parent = file.parent.resolve()
    folder = parent.parent if FOLDERS_OF_SITES.fullmatch(parent.name) else file.parent
    site = f"{ETC_NGINX}/sites-enabled/{file.name}"
    return Around(Finder(folder, machine, {site: file}), site, debian_around(site))


def debian_around(site: str) -> str:
    """Debian's nginx.conf with this one site in it."""
    return supplied_texts()["nginx.conf"].replace("SITE", site)


def _read_main(folder: Path) -> _Main | None:
    """The nginx.conf of a folder, if it is a main file that can be read."""
    path = folder / "nginx.conf"
    try:
        top = parse_file(read_text(path, str(path)), str(path)) if path.is_file() else ()
    except HopcostError:
        return None
    http = [directive for directive in top if directive.name == "http"]
    lines = (directive for directive, parents in walk_directives(http) if len(parents) == 1)
    patterns = [directive.first for directive in lines if directive.name == "include"]
    return _Main(folder, [str(Path(ETC_NGINX, pattern)) for pattern in patterns]) if http else None


def _place_for(name: str, patterns: list[str]) -> str | None:
    """A path that one of the includes would take in."""
    for candidate in (name, f"{name}.conf"):
        for pattern in patterns:
            folder, _, last = pattern.rpartition("/")
            if not HAS_WILDCARD.search(last) or HAS_WILDCARD.search(folder) or MODULE_FOLDERS.search(folder):
                continue
            if fnmatch(candidate, last) and not candidate.startswith("."):
                return f"{folder}/{candidate}"
    return None
