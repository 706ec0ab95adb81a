"""Two machines, as far as one can be two: network namespaces joined by a pair of virtual cards, an SSH server in one.

Both have the machine's processes and files. They are named after this process, and removed at its end.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

SSHD = Path("/usr/sbin/sshd")
STACKS, GENERATOR = "198.18.100.11", "198.18.100.12"  # RFC 2544 sets 198.18.0.0/15 aside for benchmarks
ON = ["--on", f"g=root@{GENERATOR}"]
CARD = "link0"
READY_S = 10.0
CONFIGURATION = """\
Port 22
ListenAddress {address}
HostKey {folder}/host
AuthorizedKeysFile {folder}/id.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
SetEnv TMPDIR={folder}/{temporary} XDG_CACHE_HOME={folder}/cache PATH={path}
"""


def missing() -> str | None:
    """What is not here that two machines need."""
    if os.geteuid() != 0:
        return "network namespaces with names need root"
    if not SSHD.exists():
        return "no SSH server; tools/setup systems installs openssh-server"
    tools = [name for name in ("ip", "nsenter", "ssh-keygen", "taskset", "ss") if shutil.which(name) is None]
    return f"not installed: {', '.join(tools)}" if tools else None


@dataclass(frozen=True)
class Hosts:
    """The stacks' machine and the generator's, and how to log in to the latter."""

    folder: Path

    @property
    def stacks(self) -> str:
        """The namespace's name."""
        return f"hct-{os.getpid()}-s"

    @property
    def generator(self) -> str:
        """The namespace's name."""
        return f"hct-{os.getpid()}-g"

    @property
    def namespaces(self) -> set[str]:
        """Both, as `/proc/PID/ns/net` has them."""
        return {f"net:[{Path('/run/netns', name).stat().st_ino}]" for name in (self.stacks, self.generator)}

    @property
    def inside(self) -> list[str]:
        """What runs a command on the stacks' machine; `ip netns exec` would hide the cgroups."""
        return ["nsenter", f"--net=/run/netns/{self.stacks}", "--"]

    @property
    def outside(self) -> list[str]:
        """What runs a command on neither: who only logs in may as well sit at the generator."""
        return ["nsenter", f"--net=/run/netns/{self.generator}", "--"]

    @property
    def options(self) -> list[str]:
        """Of `hopcost run`."""
        return [*ON, *self.keys]

    @property
    def keys(self) -> list[str]:
        """Of `hopcost run`, what the generator's machine is logged in to with."""
        return ["--ssh-key", str(self.folder / "id"), "--known-hosts", str(self.folder / "known")]

    @property
    def temporary(self) -> Path:
        """The generator's folder for temporary files."""
        return self.folder / "tmp"

    @property
    def stacks_temporary(self) -> Path:
        """That of the stacks' machine, for who logs in there."""
        return self.folder / "tmp-s"

    @property
    def cache(self) -> Path:
        """The user's cache there."""
        return self.folder / "cache"

    def cut(self) -> None:
        """Nothing passes between them any more."""
        _ip("-n", self.generator, "link", "set", CARD, "down")

    def mend(self) -> None:
        """It passes again."""
        _ip("-n", self.generator, "link", "set", CARD, "up")

    def generator_pids(self) -> list[int]:
        """The processes of the generator's machine, its SSH server among them."""
        return _pids(self.generator)

    def stacks_port(self, pid: int) -> int:
        """Where this process of the stacks' machine listens."""
        shown = subprocess.run([*self.inside, "ss", "-Hltnp"], check=True, capture_output=True, text=True).stdout
        (line,) = [line for line in shown.splitlines() if f"pid={pid}," in line]
        return int(line.split()[3].rpartition(":")[2])

    def engines(self) -> list[psutil.Process]:
        """The load engines on the generator's machine."""
        found = []
        for pid in self.generator_pids():
            with contextlib.suppress(psutil.NoSuchProcess):
                process = psutil.Process(pid)
                if process.name().startswith("hopcost-engine"):
                    found.append(process)
        return found

    def left(self) -> list[str]:
        """What of a run is on the generator's machine: its folder, its processes but the SSH server's."""
        folders = [str(path) for path in self.temporary.iterdir()]
        names = []
        for pid in self.generator_pids():
            with contextlib.suppress(psutil.NoSuchProcess):
                names.append(psutil.Process(pid).name())
        return folders + [name for name in names if not name.startswith("sshd")]

    def left_after(self, seconds: float) -> list[str]:
        """The same at the latest after so long."""
        deadline = time.monotonic() + seconds
        while (left := self.left()) and time.monotonic() < deadline:
            time.sleep(0.1)
        return left


