"""Logging in by SSH: what the other machine is asked, and what to do if it does not let us in."""

from __future__ import annotations

import getpass
from typing import Any

from hopcost.errors import CannotMeasure, UsageError, needs_extra
from hopcost.measure.fleet.ssh.names import Access, Login

with needs_extra("fleet", "another machine"):
    import asyncssh

CONNECT_S = 10.0
KEEPALIVE_S, KEEPALIVES = 5, 3  # a machine that is silent for as long as all of them is lost


async def log_in(
    where: str, login: Login, access: Access, *, forwards_agent: bool = False
) -> asyncssh.SSHClientConnection:
    """A connection to a machine whose key is known; `where` names it. CannotMeasure with what to do if there is none.

    ~/.ssh/config takes no part: what is measured must not hang on a file that no record has. With `forwards_agent`
    commands there may log in elsewhere by the user's SSH agent.
    """
    user = login.user or getpass.getuser()
    known_hosts = access.known_hosts.expanduser()
    options: dict[str, Any] = {"client_keys": [str(key) for key in access.keys]} if access.keys else {}
    try:
        trusted = known_hosts.read_bytes() if known_hosts.exists() else b""
        return await asyncssh.connect(
            login.host,
            login.port,
            username=user,
            known_hosts=trusted or b"\n",  # empty bytes would mean a file that nobody named
            config=None,
            agent_forwarding=forwards_agent,
            connect_timeout=CONNECT_S,
            login_timeout=CONNECT_S,
            keepalive_interval=KEEPALIVE_S,
            keepalive_count_max=KEEPALIVES,
            **options,
        )
    except asyncssh.HostKeyNotVerifiable as error:
        raise CannotMeasure(
            f"{where}: its host key is not the one in {known_hosts}, or not in there: {error}",
            f"ssh {login.words()} once, and compare the key before you accept it",
        ) from error
    except asyncssh.PermissionDenied as error:
        raise CannotMeasure(
            f"{where}: it lets {user} not log in: {error.reason}",
            f"ssh {login.words()} must let you in without asking: ssh-copy-id, ssh-add, or the file for --ssh-key",
        ) from error
    except asyncssh.KeyImportError as error:
        raise UsageError(
            f"no key that can be read: {error}", "ssh-add takes one with a passphrase, without --ssh-key"
        ) from error
    except (asyncssh.Error, OSError) as error:
        raise CannotMeasure(
            f"{where}: it cannot be reached: {error or type(error).__name__}",
            f"ssh {login.words()} must work from here",
        ) from error
