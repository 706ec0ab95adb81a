"""What an app needs of the host reaches it in its namespace, and what it misses is told."""

from __future__ import annotations

import itertools
import os
import socket
from pathlib import Path

import msgspec
import psutil
import pytest
from processes import small_apps

from hopcost.errors import ArmFailed
from hopcost.measure.rig import RealRig
from hopcost.plan.cores import Cores
from hopcost.stacks.client import check
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.experiments.workload import Workload

pytestmark = [
    pytest.mark.usefixtures("nothing_left"),
    pytest.mark.skipif(not network.find_network().own, reason=f"no namespaces: {network.find_network().why}"),
]
NUMBERS = itertools.count()
CORE = min(os.sched_getaffinity(0))
HOST = Local(find_freezer(), network.find_network())


def stack(app: App) -> RunningStack:
    arm = Arm(hops=[Hop(program="shop", link=Link.HTTP_TCP, app=app)])
    return RunningStack(
        "alone", arm, {}, Cores(stack=[CORE], generator=[CORE]), HOST, label=f"test-needs-{next(NUMBERS)}"
    )


def asking(folder: Path, main: str, port: int, *needs: str) -> App:
    app = small_apps.write(folder, main, prelude=small_apps.ASKS.replace("{port}", str(port)))
    return msgspec.structs.replace(app, needs=list(needs))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_service_of_the_host_is_forwarded_by_a_hop_of_its_own(tmp_path: Path, host: str) -> None:
    with small_apps.database() as port:
        with stack(asking(tmp_path, small_apps.ASKS_FIRST, port, f"{host}:{port}")) as running:
            with running.as_client():
                answer = check.ask("alone", running.prepared.address, "/")
            assert (answer.status, answer.body) == (200, b"1\n")
            assert list(running.processes) == [f"forwarder-{port}", "shop"]
            (forwarder,) = running.processes[f"forwarder-{port}"]
            assert running.supply.refused() == []
        assert not psutil.pid_exists(forwarder)


def test_two_stacks_share_it_at_the_same_time(tmp_path: Path) -> None:
    with small_apps.database() as port:
        app = asking(tmp_path, small_apps.ASKS_FIRST, port, f"127.0.0.1:{port}")
        with stack(app) as first, stack(app) as second:
            for running in (first, second):
                with running.as_client():
                    assert check.ask("alone", running.prepared.address, "/").body == b"1\n"


def test_an_app_that_ends_because_it_misses_a_service_is_told_which(tmp_path: Path) -> None:
    port = small_apps.free_port()
    with pytest.raises(ArmFailed) as caught, stack(asking(tmp_path, small_apps.ASKS_FIRST, port)):
        pass
    assert caught.value.message.startswith("shop ended with exit code 1 before it listened; its last lines:")
    place = f"127.0.0.1:{port}"
    sentence = f'\nthe app tried {place}: add --needs {place} (in a suite: needs = ["{place}"])'
    assert caught.value.message.endswith(sentence)


def test_an_app_that_answers_500_because_it_misses_a_service_is_told_which(tmp_path: Path) -> None:
    port = small_apps.free_port()
    with stack(asking(tmp_path, small_apps.ASKS_WHEN_ASKED, port)) as running, pytest.raises(ArmFailed) as caught:
        RealRig(HOST).ask(running, Workload())
    assert caught.value.message == "it answers with status 500"
    assert (caught.value.hint or "").startswith(f"the app tried 127.0.0.1:{port}: add --needs ")


def test_a_service_that_is_not_there_is_told_before_anything_starts(tmp_path: Path) -> None:
    port = small_apps.free_port()
    with pytest.raises(ArmFailed) as caught, stack(asking(tmp_path, small_apps.ASKS_FIRST, port, f"127.0.0.1:{port}")):
        pass
    assert caught.value.message == f"needs: nobody listens on 127.0.0.1:{port}"


def test_a_socket_file_must_be_there(tmp_path: Path) -> None:
    """It is reached from every namespace as it is."""
    path = tmp_path / "db.sock"
    app = msgspec.structs.replace(small_apps.write(tmp_path, small_apps.BY_VARIABLE), needs=[f"unix:{path}"])
    with pytest.raises(ArmFailed, match=r"needs: .*/db.sock is no socket"), stack(app):
        pass
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(str(path))
        with stack(app) as running:
            assert list(running.processes) == ["shop"]
