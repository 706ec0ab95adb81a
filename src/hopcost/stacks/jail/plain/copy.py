"""The rewritten copy: a folder that stands for the root folder, and the texts that look for things there."""

from __future__ import annotations

import os
import posixpath
import shlex
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from hopcost.nginx.edits import Edit
from hopcost.nginx.needs.elsewhere import Elsewhere, edits_elsewhere
from hopcost.nginx.read import ConfigurationText
from hopcost.nginx.tree import walk
from hopcost.stacks.jail.made.contents import Contents
from hopcost.stacks.jail.made.layout import Bound, Folder, Item, Written
from hopcost.stacks.jail.version import NginxVersion
from hopcost.stacks.sandbox.ports import Ports

REWRITTEN = "a copy runs in which paths, users, ports and names of hosts are rewritten, and IPv6 is left out"
OF_THE_SYSTEM = ("/etc/passwd", "/etc/group", "/etc/hosts", "/etc/nsswitch.conf", "/sys")
OPTION_OF_ERROR_LOG = (1, 19, 5)  # `-e`: without it nginx first looks where it was built to


def root_of(directory: Path, name: str) -> Path:
    """The folder that stands for the root folder of a hop."""
    return directory / f"{name}-root"


@cache
def free_ports() -> Ports:
    """Ports of the host for all copies of this process."""
    return Ports()


def copied(
    name: str,
    contents: Contents,
    text: ConfigurationText,
    edits: Sequence[Edit],
    nginx: NginxVersion,
    *,
    root: Path,
    ports: Mapping[int, int],
    hosts: Sequence[str],
    cores: int,
) -> Contents:
    """What a jail would hold, as files below `root`: nothing of the machine but what the copy names by its own path."""
    edited = text.with_edits(edits)
    places = Places((item for item in contents.items if item.path not in text.files), str(root))
    log = log_path(nginx, "http-log-path")
    elsewhere = Elsewhere(places.path_of, ports, hosts, cores, nginx.options, log)
    copy = edited.with_edits(edits_elsewhere(edited, elsewhere))
    items: list[Item] = [
        item
        for item in contents.items
        if isinstance(item, (Folder, Written)) and item.path not in copy.files and not _is_of_the_system(item.path)
    ]
    written = [item.source for item in items if isinstance(item, Written)]
    files = {source: contents.files[source] for source in written if source in contents.files}
    for path, content in copy.files.items():
        source = f"{name}{path.replace('/', '_')}"
        files[source] = content
        items.append(Written(path, source))
    return Contents(items, files, contents.made, contents.authorities, contents.logs, contents.notes)


def _is_of_the_system(path: str) -> bool:
    return any(path == known or path.startswith(f"{known}/") for known in OF_THE_SYSTEM)


class Places:
    """Where a jail's paths lie: what is bound at its own place on this machine, all else below the root folder."""

    def __init__(self, items: Iterable[Item], root: str) -> None:
        items = list(items)
        self._root = root
        self._made = {item.path for item in items if isinstance(item, (Folder, Written))}
        bound = [item for item in items if isinstance(item, Bound) and item.path not in ("/usr", "/proc")]
        self._bound = sorted(bound, key=lambda item: -len(item.path))

    def path_of(self, path: str) -> str:
        """The place of a path; what comes behind a folder that is bound, or made, comes behind its place."""
        tail = "/" if path.endswith("/") and len(path) > 1 else ""
        path = posixpath.normpath(path)
        made = max((len(made) for made in self._made if _is_in(path, made)), default=0)
        for item in self._bound:
            if _is_in(path, item.path) and len(item.path) >= made:
                return item.real + path[len(item.path) :] + tail
        return self._root + path + tail


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def log_path(nginx: NginxVersion, name: str) -> str:
    """Where this build logs if it is told nothing."""
    return nginx.paths.get(name, f"/var/log/nginx/{name.partition('-')[0]}.log")


def plain_script(name: str, directory: Path, items: Iterable[Item], command: Sequence[str]) -> str:
    """The script that puts the files below the root folder, and becomes nginx."""
    root = root_of(directory, name)
    lines = [
        "#!/bin/sh",
        f"# {name} without a jail: its files, folders and logs lie in a folder of the stack.",
        "set -eu",
        f"stack={shlex.quote(str(directory))}",
        f"root={shlex.quote(str(root))}",
    ]
    for item in items:
        if isinstance(item, Folder):
            lines.append(f'mkdir -p "$root"{shlex.quote(item.path)}')
    for item in items:
        if isinstance(item, Written):
            target = f'"$root"{shlex.quote(item.path)}'
            lines.append(f'mkdir -p "$root"{shlex.quote(posixpath.dirname(item.path))}')
            mode = "600" if item.secret else "644"
            lines.append(f'cp "$stack"/{shlex.quote(item.source)} {target}; chmod {mode} {target}')
    return "\n".join([*lines, f"exec {shlex.join(command)}"]) + "\n"


def plain_command(nginx: NginxVersion, text: ConfigurationText, root: Path) -> list[str]:
    """nginx with the copy. What it would write at places that it was built with goes below the root folder."""
    said = {directive.name for directive, parents in walk(text) if not parents}
    error_log = f"{root}{log_path(nginx, 'error-log-path')}"
    words = ["daemon off;"]
    words += ["user root;"] if os.geteuid() == 0 else []
    words += [f"error_log {error_log};"] if "error_log" not in said else []
    words += [f"pid {root}/run/nginx.pid;"] if "pid" not in said else []
    early = ["-e", error_log] if nginx.version >= OPTION_OF_ERROR_LOG else []
    return [nginx.path, *early, "-c", f"{root}{text.main}", "-g", " ".join(words)]
