"""Whether this machine allows a jail: a mount namespace with the rights to fill it. Tried, not guessed."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

TRIAL_S = 10.0
IDS = Path("/proc/self/uid_map")
TRIAL = 'mount -t tmpfs hopcost "$1" && mkdir "$1/bin" && mount --rbind /bin "$1/bin" && test -e "$1/bin/sh"'


def unshare_words() -> list[str]:
    """The command that gives what follows a mount namespace, and the right to mount there.

    Who is not root gets that right in a user namespace, as the same user: nginx that takes itself for root would give
    its folders to users who do not exist there.
    """
    own_user = [] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
    return ["unshare", *own_user, "--mount", "--"]


def drop_words() -> list[str]:
    """The command that takes those rights from what follows."""
    return [] if os.geteuid() == 0 else ["setpriv", "--ambient-caps=-all", "--inh-caps=-all", "--"]


@cache
def why_no_jail() -> str | None:
    """Why there can be no jail; None if there can."""
    try:
        run = subprocess.run(
            [*unshare_words(), "sh", "-ec", TRIAL, "sh", "/tmp"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TRIAL_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = run.stderr.strip().splitlines()
    return None if run.returncode == 0 else lines[-1] if lines else "refused"


def has_one_user(text: str) -> bool:
    """Whether a user namespace with this `uid_map` knows one user alone: nobody else can be become there.

    >>> has_one_user("         0          0 4294967295\\n"), has_one_user("         0       1000          1\\n")
    (False, True)
    """
    return sum(int(line.split()[2]) for line in text.splitlines()) == 1
