"""What the diff mends whatever it costs: no trap that a change would mend, nothing that nginx or the app refuses."""

from __future__ import annotations

import pytest
from mocks import confs

from hopcost.measure.protocols.conf.mends import find_mends
from hopcost.nginx.ablations import Ablation
from hopcost.nginx.edits import Edit, Place
from hopcost.nginx.traps import Trap
from hopcost.statistics.questions.conf.question import FoundTrap

TIMEOUT, POOL = Edit(confs.FILE, 10, 20, "keepalive_timeout 4s;"), Edit(confs.FILE, 30, 40, "keepalive 64;")
LEVEL = Edit(confs.FILE, 50, 55, "warn")
PLACE = Place("nginx.conf", 3)
KEEPALIVE = Ablation("keepalive", "upstream keepalive 2 → 64", (PLACE,), (POOL,))
OUTLIVES = Trap("keepalive-outlives-app", PLACE, "closes late", (TIMEOUT,))
TOO_SMALL = Trap("keepalive-too-small", PLACE, "few", (POOL,))
DEBUG = Trap("error-log-debug", PLACE, "many lines", (LEVEL,))
BY_VARIABLE = Trap("address-by-variable", PLACE, "nobody can write it")


def test_a_trap_that_a_change_would_mend_is_left_to_what_that_saves() -> None:
    found, mends = find_mends([OUTLIVES, TOO_SMALL, BY_VARIABLE], [KEEPALIVE], confs.MockTrials())
    assert mends == [TIMEOUT]
    assert found == [
        FoundTrap("keepalive-outlives-app", "closes late", "nginx.conf:3", is_mended=True),
        FoundTrap("keepalive-too-small", "few", "nginx.conf:3", change="keepalive"),
        FoundTrap("address-by-variable", "nobody can write it", "nginx.conf:3"),
    ]


@pytest.mark.parametrize("trials", [confs.MockTrials("warn"), confs.MockTrials(by_app=["warn"])], ids=["nginx", "app"])
def test_what_nginx_or_the_app_refuses_is_told_and_not_mended(trials: confs.MockTrials) -> None:
    found, mends = find_mends([DEBUG, OUTLIVES], [], trials)
    assert mends == [TIMEOUT]
    assert [trap.is_mended for trap in found] == [False, True]
