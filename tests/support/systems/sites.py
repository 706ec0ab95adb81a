"""Several sites, as far as one machine can be several: network namespaces on a bridge, an SSH server in each.

The controller has the bridge's. All have the machine's processes and files, but a folder for temporary files of their
own. They are named after the test's process, and removed at its end.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from command import HOPCOST

from hopcost.stacks.sandbox.leftovers import is_left
from tools.docs.results.hosts import CONFIGURATION, SSHD

EXPERIMENT = f"sites{os.getpid()}"  # in the names of its cgroups
CONTROLLER = "198.18.101.1"
CARD = "eth0"
READY_S = 15.0


@dataclass(frozen=True)
class Sites:
    """Stacks' machines that make the load themselves, and a controller."""

    folder: Path
    names: tuple[str, ...]

    def namespace(self, name: str) -> str:
        return f"hcs-{os.getpid()}-{name}"

    def address(self, name: str) -> str:
        return f"198.18.101.{11 + self.names.index(name)}"

    def temporary(self, name: str) -> Path:
        return self.folder / f"tmp-{name}"

    @property
    def inside(self) -> list[str]:
        """What runs a command on the controller; `ip netns exec` would hide the cgroups."""
        return ["nsenter", f"--net=/run/netns/{self.namespace('ctl')}", "--", "env", "--default-signal=INT"]

    @property
    def file(self) -> Path:
        """The hosts.toml."""
        return self.folder / "hosts.toml"

    def write(self, names: Sequence[str] | None = None, extra: str = "") -> Path:
        """The file with these sites."""
        lines = ["[defaults]", 'user = "root"', 'known_hosts = "known"', 'keys = ["id"]', extra]
        for name in names or self.names:
            lines += [f"[hosts.{name}]", f'ssh = "{self.address(name)}"', "[[sites]]", f'stack = "{name}"']
        self.file.write_text("\n".join(lines) + "\n")
        return self.file

    def cut(self, name: str) -> None:
        """Nothing passes to or from it any more."""
        ip("-n", self.namespace("ctl"), "link", "set", f"v-{name}", "down")

    def mend(self, name: str) -> None:
        """It passes again."""
        ip("-n", self.namespace("ctl"), "link", "set", f"v-{name}", "up")

    def processes(self, name: str, word: str = "") -> list[psutil.Process]:
        """Those of a site but its SSH server's, with the word in their command lines."""
        mark, found = os.fsencode(self.temporary(name)), []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                folder = Path(f"/proc/{process.pid}")
                is_there = mark in (folder / "environ").read_bytes() or mark in os.fsencode((folder / "cwd").readlink())
                words = process.cmdline()
                if is_there and words and word in " ".join(words) and not process.name().startswith("sshd"):
                    found.append(process)
        return found

    def engines(self, name: str) -> list[psutil.Process]:
        """The engines that load on a site; neither one that is asked for its version, nor what starts them."""
        engines = []
        for process in self.processes(name, "hopcost-engine"):
            with contextlib.suppress(psutil.NoSuchProcess):
                words = process.cmdline()
                if words[1:] == ["run"] and Path(words[0]).name.startswith("hopcost-engine"):
                    engines.append(process)
        return engines

    def left(self) -> list[str]:
        """What of a run is on any site."""
        return [what for name in self.names for what in self.left_on(name)]

    def left_on(self, name: str) -> list[str]:
        """On one: files, cgroups of the suite's experiment, processes."""
        folders = [str(path) for path in self.temporary(name).iterdir()]
        # os.walk passes over a cgroup that ends meanwhile; rglob does not
        groups = [Path(above, name) for above, names, _ in os.walk("/sys/fs/cgroup") for name in names]
        cgroups = [str(path) for path in groups if path.match(f"hopcost-*{EXPERIMENT}*") and is_left(path.name)]
        processes = []
        for process in self.processes(name):
            with contextlib.suppress(psutil.Error):
                processes.append(f"{name}: {process.pid} {' '.join(process.cmdline())}")
        return folders + cgroups + processes

    def left_after(self, seconds: float, *names: str) -> list[str]:
        """The same at the latest after so long; on these sites, on all without a name."""
        deadline = time.monotonic() + seconds
        while left := [what for name in names or self.names for what in self.left_on(name)]:
            if time.monotonic() > deadline:
                break
            time.sleep(0.2)
        return left


@contextmanager
def running(folder: Path, names: Sequence[str] = ("a", "b")) -> Iterator[Sites]:
    """The sites, with their SSH servers ready."""
    sites = Sites(folder, tuple(names))
    for name in names:
        sites.temporary(name).mkdir()
    for key in ("id", "host"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
    host_key = (folder / "host.pub").read_text()
    (folder / "known").write_text("".join(f"{sites.address(name)} {host_key}" for name in names))
    Path("/run/sshd").mkdir(exist_ok=True)
    sites.write()
    controller = sites.namespace("ctl")
    servers: list[subprocess.Popen[bytes]] = []
    try:
        ip("netns", "add", controller)
        ip("-n", controller, "link", "set", "lo", "up")
        ip("-n", controller, "link", "add", "br0", "type", "bridge")
        ip("-n", controller, "address", "add", f"{CONTROLLER}/24", "dev", "br0")
        ip("-n", controller, "link", "set", "br0", "up")
        for name in names:
            servers.append(_start(sites, name, controller))
        yield sites
    finally:
        for server in servers:
            server.terminate()
            server.wait()
        for name in (*names, "ctl"):
            shown = subprocess.run(
                ["ip", "netns", "pids", sites.namespace(name)], check=False, capture_output=True, text=True
            )
            for pid in map(int, shown.stdout.split()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            subprocess.run(["ip", "netns", "delete", sites.namespace(name)], check=False, stderr=subprocess.DEVNULL)


def _start(sites: Sites, name: str, controller: str) -> subprocess.Popen[bytes]:
    namespace, address = sites.namespace(name), sites.address(name)
    ip("netns", "add", namespace)
    ip("-n", namespace, "link", "set", "lo", "up")
    ip("-n", controller, "link", "add", f"v-{name}", "type", "veth", "peer", "name", CARD, "netns", namespace)
    ip("-n", controller, "link", "set", f"v-{name}", "master", "br0", "up")
    ip("-n", namespace, "address", "add", f"{address}/24", "dev", CARD)
    ip("-n", namespace, "link", "set", CARD, "up")
    file, log = sites.folder / f"{name}.conf", sites.folder / f"{name}.log"
    path = f"{HOPCOST.parent}:{os.environ.get('PATH', os.defpath)}"
    text = CONFIGURATION.format(address=address, folder=sites.folder, temporary=f"tmp-{name}", path=path)
    file.write_text(text.replace(f"XDG_CACHE_HOME={sites.folder}/cache ", ""))
    with log.open("wb") as errors:
        server = subprocess.Popen(
            ["nsenter", f"--net=/run/netns/{namespace}", "--", SSHD, "-D", "-e", "-f", file],
            stdin=subprocess.DEVNULL,
            stderr=errors,
        )
    look = "import socket, sys; socket.create_connection((sys.argv[1], 22), 1).close()"
    deadline = time.monotonic() + READY_S
    words = ["nsenter", f"--net=/run/netns/{controller}", "--", "python3", "-c", look, address]
    while subprocess.run(words, check=False, stderr=subprocess.DEVNULL).returncode != 0:
        assert server.poll() is None and time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
    return server


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)
