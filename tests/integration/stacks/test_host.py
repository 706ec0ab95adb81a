"""A rig and its stacks ask their host, not this machine; the stack's program is a socket of the test."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hopcost.machine.conditions import Conditions
from hopcost.machine.other_load import OtherPrograms, ProcessTime
from hopcost.measure.rig import RealRig
from hopcost.plan.cores import Cores
from hopcost.stacks.sandbox.network import HOST
from hopcost.stacks.sandbox.ports import Ports
from hopcost.stacks.sandbox.session import Net
from hopcost.suites.arms.arm import Arm, Hop, Link

CONDITIONS = Conditions(monotonic_ns=1, steal_ns=2, throttled_ns=3, swapped_pages=4, wall_ahead_ns=5)
PROCESSES = [ProcessTime(pid=1, parent=0, name="init", began_ticks=0, cpu_ns=0, children_ns=0)]


class FakeSession:
    """Its only program is a socket that listens."""

    namespace = client_namespace = None

    def __init__(self, directory: Path, log: list[str]) -> None:
        self.directory, self.log = directory, log
        self.sysctls: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self.listener = socket.socket(socket.AF_UNIX)

    def start(
        self,
        name: str,
        command: list[str],
        cores: list[int],
        open_files: int,
        folder: str | None,
        variables: dict[str, str],
    ) -> int:
        self.log.append(f"start {name}: {command} on {cores}, {open_files} files")
        self.listener.bind(str(self.directory / "origin.sock"))
        self.listener.listen()
        return 7

    def processes(self, name: str, root: int) -> list[int]:
        return [root, 8]

    def poll(self) -> dict[str, int]:
        return {}

    def stop(self) -> None:
        self.log.append("stop")
        self.listener.close()

    kill = stop


class FakeHost:
    """Another machine; `log` holds what was asked of it."""

    network = HOST
    address = "127.0.0.1"

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.ports = Ports()
        self.log: list[str] = []

    def session(self, label: str, net: Net | None) -> Any:
        self.log.append(f"session {label}")
        return FakeSession(self.directory, self.log)

    def freeze(self, session: Any, pids: list[int]) -> dict[str, object]:
        return {"agent": pids}

    def account(self, session: Any) -> Path | None:
        return Path("/of/the/host")

    def conditions(self, cores: list[int]) -> Conditions:
        return CONDITIONS

    def busy_ns(self, cores: list[int]) -> int:
        return 100 + cores[0]

    def processes(self) -> list[ProcessTime]:
        return PROCESSES

    def watch_others(self, cores: list[int]) -> OtherPrograms:
        return OtherPrograms(share=cores[0] / 10, elapsed_ns=1, programs=[])

    def longest_stall_ns(self, cores: Sequence[int]) -> int:
        return 200 + cores[0]


def test_a_stack_asks_its_host(tmp_path: Path) -> None:
    cores, host = Cores(stack=[3], generator=[4]), FakeHost(tmp_path)
    content = Arm(hops=[Hop(program="origin", link=Link.HTTP_UNIX)], open_files=9)
    arm: Any = SimpleNamespace(name="a", arm=content)
    experiment: Any = SimpleNamespace(settings={}, cores=cores)
    with RealRig(host).start(arm, experiment, "one-1-a") as stack:
        assert stack.processes == {"origin": [7, 8]}
        assert stack.freeze == {"agent": [7, 8]}
        stack.prepared.hops[0].forks = True
        assert stack.account_of("origin") == "/of/the/host/origin"
        (hop,) = stack.prepared.hops
    assert host.log == ["session one-1-a", f"start origin: {hop.command} on [3], 9 files", "stop"]


def test_a_block_reads_the_host(tmp_path: Path) -> None:
    rig = RealRig(FakeHost(tmp_path))
    assert rig.conditions([3]) == CONDITIONS
    assert (rig.busy_ns([3]), rig.longest_stall_ns([3])) == (103, 203)
    assert (rig.processes(), rig.watch_others([3]).share) == (PROCESSES, 0.3)
