"""What hopcost learns of real apps: what changes in their answers, and how long they keep an idle connection."""

from __future__ import annotations

import itertools

import pytest
from systems.apps import DJANGO, GUNICORN, THREADS, UVICORN, RealApp
from systems.database import Database

from hopcost.machine import facts
from hopcost.measure.learn import Learned, learn_app
from hopcost.measure.rig import RealRig
from hopcost.plan.cores import Cores
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.experiments.expect import Compared
from hopcost.suites.experiments.workload import Workload

CORES = Cores(stack=facts.allowed_cores(), generator=facts.allowed_cores()[-1:])
NUMBERS = itertools.count()


def learned(real: RealApp, shop: Database) -> Learned:
    app = App(command=list(real.command), folder=str(real.folder), environment=shop.environment(), needs=[shop.address])
    arm = Arm(hops=[Hop(program=real.name, link=Link.HTTP_TCP, app=app)])
    host = Local(find_freezer(), network.find_network())
    with RunningStack("alone", arm, {}, CORES, host, label=f"learn-{next(NUMBERS)}") as stack:
        return learn_app(stack, Workload(connections=16), RealRig(host), print)


@pytest.mark.parametrize("real", [UVICORN, GUNICORN, THREADS, DJANGO], ids=lambda real: real.name)
def test_an_apps_idle_time_out_is_found(real: RealApp, shop: Database) -> None:
    known = learned(real, shop)
    assert known.keeps_connections is real.keeps_connections
    if real.idle_timeout_s is None:
        assert known.idle_timeout_s is None
    else:  # how much later is chance; None if it was later than the watch
        assert known.idle_timeout_s is None or known.idle_timeout_s >= real.idle_timeout_s - 0.1
    assert known.cpu_us_per_request > 0


def test_the_token_in_djangos_form_is_masked_and_holds_under_load(shop: Database) -> None:
    known = learned(DJANGO, shop)
    assert known.expect.compared is Compared.MASKED
    ((from_, to),) = known.expect.masked
    assert to - from_ == 64  # Django's masked token
    assert {"Date", "Set-Cookie", f"64 bytes of the body at {from_}"} <= set(known.changing)
