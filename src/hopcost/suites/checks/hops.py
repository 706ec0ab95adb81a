"""What hops must not say that are the user's own app or configuration."""

from __future__ import annotations

from hopcost.errors import UsageError
from hopcost.suites.arms.app import PORT, SOCKET, read_service
from hopcost.suites.arms.arm import Arm, Hop
from hopcost.suites.suite import Suite


def check_apps(suite: Suite, path: object) -> None:
    """What an app needs is readable, and each hop that is an app can be told where to listen."""
    for name, app in suite.apps.items():
        for number, need in enumerate(app.needs):
            try:
                read_service(need)
            except UsageError as error:
                raise UsageError(f"{path}: apps.{name}.needs[{number}]: {error.message}", error.hint) from error
    for name, arm in suite.arms.items():
        for number, hop in enumerate(arm.hops):
            _check_app_of(hop, suite, f"{path}: arms.{name}.hops[{number}]")


def _check_app_of(hop: Hop, suite: Suite, where: str) -> None:
    """The hop's link fits what the app's command and environment ask for."""
    app = suite.apps.get(hop.program)
    if hop.app is not None and hop.app != app:
        raise UsageError(f"{where}: app: not in a hop", f"write it as [apps.{hop.program}]")
    if app is None:
        return
    if hop.link.is_unix:
        if app.mentions(PORT) or app.port is not None:
            what = "it has a `port`" if app.port is not None else f"it is told a port ({PORT})"
            link = hop.link.value.replace("unix", "tcp")
            hint = f"{SOCKET} in its command is the socket's path; or give it the link {link}"
            raise UsageError(f"{where}: {hop.program} is reached over {hop.link.value}, and {what}", hint)
    elif app.mentions(SOCKET):
        hint = f"give it the link {hop.link.value.replace('tcp', 'unix')}, or {PORT} in its command"
        raise UsageError(
            f"{where}: {hop.program} is told a socket ({SOCKET}), and is reached over {hop.link.value}", hint
        )
    if hop.port is not None and app.port is not None and hop.port != app.port:
        raise UsageError(f"{where}: port: {hop.program} listens on {app.port}", "leave `port` out of the hop")


def check_configurations(suite: Suite, path: object) -> None:
    """A configuration is the first hop of its arms, and has one hop after it: that stands for its upstream."""
    for name in suite.configurations:
        if name in suite.apps:
            raise UsageError(
                f"{path}: configurations.{name}: an app has this name too", "give one of them another name"
            )
    for name, arm in suite.arms.items():
        for number, hop in enumerate(arm.hops):
            _check_configuration_of(arm, number, hop, suite, f"{path}: arms.{name}.hops[{number}]")


def _check_configuration_of(arm: Arm, number: int, hop: Hop, suite: Suite, where: str) -> None:
    configuration = suite.configurations.get(hop.program)
    if hop.configuration is not None and hop.configuration != configuration:
        raise UsageError(f"{where}: configuration: not in a hop", f"write it as [configurations.{hop.program}]")
    if configuration is None:
        return
    if number or len(arm.hops) > 2:
        raise UsageError(
            f"{where}: {hop.program} is your own configuration: it is the first hop, with at most one after it",
            "the hop after it takes the place of its upstream",
        )
    given = {"port": hop.port, "config": hop.config, "binary": hop.binary}
    for key, value in given.items():
        if value is not None:
            hint = f"[configurations.{hop.program}] has `{'nginx' if key == 'binary' else 'port'}`"
            raise UsageError(f"{where}: {key}: not with your own configuration", hint if key != "config" else None)
