"""How an app is reached over a Unix socket."""

from __future__ import annotations

import pytest

from hopcost.errors import UsageError
from hopcost.measure.protocols.front.request import over_socket
from hopcost.suites.arms.app import App


def test_an_app_that_reads_port_may_take_a_path_there() -> None:
    app = App(command=["node", "server.js"])
    assert over_socket(app, None) == app


@pytest.mark.parametrize(
    "app",
    [
        App(command=["./app", "-p", "{port}"]),
        App(command=["./app"], environment={"ADDRESS": "127.0.0.1:{port}"}),
        App(command=["./app"], port=3000),
    ],
)
def test_an_app_that_is_told_a_port_takes_no_path(app: App) -> None:
    assert over_socket(app, None) is None


def test_a_command_of_its_own_takes_the_place() -> None:
    app = App(command=["./app", "{port}"], port=3000, environment={"BIND": "0:{port}", "DEBUG": "1"}, needs=["a:1"])
    other = over_socket(app, ["./app", "--uds", "{socket}"])
    assert other == App(command=["./app", "--uds", "{socket}"], environment={"DEBUG": "1"}, needs=["a:1"])


def test_a_command_without_a_place_for_the_path_is_refused() -> None:
    with pytest.raises(UsageError, match="the command has no") as refusal:
        over_socket(App(command=["gunicorn", "-b", ":{port}"]), ["gunicorn", "app:app"])
    assert refusal.value.hint == "like --socket 'gunicorn -b unix:{socket} …'"