@contextmanager
def running(folder: Path) -> Iterator[Hosts]:
    """The two, with the SSH server ready."""
    hosts = Hosts(folder)
    for part in (hosts.temporary, hosts.stacks_temporary, hosts.cache):
        part.mkdir()
    for key in ("id", "host"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
    host_key = (folder / "host.pub").read_text()
    (folder / "known").write_text(f"{GENERATOR} {host_key}{STACKS} {host_key}")
    Path("/run/sshd").mkdir(exist_ok=True)
    servers: list[subprocess.Popen[bytes]] = []
    try:
        for name in (hosts.stacks, hosts.generator):
            _ip("netns", "add", name)
            _ip("-n", name, "link", "set", "lo", "up")
        _ip("-n", hosts.stacks, "link", "add", CARD, "type", "veth", "peer", "name", CARD, "netns", hosts.generator)
        for name, address in ((hosts.stacks, STACKS), (hosts.generator, GENERATOR)):
            _ip("-n", name, "address", "add", f"{address}/24", "dev", CARD)
            _ip("-n", name, "link", "set", CARD, "up")
        # The generator's on the last core alone: that is its machine, so to say.
        every = os.sched_getaffinity(0)
        servers.append(_start_server(hosts, hosts.generator, GENERATOR, "tmp", {max(every)}))
        servers.append(_start_server(hosts, hosts.stacks, STACKS, "tmp-s", every))
        yield hosts
    finally:
        for server in servers:
            server.terminate()
            server.wait()
        for name in (hosts.stacks, hosts.generator):
            for pid in _pids(name):  # logins outlive their server
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            subprocess.run(["ip", "netns", "delete", name], check=False, stderr=subprocess.DEVNULL)


def _start_server(
    hosts: Hosts, namespace: str, address: str, temporary: str, cores: set[int]
) -> subprocess.Popen[bytes]:
    file, log = hosts.folder / f"{temporary}.conf", hosts.folder / f"{temporary}.log"
    path = f"{hosts.folder}/bin-{temporary}:{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}"
    file.write_text(CONFIGURATION.format(address=address, folder=hosts.folder, temporary=temporary, path=path))
    words = ["nsenter", f"--net=/run/netns/{namespace}", "--", "taskset", "--cpu-list", ",".join(map(str, cores))]
    with log.open("wb") as errors:
        server = subprocess.Popen([*words, SSHD, "-D", "-e", "-f", file], stdin=subprocess.DEVNULL, stderr=errors)
    deadline = time.monotonic() + READY_S
    while not _listens(hosts, address):
        assert server.poll() is None and time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
    return server


def _listens(hosts: Hosts, address: str) -> bool:
    look = "import socket, sys; socket.create_connection((sys.argv[1], 22), 1).close()"
    words = [*hosts.inside, "python3", "-c", look, address]
    return subprocess.run(words, check=False, stderr=subprocess.DEVNULL).returncode == 0


def _pids(name: str) -> list[int]:
    shown = subprocess.run(["ip", "netns", "pids", name], check=False, capture_output=True, text=True)
    return [int(word) for word in shown.stdout.split()]


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)
