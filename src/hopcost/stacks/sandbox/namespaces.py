"""Network namespaces as the kernel has them: make one, go into one, join two by a link with a rate, set net.* sysctls.

The standard library alone: the keeper runs this too. An OSError says which step failed. A namespace has
no name here and lives only as long as a process or an open file holds it, so none can be left behind.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
import socket
import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path

from hopcost.machine.network_namespace import CLONE_NEWNET, OWN, enter, inside

__all__ = ["OWN", "enter", "inside", "join", "make", "set_sysctls", "shape_loopback", "shaping", "tool"]

CLIENT, STACK = "198.18.0.1", "198.18.0.2"  # RFC 2544 sets 198.18.0.0/15 aside for benchmarks
SBIN = "/usr/local/sbin:/usr/sbin:/sbin"  # where ip and tc are, and an ordinary user's PATH is not
BURST_S, QUEUE_S = 0.002, 0.05  # of the link's rate: what may pass at once, and what may wait
BURST_BYTES_LEAST, QUEUE_BYTES_LEAST = 16_384, 1 << 20
WIRE_BYTES = 24  # a frame's preamble, checksum and gap, which a real Ethernet carries and the kernel does not count
DELAY = ["qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"]
COMMAND_S = 10.0
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, step: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{step}: {os.strerror(number)}")


def make() -> None:
    """Move the calling thread into a new network namespace whose loopback is up."""
    _check(_libc.unshare(CLONE_NEWNET), "a network namespace cannot be made")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh22x", b"lo", 0)
        (flags,) = struct.unpack_from("16xh", fcntl.ioctl(any_socket, SIOCGIFFLAGS, request))
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | IFF_UP))


def set_sysctls(sysctls: Mapping[str, int | str]) -> tuple[dict[str, str], dict[str, str]]:
    """Set net.* sysctls of the calling thread's namespace: those that hold, read back, and why others do not.

    The kernel shows in a namespace of its own only what belongs to it, or lets it only be read: the host's cannot be
    changed from here. A thread still in the first namespace must not call this.
    """
    held: dict[str, str] = {}
    refused: dict[str, str] = {}
    for name, value in sysctls.items():
        path = Path("/proc/sys") / name.replace(".", "/")
        try:
            with path.open("r+") as file:
                file.write(str(value))
        except FileNotFoundError:
            refused[name] = "it does not exist in a network namespace: it is the whole machine's, or not in this kernel"
        except OSError as error:
            refused[name] = f"the kernel does not take {value}: {error.strerror}"
        else:
            held[name] = " ".join(path.read_text().split())
            if held[name] != " ".join(str(value).split()):
                refused[name] = f"asked for {value}, the kernel made {held[name]} of it"
    return held, refused


def tool(name: str) -> str | None:
    """Where `ip` or `tc` is, or None."""
    return shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:{SBIN}")


def join(client: int, mbit_per_s: int | None) -> None:
    """Join the calling thread's namespace and that of the open file `client` by a pair of virtual cards.

    Both ends send at most at that rate (tc tbf). The client has the address CLIENT, this side STACK.
    """
    keeper = f"/proc/{os.getpid()}/fd/{client}"
    _run("ip", "link", "add", "name", "link0", "type", "veth", "peer", "name", "link0", "netns", keeper)
    for descriptor, address in ((None, STACK), (client, CLIENT)):
        _run("ip", "address", "add", f"{address}/30", "dev", "link0", inside=descriptor)
        _run("ip", "link", "set", "link0", "up", inside=descriptor)
        if mbit_per_s is not None:
            _run("tc", *shaping(mbit_per_s), inside=descriptor)


def add_address(address: str) -> None:
    """Give the loopback of the calling thread's namespace another address, IPv4 or IPv6."""
    _run("ip", "address", "add", address, "dev", "lo")


def shaping(mbit_per_s: int, device: str = "link0") -> list[str]:
    """The words for tc: a token bucket of that rate, Ethernet's own bytes included."""
    bytes_per_s = mbit_per_s * 1_000_000 // 8
    burst = max(BURST_BYTES_LEAST, int(bytes_per_s * BURST_S))
    limit = burst + max(QUEUE_BYTES_LEAST, int(bytes_per_s * QUEUE_S))
    bucket = ["tbf", "rate", f"{mbit_per_s}mbit", "burst", f"{burst}b", "limit", f"{limit}b"]
    return ["qdisc", "add", "dev", device, "root", *bucket, "overhead", str(WIRE_BYTES), "linklayer", "ethernet"]


def shape_loopback(words: list[str]) -> None:
    """Run tc with these words, for a trial in a namespace made for it."""
    _run("tc", *words)


def _run(name: str, *words: str, inside: int | None = None) -> None:
    """Run `ip` or `tc`, in the namespace of the open file `inside` if there is one."""
    path = tool(name)
    if path is None:
        raise OSError(errno.ENOENT, f"{name} is not installed (package iproute2)")
    go = None if inside is None else lambda: enter(inside)
    run = subprocess.run([path, *words], capture_output=True, text=True, timeout=COMMAND_S, check=False, preexec_fn=go)
    if run.returncode != 0:
        raise OSError(errno.EIO, f"{name} {' '.join(words)}: {run.stderr.strip() or f'exit code {run.returncode}'}")
