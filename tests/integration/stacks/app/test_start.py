"""Apps of all kinds started as hops: told where to listen, looked for where they do, and gone afterwards."""

from __future__ import annotations

import itertools
import os
import signal
import time
from pathlib import Path

import msgspec
import psutil
import pytest
from processes import small_apps

from hopcost.errors import ArmFailed
from hopcost.plan.cores import Cores
from hopcost.stacks.app.listening import ListensElsewhere
from hopcost.stacks.client import check
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.stacks.sandbox.network import HOST
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop, Link

pytestmark = [
    pytest.mark.usefixtures("nothing_left"),
    pytest.mark.skipif(not network.find_network().own, reason=f"no namespaces: {network.find_network().why}"),
]
NUMBERS = itertools.count()
CORE = min(os.sched_getaffinity(0))
CORES = Cores(stack=[CORE], generator=[CORE])


def stack(app: App, *before: Hop, link: Link = Link.HTTP_TCP, own_network: bool = True) -> RunningStack:
    arm = Arm(hops=[*before, Hop(program="shop", link=link, app=app)])
    host = Local(find_freezer(), network.find_network() if own_network else HOST)
    return RunningStack("alone", arm, {}, CORES, host, label=f"test-app-{next(NUMBERS)}")


def ask(running: RunningStack) -> HttpAnswer:
    with running.as_client():
        return check.ask(running.arm, running.prepared.address, "/")


def nginx(link: Link = Link.HTTP_TCP) -> Hop:
    return Hop(program="nginx", link=link, settings={"worker_processes": 1})


@pytest.mark.parametrize("own_network", [True, False])
def test_it_takes_port_from_its_environment(tmp_path: Path, own_network: bool) -> None:
    with stack(small_apps.write(tmp_path, small_apps.BY_VARIABLE), own_network=own_network) as running:
        assert ask(running).body == b"hello\n"
        (pid,) = running.processes["shop"]
        assert running.failure() is None
    assert not psutil.pid_exists(pid)


def test_it_takes_a_port_in_its_command_behind_nginx(tmp_path: Path) -> None:
    app = small_apps.write(tmp_path, small_apps.BY_WORD, "{port}")
    with stack(app, nginx()) as running:
        assert ask(running).body == b"hello\n"
        assert [hop.name for hop in running.prepared.hops] == ["nginx", "shop"]


def test_it_takes_a_socket(tmp_path: Path) -> None:
    app = small_apps.write(tmp_path, small_apps.ON_SOCKET, "{socket}")
    with stack(app, nginx(), link=Link.HTTP_UNIX) as running:
        assert ask(running).body == b"hello\n"


def test_the_hop_before_it_is_told_if_it_listens_on_ipv6_alone(tmp_path: Path) -> None:
    with stack(small_apps.write(tmp_path, small_apps.ON_IPV6), nginx()) as running:
        assert running.prepared.hops[1].address.address.startswith("[::1]:")
        assert ask(running).body == b"hello\n"


def test_a_port_of_its_own_is_harmless_in_namespaces(tmp_path: Path) -> None:
    app = msgspec.structs.replace(small_apps.write(tmp_path, small_apps.ON_PORT_3000), port=3000)
    with stack(app) as first, stack(app) as second:
        assert ask(first).body == ask(second).body == b"hello\n"
        assert first.prepared.address.address == second.prepared.address.address == "127.0.0.1:3000"


def test_it_runs_in_its_folder_with_the_environment_of_hopcost_and_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSED_ON", "from the shell")
    app = small_apps.write(tmp_path, small_apps.TELLS_ITS_WORLD, "$HOME; {}")
    with stack(msgspec.structs.replace(app, environment={"GREETING": "on port {port}"})) as running:
        port = running.prepared.address.port
    seen = (tmp_path / "seen").read_text().splitlines()
    assert seen == [str(tmp_path), "$HOME; {}", f"on port {port}", "from the shell"]


def test_all_its_processes_belong_to_it(tmp_path: Path) -> None:
    with stack(small_apps.write(tmp_path, small_apps.FORKS)) as running:
        deadline = time.monotonic() + 10
        while len(pids := running.processes["shop"]) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert not any(psutil.pid_exists(pid) for pid in pids)


def failure(app: App, link: Link = Link.HTTP_TCP) -> ArmFailed:
    with pytest.raises(ArmFailed) as caught, stack(app, link=link):
        pass
    return caught.value


def test_one_that_listens_elsewhere_is_told_where(tmp_path: Path) -> None:
    error = failure(small_apps.write(tmp_path, small_apps.ON_PORT_3000, "{port}"))
    assert isinstance(error, ListensElsewhere) and error.ports == [3000]
    assert error.message.startswith("shop was told to listen on 127.0.0.1:2")
    assert error.message.endswith("(PORT, {port}) and listens on 127.0.0.1:3000")


def test_one_that_listens_on_two_ports_is_to_choose(tmp_path: Path) -> None:
    error = failure(small_apps.write(tmp_path, small_apps.ON_TWO_PORTS))
    assert error.message.endswith("and listens on 127.0.0.1:3000 and 127.0.0.1:9000")
    assert error.hint == "choose one: port = 3000 or 9000 in [apps.shop]"


def test_one_that_listens_nowhere_shows_its_last_lines(tmp_path: Path) -> None:
    error = failure(msgspec.structs.replace(small_apps.write(tmp_path, small_apps.NOWHERE), ready_s=1.5))
    assert error.message.startswith("shop did not listen on 127.0.0.1:2") and " within 1.5 s: " in error.message
    assert error.message.endswith("; its last lines:\nloading")


def test_one_that_exits_shows_its_code_and_its_last_lines(tmp_path: Path) -> None:
    error = failure(small_apps.write(tmp_path, small_apps.EXITS))
    assert error.message == "shop ended with exit code 1 before it listened; its last lines:\nno licence"
    assert error.hint == "does the same command start by hand, in the same folder? --folder and --env may be missing"


def test_one_that_goes_to_the_background_is_told_to_stay(tmp_path: Path) -> None:
    error = failure(small_apps.write(tmp_path, small_apps.GOES_TO_THE_BACKGROUND))
    assert error.message == "shop ended with exit code 0 before it listened"
    assert error.hint == "it must stay in the foreground: no --daemon"


def test_one_that_takes_no_socket_is_told(tmp_path: Path) -> None:
    error = failure(small_apps.write(tmp_path, small_apps.ON_PORT_3000), link=Link.HTTP_UNIX)
    assert error.message.endswith("/shop.sock (PORT) and listens on 127.0.0.1:3000")


def test_one_that_cannot_be_executed_is_told(tmp_path: Path) -> None:
    error = failure(App(command=["./gone"], folder=str(tmp_path)))
    assert error.message == f"arm alone: shop: there is no './gone' in {tmp_path}"


def test_its_end_under_load_is_seen(tmp_path: Path) -> None:
    with stack(small_apps.write(tmp_path, small_apps.BY_VARIABLE)) as running:
        os.kill(running.processes["shop"][0], signal.SIGKILL)
        deadline = time.monotonic() + 10
        while (seen := running.failure()) is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert seen == "shop ended by signal 9"
