"""Where an app listens beside where it was told to."""

from __future__ import annotations

import pytest

from hopcost.stacks.app.listening import describe_elsewhere, elsewhere, ways_in
from hopcost.stacks.client.address import Address
from hopcost.suites.arms.app import App

TOLD = Address(link="http+tcp", address="127.0.0.1:2001")
ON_6 = Address(link="http+tcp", address="[::1]:2001")
SOCKET = Address(link="fastcgi+unix", address="/tmp/s/app.sock")


@pytest.mark.parametrize(
    ("listening", "ways"),
    [
        (["127.0.0.1:2001"], [TOLD]),
        (["0.0.0.0:2001", "127.0.0.1:9229"], [TOLD]),
        (["[::]:2001"], [TOLD, ON_6]),
        (["[::1]:2001"], [ON_6]),
        (["[::ffff:127.0.0.1]:2001"], [TOLD]),
        (["127.0.0.1:3000"], []),
        (["unix:/tmp/ipc"], []),
        ([], []),
    ],
)
def test_ways_in(listening: list[str], ways: list[Address]) -> None:
    assert ways_in(TOLD, listening) == ways


def test_a_socket_is_that_file_alone() -> None:
    assert ways_in(SOCKET, ["unix:/tmp/s/app.sock"]) == [SOCKET]
    assert ways_in(SOCKET, ["unix:/tmp/other.sock", "127.0.0.1:80"]) == []


def test_an_address_beyond_a_link_is_not_the_loopback() -> None:
    told = Address(link="http+tcp", address="198.18.0.2:2001")
    assert ways_in(told, ["127.0.0.1:2001"]) == [] and ways_in(told, ["[::]:2001"]) == [told]


def test_sockets_for_an_apps_own_processes_are_no_place_to_be_reached() -> None:
    assert elsewhere(TOLD, ["unix:/tmp/ipc", "127.0.0.1:3000"]) == ["127.0.0.1:3000"]
    assert elsewhere(TOLD, ["127.0.0.1:3000", "0.0.0.0:2001"]) == []
    assert elsewhere(SOCKET, ["unix:/tmp/ipc", "127.0.0.1:3000"]) == ["127.0.0.1:3000"]


def test_the_right_port_of_another_address_is_elsewhere_too() -> None:
    told = Address(link="http+tcp", address="198.18.0.2:2001")
    assert elsewhere(told, ["127.0.0.1:2001"]) == ["127.0.0.1:2001"]
    error = describe_elsewhere("alone", "shop", App(command=["serve"]), told, ["127.0.0.1:2001"])
    assert error.hint == "{host} in its command or environment is 198.18.0.2; 0.0.0.0 will do too"


def test_one_other_port_is_named_with_the_key_that_says_so() -> None:
    app = App(command=["serve", "{port}"])
    error = describe_elsewhere("alone", "shop", app, TOLD, ["127.0.0.1:3000"])
    assert error.message == "shop was told to listen on 127.0.0.1:2001 (PORT, {port}) and listens on 127.0.0.1:3000"
    assert error.hint is not None and "port = 3000 in [apps.shop]" in error.hint
    assert (error.arm, error.ports) == ("alone", [3000])


def test_of_two_ports_one_is_to_be_chosen() -> None:
    error = describe_elsewhere(
        "alone", "shop", App(command=["serve"]), TOLD, ["0.0.0.0:3000", "[::]:3000", "[::]:9000"]
    )
    assert error.message.endswith("and listens on 0.0.0.0:3000 and [::]:3000 and [::]:9000")
    assert (error.hint, error.ports) == ("choose one: port = 3000 or 9000 in [apps.shop]", [3000, 9000])


def test_an_app_that_takes_no_socket_is_pointed_to_the_link() -> None:
    error = describe_elsewhere("alone", "shop", App(command=["serve"]), SOCKET, ["127.0.0.1:9000"])
    assert error.hint is not None and 'link = "fastcgi+tcp"' in error.hint
