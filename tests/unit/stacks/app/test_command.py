"""What an app is told: PORT, and what it asks for by a placeholder."""

from __future__ import annotations

from hopcost.stacks.app.command import AppCommand, app_command, told_by
from hopcost.stacks.client.address import Address
from hopcost.suites.arms.app import App

TCP = Address(link="http+tcp", address="127.0.0.1:2001")
UNIX = Address(link="http+unix", address="/tmp/s/app.sock")


def test_a_port_is_told_by_the_environment_and_where_it_is_asked_for() -> None:
    app = App(command=["serve", "-b", "{host}:{port}", '{"a": 1}'], environment={"URL": "http://{host}:{port}/"})
    assert app_command(app, "/bin/serve", TCP) == AppCommand(
        command=["/bin/serve", "-b", "127.0.0.1:2001", '{"a": 1}'],
        environment={"PORT": "2001", "URL": "http://127.0.0.1:2001/"},
    )


def test_the_users_own_port_variable_wins() -> None:
    app = App(command=["serve"], environment={"PORT": "9{port}"})
    assert app_command(app, "/bin/serve", TCP).environment == {"PORT": "92001"}


def test_a_socket_is_told_where_it_is_asked_for_else_by_port() -> None:
    """Node listens on what PORT says, a number or a path."""
    asked = app_command(App(command=["serve", "unix:{socket}"]), "/bin/serve", UNIX)
    assert asked == AppCommand(command=["/bin/serve", "unix:/tmp/s/app.sock"], environment={})
    assert app_command(App(command=["serve"]), "/bin/serve", UNIX).environment == {"PORT": "/tmp/s/app.sock"}


def test_how_it_was_told() -> None:
    assert told_by(App(command=["serve"]), TCP) == "PORT"
    assert told_by(App(command=["serve", "{port}"]), TCP) == "PORT, {port}"
    assert told_by(App(command=["serve"], port=3000), TCP) == "port = 3000"
    assert told_by(App(command=["serve", "{socket}"]), UNIX) == "{socket}"
    assert told_by(App(command=["serve"]), UNIX) == "PORT"
