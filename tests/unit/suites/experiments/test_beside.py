"""What stands beside the connections of a workload."""

from __future__ import annotations

import msgspec
import pytest

from hopcost.suites.experiments.beside import IdleConnections, SlowClients
from hopcost.suites.experiments.workload import Workload


def test_slow_clients_and_idle_connections_are_beside() -> None:
    slow, idle = SlowClients(number=3, bytes_per_s=1), IdleConnections(number=4, every="2m")
    assert Workload(slow_clients=slow, idle_connections=idle).beside == 7
    assert (Workload().beside, idle.every_ns) == (0, 120_000_000_000)


@pytest.mark.parametrize("every", ["0s", "30", "30h", "s", "-1s", "1.5s", ""])
def test_how_often_they_ask_is_a_whole_number_of_ms_s_or_m(every: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="every"):
        msgspec.convert({"number": 1, "every": every}, IdleConnections)
