"""The machine that `--on` names, and how to log in there. No machine is asked."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from hopcost.errors import UsageError

SSH_PORT = 22
EXAMPLE = "--on g=user@host:port; user and port may be left out"
LOGIN = re.compile(r"(?:(?P<user>[^@:\s]+)@)?(?:\[(?P<v6>[0-9A-Fa-f:.%\w]+)\]|(?P<host>[^@:\[\]\s]+))(?::(?P<port>\d+))?")


class Login(msgspec.Struct, frozen=True):
    """Where an SSH server listens, and the user there; None is the user's own name."""

    host: str
    user: str | None = None
    port: int = SSH_PORT

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
    """All that a run must know of the generator's machine.

    `address` is where the generator's machine reaches this one; None: where its SSH server sees it.
    """

    generator: Login
    access: Access = Access()
    address: str | None = None


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


def read_generator(text: str) -> Login:
    """`g=HOST`; UsageError with what is wrong.

    >>> read_generator("g=b")
    Login(host='b', user=None, port=22)
    """
    role, equals, host = text.partition("=")
    if not equals or role.strip() != "g":
        raise UsageError(f"--on: expected g=HOST, the generator's machine, got '{text}'", EXAMPLE)
    return read_login(host.strip())
