"""The network that a stack gets: a namespace of its own where this machine allows it, else the host's loopback.

It must not know programs. What an arm asks for and cannot have here is said, with the reason; nothing of the host is
changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache

import msgspec

from hopcost import PACKAGE
from hopcost.stacks.sandbox import namespaces

TRIAL_S = 10.0
TRIED = "HOPCOST_USER_NAMESPACE"  # in the environment: this process has already been started again


class Network(msgspec.Struct, frozen=True):
    """Whether stacks get network namespaces of their own; without, `why` says what refused."""

    own: bool
    why: str | None = None


COST = (
    "stacks share the host's loopback, with its sysctls, firewall rules and ports in TIME_WAIT, and arms with a link or"
    " with sysctls of net.* are refused"
)
HOST = Network(own=False, why="not asked for")


@cache
def find_network() -> Network:
    """Whether this process can make network namespaces: tried, not guessed."""
    trial = "import sys; sys.path.append(sys.argv[1]); from hopcost.stacks.sandbox import namespaces; namespaces.make()"
    return _tried([sys.executable, "-I", "-S", "-c", trial, _package_folder()])


def enter_user_namespace() -> None:
    """Where only a user namespace gives the right to make network namespaces, start this command again in one.

    There it has every right over what it makes and none over the host; programs lose those rights (the keeper takes
    them away). Returns where that is not needed, or not to be had.
    """
    unshare = shutil.which("unshare")
    if os.environ.get(TRIED) or unshare is None or find_network().own:
        return
    command = [unshare, "--user", "--map-current-user", "--keep-caps"]
    if _tried([*command, "--net", "--", "true"]).own:
        os.environ[TRIED] = "1"
        sys.stdout.flush()
        sys.stderr.flush()
        os.execv(unshare, [*command, "--", sys.executable, *sys.orig_argv[1:]])


def leave_the_hosts() -> None:
    """In a user namespace: move this process into a network namespace that it owns.

    From a stack's there would be no way back to the host's. Programs must have been built before: nothing beyond this
    machine is reached from there.
    """
    if os.environ.get(TRIED) and find_network().own:
        namespaces.make()


def _tried(command: list[str]) -> Network:
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=TRIAL_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Network(own=False, why=str(error))
    lines = run.stderr.strip().splitlines()
    return Network(own=run.returncode == 0, why=None if run.returncode == 0 else lines[-1] if lines else "refused")


def _package_folder() -> str:
    return str(PACKAGE.resolve().parent)
