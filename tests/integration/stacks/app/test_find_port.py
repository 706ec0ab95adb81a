"""Finding out where an app listens by starting it once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from processes import small_apps

from hopcost.errors import ArmFailed
from hopcost.plan.cores import Cores
from hopcost.stacks.app.find_port import find_port
from hopcost.stacks.host import Local
from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Link

pytestmark = [
    pytest.mark.usefixtures("nothing_left"),
    pytest.mark.skipif(not network.find_network().own, reason=f"no namespaces: {network.find_network().why}"),
]
CORE = min(os.sched_getaffinity(0))


def found(app: App, link: Link = Link.HTTP_TCP) -> App:
    host = Local(find_freezer(), network.find_network())
    return find_port("app", app, link, Cores(stack=[CORE], generator=[CORE]), host)


def test_an_app_that_takes_the_port_stays_as_it_is(tmp_path: Path) -> None:
    app = small_apps.write(tmp_path, small_apps.BY_VARIABLE)
    assert found(app) == app


def test_one_with_a_port_of_its_own_gets_it_noted(tmp_path: Path) -> None:
    assert found(small_apps.write(tmp_path, small_apps.ON_PORT_3000)).port == 3000


def test_of_two_ports_none_is_guessed(tmp_path: Path) -> None:
    with pytest.raises(ArmFailed, match=r"listens on 127\.0\.0\.1:3000 and 127\.0\.0\.1:9000"):
        found(small_apps.write(tmp_path, small_apps.ON_TWO_PORTS))


def test_a_port_is_no_socket(tmp_path: Path) -> None:
    with pytest.raises(ArmFailed, match=r"/app.sock \(PORT\) and listens on 127.0.0.1:3000"):
        found(small_apps.write(tmp_path, small_apps.ON_PORT_3000), Link.HTTP_UNIX)
