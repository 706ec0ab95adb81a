"""How a jail's root folder is put together: the lines of a shell script. The machine is only looked at here."""

from __future__ import annotations

import os
import posixpath
import shlex
from collections.abc import Iterable
from pathlib import Path

import msgspec

FLAGS = {os.ST_NOSUID: "nosuid", os.ST_NODEV: "nodev", os.ST_NOEXEC: "noexec"}  # a user namespace may not take them off


class Folder(msgspec.Struct, frozen=True):
    """An empty folder that can be written."""

    path: str


class Bound(msgspec.Struct, frozen=True):
    """A file or folder of this machine, to be read only."""

    path: str
    real: str


class Written(msgspec.Struct, frozen=True):
    """A copy of a file of the stack's folder; nobody but root and nginx's master reads what is `secret`."""

    path: str
    source: str
    secret: bool = False


class Link(msgspec.Struct, frozen=True):
    """A symbolic link, to a relative path."""

    path: str
    target: str


Item = Folder | Bound | Written | Link

HEAD = """\
own() {  # a folder that can be written
  mkdir -p "$jail$1"
  mount -t tmpfs -o mode=755 hopcost "$jail$1"
}
have() {  # what this machine has at $1, as $2 in the jail
  if [ -d "$1" ]; then mkdir -p "$jail$2"; else mkdir -p "$jail${2%/*}"; [ -e "$jail$2" ] || : > "$jail$2"; fi
  mount --rbind "$1" "$jail$2"
  mount -o "remount,bind,$3" "$jail$2"
}
put() {  # a file of this stack, as $2 in the jail
  mkdir -p "$jail${2%/*}"
  cp "$stack/$1" "$jail$2"
  chmod "$3" "$jail$2"
}
"""


class Layout:
    """The commands that make the items, one after the other. Each knows what is there by then."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._places: dict[str, str | None] = {"/": None}  # mount points: what of this machine is there, or nothing

    def add(self, items: Iterable[Item]) -> None:
        """The folders of this machine first, so that others can lie inside of them."""
        for item in sorted(dict.fromkeys(items), key=_order):
            self._add(item)

    def _add(self, item: Item) -> None:
        path = posixpath.normpath(item.path)
        real = self._real(path)
        if real is not None and os.path.realpath(real) != real:
            path = real = os.path.realpath(real)  # through a link of this machine
        if isinstance(item, Bound) and real is not None and real == os.path.realpath(item.real):
            return
        if real is not None:
            if isinstance(item, Folder) and Path(real).is_dir():
                self._own(path)
                return
            if isinstance(item, (Bound, Written)) and Path(real).is_file():
                self._cover(path, item)
                return
            self._shadow(path)
        match item:
            case Folder():
                self.lines.append(f"mkdir -p {_in_jail(path)}")
            case Bound(real=source):
                self._have(source, path)
            case Written(source=source, secret=secret):
                self.lines.append(f"put {_words(source, path)} {'600' if secret else '644'}")
            case Link(target=target):
                self.lines.append(f"mkdir -p {_in_jail(posixpath.dirname(path))}")
                self.lines.append(f"[ -e {_in_jail(path)} ] || ln -s {_words(target)} {_in_jail(path)}")

    def _real(self, path: str) -> str | None:
        """Where on this machine the path lies that is seen there now; None if the jail has a place of its own."""
        place = path
        while place not in self._places:
            place = posixpath.dirname(place)
        source = self._places[place]
        return None if source is None else posixpath.normpath(source + path[len(place) :])

    def _own(self, path: str) -> None:
        self.lines.append(f"own {_words(path)}")
        self._places[path] = None

    def _have(self, source: str, path: str) -> None:
        self.lines.append(f"have {_words(source, path)} {_options(source)}")
        if Path(source).is_dir():
            self._places[path] = source

    def _cover(self, path: str, item: Bound | Written) -> None:
        """Lay a file over one that is there."""
        if isinstance(item, Bound):
            self._have(item.real, path)
        else:
            self.lines.append(f'mount --bind "$stack"/{_words(item.source)} {_in_jail(path)}')

    def _shadow(self, path: str) -> None:
        """Make room for a path that a folder of this machine does not have: one of our own with the same entries."""
        folder = posixpath.dirname(path)
        while not Path(real := self._real(folder) or "/").is_dir():
            folder = posixpath.dirname(folder)
        entries = sorted(Path(real).iterdir())
        self._own(folder)
        for entry in entries:
            inside = posixpath.join(folder, entry.name)
            if entry.is_symlink():
                self.lines.append(f"ln -s {_words(os.readlink(entry))} {_in_jail(inside)}")  # noqa: PTH115
            else:
                self._have(str(entry), inside)


def _order(item: Item) -> tuple[int, int, str]:
    """Folders of this machine, then all else, each from the root down."""
    is_late = not (isinstance(item, Bound) and Path(item.real).is_dir())
    return int(is_late), item.path.count("/"), item.path


def _options(real: str) -> str:
    try:
        flags = os.statvfs(real).f_flag
    except OSError:
        flags = 0
    return ",".join(["ro", *(word for flag, word in FLAGS.items() if flags & flag)])


def _words(*words: str) -> str:
    return shlex.join(words)


def _in_jail(path: str) -> str:
    return f'"$jail"{shlex.quote(path)}'
