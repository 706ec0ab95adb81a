"""What a jail holds: the configuration's files as they are or edited, and all that they name."""

from __future__ import annotations

import grp
import os
import posixpath
import pwd
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from hopcost.nginx.edits import Edit, edited
from hopcost.nginx.needs import Certificate, FileKind, Needs
from hopcost.nginx.needs.certificates import ADDED
from hopcost.nginx.read import ConfigurationText
from hopcost.nginx.tree import walk
from hopcost.stacks.client.address import LOOPBACK
from hopcost.stacks.jail.made import keys
from hopcost.stacks.jail.made.layout import Bound, Folder, Item, Written
from hopcost.stacks.jail.made.passwords import make_users
from hopcost.stacks.jail.made.script import system_items
from hopcost.stacks.jail.possible import IDS, has_one_user
from hopcost.stacks.jail.tried.added import CERTIFICATE, KEY, Added
from hopcost.stacks.jail.version import NginxVersion

FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/var/run", "/var/log/nginx", "/var/lib/nginx", "/var/cache/nginx")
READ = ("conf-path", "modules-path", "sbin-path")  # of what nginx was built with; it writes at the others
BUILT_IN = ("nobody", "nogroup", "nginx", "www-data")  # users and groups that a build may take if told none
FIRST_ID = 64_100  # of users that this machine does not have
INDEX = f"<!doctype html>\n<title>hopcost</title>\n{'<p>A page that stands in for one that is not here.</p>' * 18}\n"
ONLINE = "/sys/devices/system/cpu/online"  # what `worker_processes auto` counts


class Contents(msgspec.Struct, frozen=True):
    """`files` are shown and kept, `made` are keys and the like; both by their names in the stack's folder.

    `authorities` are the certificates that a client trusts. `notes` say what is not as in the originals.
    """

    items: list[Item]
    files: dict[str, str]
    made: dict[str, bytes]
    authorities: str
    logs: list[str]
    notes: list[str]


class _Maker:
    """Collects items, and gives their files names of their own in the stack's folder."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.items: list[Item] = []
        self.files: dict[str, str] = {}
        self.made: dict[str, bytes] = {}
        self.notes: list[str] = []

    def show(self, path: str, text: str) -> None:
        """A file that may be read."""
        name = self._name + path.replace("/", "_")
        self.files[name] = text
        self.items.append(Written(path, name))

    def hide(self, path: str, content: bytes | str) -> None:
        """A file that is not kept."""
        name = self._name + path.replace("/", "_")
        self.made[name] = content.encode() if isinstance(content, str) else content
        self.items.append(Written(path, name, secret=True))


def contents_of(
    name: str,
    text: ConfigurationText,
    needs: Needs,
    added: Added,
    edits: Sequence[Edit],
    nginx: NginxVersion,
    *,
    host: str,
    cores: int,
    sockets: Mapping[str, str],
    has_index: bool = False,
) -> Contents:
    """The jail of the hop `name`. `sockets` of this stack's folder are at these paths of the jail.

    Folders that are served and not here are empty, but for an index.html if the site `has_index`.
    """
    maker = _Maker(name)
    maker.items += system_items()
    maker.items += _of_nginx(nginx)
    _put_configuration(maker, text, edits)
    authorities = _make_certificates(maker, needs, added, host)
    for file in needs.files:
        _put_file(maker, text, file.path, file.kind, authorities)
    made = {item.path for item in maker.items}
    folders = [*FOLDERS, *added.folders, *(folder.path for folder in needs.folders if folder.is_written)]
    folders += [posixpath.dirname(path) for name, path in nginx.paths.items() if name not in READ]
    maker.items += [Folder(folder) for folder in dict.fromkeys(folders) if folder not in made]
    served = [folder.path for folder in needs.folders if not folder.is_written]
    for folder in dict.fromkeys([*needs.roots, *served]):
        real = _real(text, folder) if folder != "/" else None
        maker.items.append(Folder(folder) if real is None else Bound(folder, str(real)))
        if real is None and has_index and folder != "/":
            maker.show(posixpath.join(folder, "index.html"), INDEX)
    maker.items += [Bound(path, real) for path, real in sockets.items()]
    _put_system(maker, needs, added, cores)
    return Contents(maker.items, maker.files, maker.made, authorities, _logs(text, nginx), maker.notes)


def _of_nginx(nginx: NginxVersion) -> Iterable[Item]:
    """The user's own build, if it lies outside of the system's folders."""
    for path in (nginx.path, nginx.prefix, nginx.modules_path):
        real = Path(path).resolve()
        if real.exists() and not real.is_relative_to("/usr"):
            yield Bound(path, str(real))


def _put_configuration(maker: _Maker, text: ConfigurationText, edits: Sequence[Edit]) -> None:
    """Files without edits are the user's own, those with edits are copies."""
    for path, original in text.files.items():
        changed = edited(original, [edit for edit in edits if edit.file == path])
        if path in text.paths and changed == original:
            maker.items.append(Bound(path, str(text.paths[path])))
        else:
            maker.show(path, changed)


