"""A rig and its stacks ask their host, not this machine; no program runs."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hopcost.machine.conditions import Conditions
from hopcost.measure.rig import RealRig
from hopcost.plan.cores import Cores
from hopcost.stacks import stack as stacks
from hopcost.stacks.address import Address
from hopcost.stacks.host import LABEL_LONGEST, Local
from hopcost.stacks.prepare import PreparedHop, PreparedStack
from hopcost.stacks.sandbox import leftovers
from hopcost.stacks.sandbox.cgroups import Freezer, FreezerKind
from hopcost.stacks.sandbox.network import HOST
from hopcost.stacks.sandbox.ports import Ports
from hopcost.stacks.sandbox.session import Net
from hopcost.suites.arm import Arm, Hop, Link

CONDITIONS = Conditions(monotonic_ns=1, steal_ns=2, throttled_ns=3, swapped_pages=4, wall_ahead_ns=5)


class FakeSession:
    """Its only program is a socket that listens."""

    namespace = client_namespace = None

    def __init__(self, directory: Path, log: list[str]) -> None:
        self.directory, self.log = directory, log
        self.sysctls: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self.listener = socket.socket(socket.AF_UNIX)

    def start(self, name: str, command: list[str], cores: list[int], open_files: int) -> int:
        self.log.append(f"start {name}: {command} on {cores}, {open_files} files")
        self.listener.bind(str(self.directory / "app.sock"))
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

    def longest_stall_ns(self, cores: Sequence[int]) -> int:
        return 200 + cores[0]


def test_a_stack_asks_its_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cores, host = Cores(stack=[3], generator=[4]), FakeHost(tmp_path)
    hop = PreparedHop(
        name="app", program="app", version="1", address=Address("http+unix", str(tmp_path / "app.sock")),
        settings={}, command=["app"], files={}, children=0, forks=True,
    )  # fmt: skip
    prepared = PreparedStack(arm="a", hops=[hop], cores=cores, open_files=9)
    monkeypatch.setattr(stacks, "prepare", lambda *_: prepared)  # it would look for the program here
    arm: Any = SimpleNamespace(name="a", arm=Arm(hops=[Hop(program="app", link=Link.HTTP_UNIX)]))
    experiment: Any = SimpleNamespace(settings={}, cores=cores)
    with RealRig(host).start(arm, experiment, "one-1-a") as stack:
        assert stack.processes == {"app": [7, 8]}
        assert stack.freeze == {"agent": [7, 8]}
        assert stack.account_of("app") == "/of/the/host/app"
    assert host.log == ["session one-1-a", "start app: ['app'] on [3], 9 files", "stop"]


def test_a_block_reads_the_host(tmp_path: Path) -> None:
    rig = RealRig(FakeHost(tmp_path))
    assert rig.conditions([3]) == CONDITIONS
    assert (rig.busy_ns([3]), rig.longest_stall_ns([3])) == (103, 203)


@pytest.mark.parametrize(
    ("freezer", "freeze", "account"),
    [
        (Freezer(FreezerKind.CGROUP_2, "/v2", "/v2"), {"cgroup2": "/v2/s"}, Path("/v2/s")),
        (Freezer(FreezerKind.CGROUP_1, "/v1/freezer", "/v1/cpu"), {"cgroup1": "/v1/freezer/s"}, Path("/v1/cpu/s")),
        (Freezer(FreezerKind.CGROUP_1, "/v1/freezer"), {"cgroup1": "/v1/freezer/s"}, None),
        (Freezer(FreezerKind.SIGNAL, None), {"signal": [7, 8]}, None),
    ],
)
def test_this_machine_freezes_and_counts_by_the_freezer(
    freezer: Freezer, freeze: dict[str, object], account: Path | None
) -> None:
    session: Any = SimpleNamespace(cgroup=freezer.cgroup("s"))
    assert Local(freezer).freeze(session, [7, 8]) == freeze
    assert Local(freezer).account(session) == account


def test_a_session_is_named_by_its_owner_and_a_label_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hopcost.stacks.host.Session", lambda cgroups, net: (cgroups, net))
    local: Any = Local(Freezer(FreezerKind.CGROUP_2, "/v2", "/v2"))
    name = f"{leftovers.CGROUP_PREFIX}{leftovers.owner()}-{'x' * LABEL_LONGEST}"
    assert local.session("x" * 300, None) == ([Path("/v2") / name], None)
