"""The script of a jail: it makes the root folder and becomes nginx, so that all of it ends with this one process."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from hopcost.stacks.jail.made.layout import HEAD, Bound, Item, Layout, Link
from hopcost.stacks.jail.possible import drop_words, unshare_words

SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin")  # links into /usr on most machines
OF_ETC = ("ld.so.cache", "localtime", "alternatives", "ssl/openssl.cnf", "pki/tls/openssl.cnf", "mime.types")
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")


def system_items() -> list[Item]:
    """What any program needs: libraries, the few files of /etc that they read, devices, /proc."""
    items: list[Item] = [Bound("/usr", "/usr"), Bound("/proc", "/proc")]
    for folder in map(Path, SYSTEM):
        if folder.is_symlink():
            items.append(Link(str(folder), str(folder.readlink()).removeprefix("/")))
        elif folder.is_dir():
            items.append(Bound(str(folder), str(folder)))
    present = [Path("/etc") / name for name in OF_ETC] + [Path("/dev") / name for name in DEVICES]
    items += [Bound(str(path), str(path.resolve())) for path in present if path.exists()]
    items += [
        Link(f"/dev/{name}", f"../proc/self/fd/{number}") for number, name in enumerate(("stdin", "stdout", "stderr"))
    ]
    return items


def jail_script(
    name: str, directory: Path, items: Iterable[Item], command: Sequence[str], sockets: Sequence[str]
) -> str:
    """The script that runs this command in a jail of these items. All of these `sockets` may be used by its users."""
    layout = Layout()
    layout.add(items)
    lines = [
        "#!/bin/sh",
        f"# The jail of {name}: a root folder with what its configuration names, and nothing else of this machine.",
        "# It lives in a mount namespace, and is gone when nginx ends.",
        "set -eu",
        f"stack={shlex.quote(str(directory))}",
        f'jail="$stack"/{shlex.quote(f"{name}-jail")}',
        'mkdir "$jail"',
        'mount -t tmpfs -o mode=755 hopcost "$jail"',
        HEAD,
        *layout.lines,
        'chmod 1777 "$jail"/tmp "$jail"/var/tmp "$jail"/dev/shm',
        *(f"chmod 666 {shlex.quote(socket)}" for socket in sockets),
        f'exec chroot "$jail" {shlex.join([*drop_words(), *command])}',
    ]
    return "\n".join(lines) + "\n"


def jail_command(script: Path) -> list[str]:
    """The command that runs the script in a mount namespace of its own."""
    return [*unshare_words(), "sh", str(script)]
