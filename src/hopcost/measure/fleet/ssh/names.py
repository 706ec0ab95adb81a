"""The machines that `--on` names, and how to log in there. No machine is asked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import msgspec

from hopcost.errors import UsageError

SSH_PORT = 22
STACKS_ROLE, GENERATOR_ROLE = ROLES = ("s", "g")
EXAMPLE = "--on g=user@host:port; user and port may be left out"
LOGIN = re.compile(
    r"(?:(?P<user>[^@:\s]+)@)?(?:\[(?P<v6>[0-9A-Fa-f:.%\w]+)\]|(?P<host>[^@:\[\]\s]+))(?::(?P<port>\d+))?"
)


class Login(msgspec.Struct, frozen=True):
    """Where an SSH server listens, and the user there; None is the user's own name."""

    host: str
    user: str | None = None
    port: int = SSH_PORT

    @property
    def text(self) -> str:
        """As `--on` takes it.

        >>> Login("b").text, Login("::1", "me", 2222).text
        ('b', 'me@[::1]:2222')
        """
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.user + '@' if self.user else ''}{host}{f':{self.port}' if self.port != SSH_PORT else ''}"

    def words(self) -> str:
        """As `ssh` takes them.

        >>> Login("b").words(), Login("::1", "me", 2222).words()
        ('b', '-p 2222 me@::1')
        """
        port = f"-p {self.port} " if self.port != SSH_PORT else ""
        return f"{port}{self.user + '@' if self.user else ''}{self.host}"


class Access(msgspec.Struct, frozen=True):
    """Keys to log in with (without any, the user's own and the SSH agent's), and the file of known host keys."""

    keys: tuple[Path, ...] = ()
    known_hosts: Path = Path("~/.ssh/known_hosts")


class Elsewhere(msgspec.Struct, frozen=True):
    """All that a run must know of its other machines.

    Its `generators` make one load together. `address` is where they reach the stacks' machine; None: where the SSH
    server of the first one sees it. `stacks` is the stacks' machine; None: this one.
    """

    generators: tuple[Login, ...]
    access: Access = Access()
    address: str | None = None
    stacks: Login | None = None

    @property
    def names(self) -> dict[str, Login]:
        """The generators by name: their hosts, with the port if two have one host.

        >>> list(Elsewhere((Login("b"), Login("c"), Login("c", port=2222))).names)
        ['b', 'c:22', 'c:2222']
        """
        hosts = [login.host for login in self.generators]
        return {
            login.host if hosts.count(login.host) == 1 else f"{login.host}:{login.port}": login
            for login in self.generators
        }


def read_login(text: str) -> Login:
    """`user@host:port`, `host`, `[::1]:22`; UsageError for anything else.

    >>> read_login("me@bench:2222")
    Login(host='bench', user='me', port=2222)
    >>> read_login("[::1]").host
    '::1'
    """
    match = LOGIN.fullmatch(text)
    port = int(match["port"]) if match and match["port"] else SSH_PORT
    if match is None or not 0 < port < 1 << 16:
        raise UsageError(f"--on: expected a machine as user@host:port, got '{text}'", EXAMPLE)
    return Login(match["v6"] or match["host"], match["user"], port)


class Machines(NamedTuple):
    """Those of `--on`: the stacks' machine (None: this one), and the generators', at least one."""

    stacks: Login | None
    generators: tuple[Login, ...]


def read_machines(text: str) -> Machines:
    """`g=HOST`, `s=HOST,g=HOST`, `g=HOST,g=HOST`; UsageError with what is wrong.

    >>> [login.host for login in read_machines("s=a, g=b, g=c").generators]
    ['b', 'c']
    """
    logins: dict[str, list[Login]] = {role: [] for role in ROLES}
    for part in text.split(","):
        role, equals, host = part.strip().partition("=")
        if not equals or role not in ROLES or (role == STACKS_ROLE and logins[role]):
            raise UsageError(
                f"--on: expected g=HOST, or s=HOST,g=HOST (g=HOST several times if several load), got '{text}'", EXAMPLE
            )
        login = read_login(host)
        if any((login.host, login.port) == (other.host, other.port) for same in logins.values() for other in same):
            raise UsageError(f"--on: {login.text} stands twice in '{text}'", "each machine of a run has one part in it")
        logins[role].append(login)
    if not logins[GENERATOR_ROLE]:
        raise UsageError(f"--on: the generator's machine is missing in '{text}'", EXAMPLE)
    return Machines(next(iter(logins[STACKS_ROLE]), None), tuple(logins[GENERATOR_ROLE]))
