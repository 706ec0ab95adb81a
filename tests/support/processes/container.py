"""Run a command as an ordinary container would: `python container.py WORD... -- COMMAND...`, as root, on x86-64.

What a container withholds is withheld here one by one, without any container: `capabilities` leaves Docker's default
set, `namespaces` and `io-uring` are refused by a seccomp filter with EPERM (clone3 with ENOSYS), `cgroups` and
`sysctls` are mounted read-only, and `root` makes the command an ordinary user's.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from pathlib import Path

DOCKER = ("capabilities", "namespaces", "io-uring", "cgroups", "sysctls")
CAPABILITIES = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}  # chown … setfcap, as Docker leaves them
CLONE_NEWNS, CLONE_NEW_ANY = 0x0002_0000, 0x7E02_0000
NOBODY = 65534
PR_CAPBSET_DROP, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 24, 22, 38
LOAD, IF_EQUAL, IF_ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, ERRNO = 0x7FFF_0000, 0x0005_0000
EPERM, ENOSYS = 1, 38
CLONE, CLONE3, UNSHARE, SETNS, MOUNT, IO_URING = 56, 435, 272, 308, 165, (425, 426, 427)

_libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Withhold, then become the command."""
    end = sys.argv.index("--")
    words, command = set(sys.argv[1:end]), sys.argv[end + 1 :]
    if "docker" in words:
        words |= set(DOCKER)
    _mount_read_only(words)
    if "capabilities" in words:
        for capability in range(64):
            if capability not in CAPABILITIES:
                _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    if "root" in words:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    _filter(words)
    os.execvp(command[0], command)


def _mount_read_only(words: set[str]) -> None:
    places = []
    if "cgroups" in words:
        places += [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines() if " cgroup" in line]
    if "sysctls" in words:
        places.append("/proc/sys")
    if not places:
        return
    _check(_libc.unshare(CLONE_NEWNS))
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    for place in places:
        subprocess.run(["mount", "--bind", place, place], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", place], check=True)


def _filter(words: set[str]) -> None:
    """The seccomp filter: system calls by their number; clone by its flags."""
    denied = [*((UNSHARE, SETNS, MOUNT) if "namespaces" in words else ()), *(IO_URING if "io-uring" in words else ())]
    steps = [(LOAD, 0, 0, 0)]
    for number in denied:
        steps += [(IF_EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | EPERM)]
    if "namespaces" in words:
        steps += [(IF_EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, ERRNO | ENOSYS)]
        steps += [(IF_EQUAL, 0, 3, CLONE), (LOAD, 0, 0, 16), (IF_ANY_BIT, 0, 1, CLONE_NEW_ANY)]
        steps += [(RETURN, 0, 0, ERRNO | EPERM)]
    if len(steps) == 1:
        return
    code = b"".join(struct.pack("=HBBI", *step) for step in [*steps, (RETURN, 0, 0, ALLOW)])
    program = ctypes.create_string_buffer(code)
    header = struct.pack("=H6xQ", len(code) // 8, ctypes.addressof(program))
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _check(_libc.prctl(PR_SET_SECCOMP, 2, ctypes.create_string_buffer(header), 0, 0))


def _check(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    main()
