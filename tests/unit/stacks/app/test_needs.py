"""What apps need of the host: which forwarders, at which addresses."""

from __future__ import annotations

import pytest

from hopcost.errors import CannotMeasure
from hopcost.stacks.app.needs import Forwarder, addresses_of, foreign_addresses, forwarders, services_of
from hopcost.suites.arms.app import App, Service, read_service
from hopcost.suites.arms.arm import Arm, Hop, Link

HOSTS = "127.0.0.1 localhost\n10.0.0.5\tdb db.internal # the database\nfd00::5 db\n"


def test_each_service_of_an_arm_comes_once() -> None:
    app = App(command=["x"], needs=["127.0.0.1:5432", "unix:/run/x.sock"])
    other = App(command=["y"], needs=["127.0.0.1:5432"])
    arm = Arm(hops=[Hop(program=name, link=Link.HTTP_TCP, app=each) for name, each in (("a", app), ("b", other))])
    assert services_of(arm) == [Service(host="127.0.0.1", port=5432), Service(path="/run/x.sock")]


def test_a_socket_file_needs_no_forwarder() -> None:
    services = [read_service(word) for word in ("unix:/run/x.sock", "localhost:5432", "127.0.0.1:6379", "db:5432")]
    assert forwarders(services, HOSTS) == [
        Forwarder("forwarder-5432", ["127.0.0.1", "::1"], 5432),
        Forwarder("forwarder-6379", ["127.0.0.1"], 6379),
        Forwarder("forwarder-5432-2", ["10.0.0.5", "fd00::5"], 5432),
    ]


def test_its_command_names_the_hosts_namespace_and_each_address() -> None:
    command = Forwarder("forwarder-5432", ["127.0.0.1", "::1"], 5432).command(
        "/bin/forward", "--namespace", "/proc/1/fd/3"
    )
    assert command == ["/bin/forward", "--namespace", "/proc/1/fd/3", "--service", "127.0.0.1:5432",
                       "--service", "[::1]:5432"]  # fmt: skip


def test_a_name_is_looked_up_where_a_stack_can_too() -> None:
    assert addresses_of("db.internal", HOSTS) == ["10.0.0.5"]
    assert addresses_of("192.0.2.7", HOSTS) == ["192.0.2.7"]
    with pytest.raises(CannotMeasure) as caught:
        addresses_of("database", HOSTS)
    assert (
        caught.value.message == "needs: 'database' is not in /etc/hosts, and a stack's own network has no name server"
    )


def test_addresses_that_a_new_namespace_lacks() -> None:
    services = [read_service(word) for word in ("localhost:1", "127.0.0.9:2", "db:3", "db:4")]
    assert foreign_addresses(forwarders(services, HOSTS)) == ["10.0.0.5", "fd00::5"]
