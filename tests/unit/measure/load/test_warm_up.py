"""What new connections need before an offered load."""

from __future__ import annotations

from hopcost.measure.load.warm_up import open_warm_up
from hopcost.plan.method import METHOD
from hopcost.suites.experiments.beside import SlowClients
from hopcost.suites.experiments.workload import Workload


def test_programs_are_warm_and_connections_new() -> None:
    assert open_warm_up(Workload()).least_ns == METHOD.open_warm_up_ns


def test_slow_clients_are_over_their_first_requests() -> None:
    slow = SlowClients(number=1000, bytes_per_s=30_000)
    warm_up = open_warm_up(Workload(slow_clients=slow))
    assert warm_up.least_ns == METHOD.open_warm_up_ns + 1000 * METHOD.warm_up_ns_per_slow_client
    assert warm_up.most_ns == warm_up.least_ns
