"""An app that was just started in a session: what `ready.py` asks of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hopcost.errors import ArmFailed
from hopcost.machine.listeners import listeners_of
from hopcost.stacks.client.address import Address
from hopcost.stacks.sandbox import namespaces
from hopcost.stacks.sandbox.session import Session
from hopcost.suites.arms.app import App

IN_THE_FOREGROUND = "it must stay in the foreground: no --daemon"
BY_HAND = "does the same command start by hand, in the same folder? --folder and --env may be missing"


class AppInSession:
    """The app with its processes; `describe` gives the end of a message about it when it has ended, with its log."""

    def __init__(
        self, arm: str, name: str, app: App, told: Address, session: Session, root: int, log: Callable[[], str]
    ) -> None:
        self.arm, self.name, self.app, self.told = arm, name, app, told
        self._session, self._root, self._log = session, root, log

    def listening(self) -> Sequence[str]:
        """Where its processes listen."""
        pids = self._session.processes(self.name, self._root)
        return [listener.address for listener in listeners_of(pids, self._session.namespace)]

    def refuse_ended(self) -> None:
        """ArmFailed with its last lines if it has ended."""
        status = self._session.poll().get(self.name)
        if status is not None:
            how = f"with exit code {status}" if status >= 0 else f"by signal {-status}"
            hint = IN_THE_FOREGROUND if status == 0 else BY_HAND
            raise ArmFailed(self.arm, f"{self.name} ended {how} before it listened{self._log()}", hint)

    def log(self) -> str:
        """Its last lines."""
        return self._log()

    def why_unreached(self, address: Address) -> str | None:
        """By a connection from its own namespace, closed at once."""
        with namespaces.inside(self._session.namespace):
            try:
                address.connect(timeout_s=1.0).close()
            except OSError as error:
                return str(error)
        return None
