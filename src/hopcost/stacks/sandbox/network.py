"""The network that a stack gets: a namespace of its own if this machine allows it, else the host's loopback.

Nothing of the host is changed.
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
from hopcost.stacks.sandbox.home import Home

TRIAL_S = 10.0
TRIED = "HOPCOST_USER_NAMESPACE"  # in the environment: this process has already been started again


class Network(msgspec.Struct, frozen=True):
    """Whether stacks get network namespaces of their own; without, `why` says what refused, `remedy` what helps."""

    own: bool
    why: str | None = None
    remedy: str = (
        "run as root, or allow unprivileged user namespaces (in a container: --cap-add SYS_ADMIN and NET_ADMIN);"
        " hopcost doctor says what is there"
    )


COST = (
    "stacks share the host's loopback, with its sysctls, firewall rules and ports in TIME_WAIT, and arms with a link or"
    " with sysctls of net.* are refused"
)
HOST = Network(own=False, why="not asked for")
REACHED_FROM_ELSEWHERE = Network(
    own=False,
    why="the generator's machine reaches this machine's own network alone",
    remedy="measure it without --on",
)


@cache
def find_network() -> Network:
    """Whether this process can make network namespaces: tried, not guessed."""
    why = _why_failed(_in_new_namespace(""))
    return Network(own=why is None, why=why)


def why_not_shaped() -> dict[str, str | None]:
    """Why the kernel does not shape traffic to a rate (tbf) or with a delay (netem); None if it does. Tried."""
    kinds = {"tbf": namespaces.shaping(100, "lo"), "netem": namespaces.DELAY}
    return {
        kind: _why_failed(_in_new_namespace("namespaces.shape_loopback(sys.argv[2:])", *words))
        for kind, words in kinds.items()
    }


def _in_new_namespace(statement: str, *words: str) -> list[str]:
    """The command that makes a network namespace, runs this statement in it, and ends."""
    trial = (
        "import sys; sys.path.append(sys.argv[1]); from hopcost.stacks.sandbox import namespaces;"
        f" namespaces.make(); {statement}"
    )
    return [sys.executable, "-I", "-S", "-c", trial, str(PACKAGE.resolve().parent), *words]


def enter_user_namespace() -> None:
    """If only a user namespace gives the right to make network namespaces, start this command again in one.

    There it has every right over what it makes and none over the host. The keeper takes those rights from programs.
    Returns if no user namespace is needed, or none can be made.
    """
    unshare = shutil.which("unshare")
    if os.environ.get(TRIED) or unshare is None or find_network().own:
        return
    command = [unshare, "--user", "--map-current-user", "--keep-caps"]
    if _why_failed([*command, "--net", "--", "true"]) is None:
        os.environ[TRIED] = "1"
        sys.stdout.flush()
        sys.stderr.flush()
        os.execv(unshare, [*command, "--", sys.executable, *sys.orig_argv[1:]])


_homes: list[Home] = []


def home() -> Home | None:
    """The thread that stayed in the host's network; None if this process is there itself."""
    return _homes[0] if _homes else None


def leave_the_hosts() -> None:
    """In a user namespace: move this process into a network namespace that it owns.

    From a stack's there would be no way back to the host's. Programs must have been built before: nothing beyond this
    machine is reached from there.
    """
    if os.environ.get(TRIED) and find_network().own and not _homes:
        _homes.append(Home())
        namespaces.make()


def _why_failed(command: list[str]) -> str | None:
    """The last line that a command wrote to its standard error; None if it succeeded."""
    try:
        run = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TRIAL_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = run.stderr.strip().splitlines()
    return None if run.returncode == 0 else lines[-1] if lines else "refused"