def _make_certificates(maker: _Maker, needs: Needs, added: Added, host: str) -> str:
    """All certificates with their keys; the certificates in one text."""
    hosts = tuple(dict.fromkeys([host, "localhost", LOOPBACK, *(h for own in needs.certificates for h in own.hosts)]))
    certificates = list(needs.certificates)
    certificates += [Certificate(CERTIFICATE, KEY, hosts)] if added.has_certificate else []
    lacking = [*added.certificates, *added.keys]
    certificates += [Certificate(path, path, hosts) for path in lacking]
    maker.notes += [
        f"{certificate.path}: its key cannot be read here: a new one is RSA with 2048 bits"
        for certificate in needs.certificates
        if certificate.is_assumed and certificate.path != ADDED
    ]
    texts: dict[str, None] = {}
    for certificate in certificates:
        pem, key = keys.make_pair(certificate.kind, certificate.bits, hosts)
        texts[pem] = None
        if certificate.path == certificate.key_path:
            maker.hide(certificate.path, pem + key)
            continue
        maker.hide(certificate.path, pem)
        maker.hide(certificate.key_path, key)
    return "".join(texts)


def _put_file(maker: _Maker, text: ConfigurationText, path: str, kind: FileKind, authorities: str) -> None:
    """A file besides: secrets are made, others are the user's own where they exist."""
    real = _real(text, path)
    match kind:
        case FileKind.DHPARAM:
            maker.hide(path, keys.make_dhparam())
        case FileKind.TICKET_KEY:
            length = real.stat().st_size if real is not None else keys.TICKET_KEY_BYTES
            maker.hide(path, keys.make_ticket_key(length))
        case FileKind.USERS:
            _put_users(maker, path, real)
        case FileKind.PASSWORDS:
            maker.hide(path, "\n")
        case FileKind.AUTHORITIES:
            maker.hide(path, authorities or keys.make_pair("ec", 256, ("localhost",))[0])
        case _ if real is not None:
            maker.items.append(Bound(path, str(real)))


def _put_users(maker: _Maker, path: str, real: Path | None) -> None:
    """hopcost's own user, whose password is hashed as those of the original."""
    try:
        original = None if real is None else real.read_text(encoding="utf-8", errors="replace")
    except OSError:
        original = None
    users = make_users(original)
    maker.show(path, users.text)
    if not users.is_original:
        maker.notes.append(f"{path}: nobody can tell how its passwords are hashed: hopcost's own is {users.words}")


def _real(text: ConfigurationText, path: str) -> Path | None:
    """Where a file or folder that the configuration names is on this machine; None if it is not there."""
    inner = posixpath.relpath(path, "/etc/nginx")
    for place in [*([] if inner.startswith("..") else [text.folder / inner]), Path(path)]:
        if os.path.exists(place):  # noqa: PTH110 - where it may not be looked at it is not there
            return place.resolve()
    return None


def _put_system(maker: _Maker, needs: Needs, added: Added, cores: int) -> None:
    """Users, hosts, and how many cores there are."""
    users, groups = _users([*needs.users, *added.users, *BUILT_IN], [*needs.groups, *added.groups, *BUILT_IN])
    maker.show("/etc/passwd", users)
    maker.show("/etc/group", groups)
    names = dict.fromkeys(["localhost", *needs.hosts, *added.hosts])
    maker.show("/etc/hosts", "".join(f"{LOOPBACK} {name}\n" for name in names))
    maker.show("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")
    maker.show(ONLINE, f"0-{cores - 1}\n" if cores > 1 else "0\n")


def _users(users: Iterable[str], groups: Iterable[str]) -> tuple[str, str]:
    """The passwd and group files, with this machine's ids where it knows a name.

    Where nobody else can be become, all are the present user.
    """
    alone = has_one_user(IDS.read_text())
    group_ids = {"root": 0}
    for number, name in enumerate(dict.fromkeys([*groups, *users])):
        group_ids.setdefault(name, os.getegid() if alone else _group_id(name, FIRST_ID + number))
    user_ids = {"root": 0}
    for number, name in enumerate(dict.fromkeys(users)):
        user_ids.setdefault(name, os.geteuid() if alone else _user_id(name, FIRST_ID + number))
    passwd = [f"{name}:x:{number}:{group_ids.get(name, number)}::/:/bin/false\n" for name, number in user_ids.items()]
    return "".join(passwd), "".join(f"{name}:x:{number}:\n" for name, number in group_ids.items())


def _user_id(name: str, otherwise: int) -> int:
    try:
        return pwd.getpwnam(name).pw_uid
    except KeyError:
        return otherwise


def _group_id(name: str, otherwise: int) -> int:
    try:
        return grp.getgrnam(name).gr_gid
    except KeyError:
        return otherwise


def _logs(text: ConfigurationText, nginx: NginxVersion) -> list[str]:
    """The files that it logs into, by their paths in the jail."""
    named = [
        directive.first
        for directive, _ in walk(text)
        if directive.name in ("access_log", "error_log") and directive.args
    ]
    files = [name for name in named if name != "off" and ":" not in name and "$" not in name and name != "stderr"]
    built = [nginx.paths[name] for name in ("http-log-path", "error-log-path") if name in nginx.paths]
    return list(dict.fromkeys(posixpath.join(nginx.prefix, path) for path in [*files, *built, "/dev/stderr"]))
