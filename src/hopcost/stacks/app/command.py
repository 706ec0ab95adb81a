"""What an app is started with: its words and variables, told where to listen."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from hopcost.stacks.client.address import Address
from hopcost.suites.arms.app import HOST, PORT, PORT_VARIABLE, SOCKET, App


class AppCommand(msgspec.Struct, frozen=True):
    """The command line, and the variables over those of hopcost."""

    command: list[str]
    environment: dict[str, str]


def app_command(app: App, executable: str, address: Address) -> AppCommand:
    """The app's command with this executable, told to listen at this address.

    PORT is the port. Over a Unix socket it is the socket's path if nothing else tells the app: Node's `listen` takes
    one there.
    """
    if address.is_unix:
        places = {SOCKET: address.address}
        told = {} if app.mentions(SOCKET) else {PORT_VARIABLE: address.address}
    else:
        places = {HOST: address.host, PORT: str(address.port)}
        told = {PORT_VARIABLE: str(address.port)}
    words = [executable, *(_replace(word, places) for word in app.command[1:])]
    return AppCommand(words, told | {name: _replace(value, places) for name, value in app.environment.items()})


def told_by(app: App, address: Address) -> str:
    """By which means the app was told where to listen, for a message: `PORT, {port}`."""
    if app.port is not None:
        return f"port = {app.port}"
    if address.is_unix:
        return SOCKET if app.mentions(SOCKET) else PORT_VARIABLE
    return ", ".join([PORT_VARIABLE, *([PORT] if app.mentions(PORT) else [])])


def _replace(text: str, places: Mapping[str, str]) -> str:
    for place, value in places.items():
        text = text.replace(place, value)
    return text
