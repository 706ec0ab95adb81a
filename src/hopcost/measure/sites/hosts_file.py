"""hosts.toml: the machines of a fleet, and which of them make a site. Strict; no machine is asked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.errors import UsageError, nearest
from hopcost.measure.fleet.ssh.names import SSH_PORT, Access, Login

Name = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9.-]{0,40}$")]
Port = Annotated[int, Meta(ge=1, lt=1 << 16)]
EXAMPLE = "docs/how-to/machine/fleet.md has an example"


class Defaults(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What holds for every machine that does not say otherwise, and how to log in."""

    user: Annotated[str | None, Meta(description="who logs in; by default the user's own name")] = None
    port: Annotated[Port, Meta(description="of the SSH servers")] = SSH_PORT
    hopcost: Annotated[str, Meta(description="the command there; by default found on the PATH")] = "hopcost"
    known_hosts: Annotated[str, Meta(description="file of the machines' SSH keys")] = "~/.ssh/known_hosts"
    keys: Annotated[list[str], Meta(description="files of keys to log in with; by default the user's own")] = []


class HostEntry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One machine."""

    ssh: Annotated[str | None, Meta(description="where its SSH server is; by default the machine's name")] = None
    address: Annotated[
        str | None, Meta(description="of a stacks' machine: where its generators reach it; by default it is found out")
    ] = None
    control: Annotated[
        str | None, Meta(description="its address on the network that the controller uses; by default that of `ssh`")
    ] = None
    user: Annotated[str | None, Meta(description="as in [defaults]")] = None
    port: Annotated[Port | None, Meta(description="as in [defaults]")] = None
    hopcost: Annotated[str | None, Meta(description="as in [defaults]")] = None


class SiteEntry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Machines that measure blocks together."""

    stack: Annotated[Name, Meta(description="the machine that stacks run on; it names the site")]
    generators: Annotated[
        list[Name],
        Meta(description="the generator's machine, or several that make one load; empty: it runs beside the stacks"),
    ] = []


class HostsFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The file as it stands."""

    hosts: Annotated[dict[Name, HostEntry], Meta(min_length=1, description="the machines, by name: `[hosts.NAME]`")]
    sites: Annotated[list[SiteEntry], Meta(min_length=1, description="`[[sites]]`")]
    defaults: Annotated[Defaults, Meta(description="`[defaults]`")] = Defaults()
    controller: Annotated[
        str | None, Meta(description="this machine's address as the sites reach it; by default the one that SSH uses")
    ] = None


class Host(msgspec.Struct, frozen=True):
    """A machine of the fleet with everything decided."""

    name: str
    login: Login
    hopcost: str
    address: str | None = None
    control: str | None = None

    @property
    def bound(self) -> str:
        """Where what is started there for the controller listens."""
        return self.control or self.login.host


class Site(msgspec.Struct, frozen=True):
    """A stacks' machine and, if it does not make the load itself, its generators'."""

    stack: Host
    generators: tuple[Host, ...] = ()

    @property
    def name(self) -> str:
        """The stacks' machine's."""
        return self.stack.name

    @property
    def hosts(self) -> list[Host]:
        """Its machines."""
        return [self.stack, *self.generators]


class Fleet(msgspec.Struct, frozen=True):
    """Sites, how to log in there, and this machine's address if the file names it."""

    sites: list[Site]
    access: Access
    controller: str | None = None

    @property
    def hosts(self) -> list[Host]:
        """All machines; each is in one site."""
        return [host for site in self.sites for host in site.hosts]


def read_fleet(path: Path) -> Fleet:
    """The fleet of a file; UsageError with the key that is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: it cannot be read: {getattr(error, 'strerror', None) or error}", EXAMPLE) from error
    return parse_fleet(text, str(path), path.parent)


def parse_fleet(text: str, where: str, folder: Path) -> Fleet:
    """The same of a text; files that it names are relative to `folder`. UsageError with the key that is wrong."""
    try:
        file = msgspec.toml.decode(text, type=HostsFile)
    except msgspec.DecodeError as error:
        raise UsageError(f"{where}: {error}", EXAMPLE) from error
    _refuse_what_contradicts(file, where)
    access = Access(
        keys=tuple(_file(where, folder, name) for name in file.defaults.keys),
        known_hosts=_file(where, folder, file.defaults.known_hosts),
    )
    sites = [
        Site(_host(file, entry.stack), tuple(_host(file, name) for name in entry.generators)) for entry in file.sites
    ]
    return Fleet(sites, access, file.controller)


def _refuse_what_contradicts(file: HostsFile, where: str) -> None:
    used: dict[str, str] = {}
    for number, site in enumerate(file.sites):
        key = f"sites[{number}]"
        for name in (site.stack, *site.generators):
            if name not in file.hosts:
                raise UsageError(f"{where}: {key}: there is no [hosts.{name}]", nearest(name, file.hosts))
            if name in used:
                raise UsageError(
                    f"{where}: {key}: {name} is in {used[name]} already: a machine is in one site only",
                    "a stacks' machine without generators makes the load itself",
                )
            used[name] = key
    logins: dict[Login, str] = {}
    for name in used:
        login = _host(file, name).login
        if login in logins:
            raise UsageError(f"{where}: hosts.{name} and hosts.{logins[login]} are one machine: {login.text}", None)
        logins[login] = name


def _host(file: HostsFile, name: str) -> Host:
    entry, defaults = file.hosts[name], file.defaults
    login = Login(entry.ssh or name, entry.user or defaults.user, entry.port or defaults.port)
    return Host(name, login, entry.hopcost or defaults.hopcost, entry.address, entry.control)


def _file(where: str, folder: Path, name: str) -> Path:
    path = folder / Path(name).expanduser()
    if not path.is_file() and not re.fullmatch(r"~/\.ssh/known_hosts", name):
        raise UsageError(f"{where}: defaults: there is no file {path}", "files are named from the folder of hosts.toml")
    return path
