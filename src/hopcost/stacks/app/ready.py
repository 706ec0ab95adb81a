"""Wait until an app listens, and find out where: it is asked of the kernel, not believed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from hopcost.errors import ArmFailed
from hopcost.plan.method import METHOD
from hopcost.stacks.app.listening import describe_elsewhere, elsewhere, ways_in
from hopcost.stacks.client.address import Address
from hopcost.suites.arms.app import App

CONNECT_S = 0.005  # between two attempts to connect where it was told
LOOK_S = 0.1  # between two looks at where it listens, which read the files of all processes
LONGER = "if it only needs longer, --ready 2m or ready_s in its suite"
TCP_HINT = f"does it listen on the port in PORT or {{port}}? {LONGER}"
UNIX_HINT = f"does it listen on the socket {{socket}}? {LONGER}"


class StartedApp(Protocol):
    """An app that was just started: what may be asked of it."""

    arm: str
    name: str
    app: App
    told: Address

    def listening(self) -> Sequence[str]:
        """Where its processes listen: `127.0.0.1:3000`, `unix:/path`."""

    def refuse_ended(self) -> None:
        """ArmFailed if it has ended."""

    def log(self) -> str:
        """Its last lines, for the end of a message."""

    def why_unreached(self, address: Address) -> str | None:
        """None if a connection could be opened."""


def wait_until_it_listens(
    started: StartedApp, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
) -> Address:
    """The address at which it is reached, once it can be.

    ListensElsewhere if it listens, but not where it was told; ArmFailed if it does not listen in time, or ends.
    """
    app, told = started.app, started.told
    began = looked = clock()
    ready_s = METHOD.app_ready_s if app.ready_s is None else app.ready_s
    patience_s = METHOD.listens_elsewhere_s if app.ready_s is None else app.ready_s
    first_seen: float | None = None
    while (reason := started.why_unreached(told)) is not None:
        started.refuse_ended()
        now = clock()
        is_late = now - began > ready_s
        if is_late or now - looked > LOOK_S:
            looked, listening = now, started.listening()
            for way in ways_in(told, listening):
                if started.why_unreached(way) is None:
                    return way
            places = elsewhere(told, listening)
            first_seen = (first_seen or now) if places else None
            if first_seen is not None and (is_late or now - first_seen > patience_s):
                raise describe_elsewhere(started.arm, started.name, app, told, places)
        if is_late:
            late = f"{started.name} did not listen on {told.address} within {ready_s:g} s: {reason}"
            raise ArmFailed(started.arm, late + started.log(), UNIX_HINT if told.is_unix else TCP_HINT)
        sleep(CONNECT_S)
    return told
