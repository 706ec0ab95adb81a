"""Where the files of a configuration lie: the user's folder stands for /etc/nginx, the rest is where it is named."""

from __future__ import annotations

import glob
import posixpath
import re
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from importlib.resources import files
from pathlib import Path

from hopcost.errors import UsageError
from hopcost.nginx.read.text import ETC_NGINX

HAS_WILDCARD = re.compile(r"[*?\[]")
SITE_FOLDERS = re.compile(r"(?i)site|conf\.d|http\.d|vhost|server|host")
MODULE_FOLDERS = re.compile(r"(?i)module")


@dataclass
class Finder:
    """Finds files for nginx. `folder` stands for /etc/nginx; `placed` are files put where the user has none."""

    folder: Path
    machine: Path = Path("/")
    placed: dict[str, Path] = field(default_factory=dict)

    def path_of(self, name: str) -> Path:
        """Where the file lies that nginx reads as `name`."""
        if name in self.placed:
            return self.placed[name]
        inner = posixpath.relpath(name, ETC_NGINX)
        if not inner.startswith("..") or (self.folder / inner).exists():
            return _follow(self.folder / inner, self.folder)
        return self.machine / name.lstrip("/")

    def names_of(self, pattern: str) -> tuple[str, ...]:
        """nginx's paths of what an `include` means: sorted, and nothing that begins with a dot for a `*`."""
        whole = posixpath.normpath(posixpath.join(ETC_NGINX, pattern))
        if not HAS_WILDCARD.search(whole):
            return (whole,) if whole in self.placed or self.path_of(whole).exists() else ()
        inner = posixpath.relpath(whole, ETC_NGINX)
        below = self.folder if not inner.startswith("..") or not pattern.startswith("/") else self.machine
        part = inner if below is self.folder else whole.lstrip("/")
        names = {
            posixpath.normpath(posixpath.join(ETC_NGINX if below is self.folder else "/", match))
            for match in glob.glob(part, root_dir=below)  # noqa: PTH207 -- as nginx: no dotted names for a star
        }
        names |= {name for name in self.placed if fnmatch(name, whole) and name.count("/") == whole.count("/")}
        return tuple(sorted(names))


def takes_sites(pattern: str) -> bool:
    """Whether an `include` of this pattern is for the files of sites, by its folder's name.

    >>> takes_sites("sites-enabled/*"), takes_sites("modules-enabled/*.conf"), takes_sites("*.conf")
    (True, False, False)
    """
    folder = posixpath.dirname(pattern)
    return bool(SITE_FOLDERS.search(folder)) and not MODULE_FOLDERS.search(folder)


def _follow(path: Path, folder: Path) -> Path:
    """A link to /etc/nginx/… in a copy of that folder means the file in the copy."""
    if path.is_symlink() and not path.exists():
        target = path.readlink()
        if target.is_relative_to(ETC_NGINX):
            return folder / target.relative_to(ETC_NGINX)
    return path


def read_text(path: Path, called: str) -> str:
    """A file's text with its line ends as they are; UsageError if it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError as error:
        if path.is_symlink():
            target = path.readlink()
            raise UsageError(
                f"{called} is a link to {target}, which is not here", "copy that file to its place, or remove the link"
            ) from error
        raise UsageError(f"{called} does not exist", "name your nginx.conf") from error
    except IsADirectoryError as error:
        raise UsageError(f"{called} is a folder, and nginx would stop at it", "name a file") from error
    except OSError as error:
        raise UsageError(f"{called} cannot be read: {error.strerror}", "run this as a user who may read it") from error


@cache
def supplied_texts() -> dict[str, str]:
    """What every nginx package brings along, by the end of its path: for a configuration that came without them."""
    folder = files("hopcost.nginx.read") / "shipped"
    return {entry.name: entry.read_text("utf-8") for entry in folder.iterdir() if entry.is_file()}


def supplied_for(name: str) -> str | None:
    """A text for a known file that is missing; None if it is not a known one."""
    base = posixpath.basename(name)
    return supplied_texts().get(base) if base != "nginx.conf" else None
