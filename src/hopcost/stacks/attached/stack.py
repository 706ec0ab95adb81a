"""A running server with the face of a stack: nothing of it is started, changed or stopped."""

from __future__ import annotations

import contextlib
from pathlib import Path
from types import TracebackType

from hopcost.errors import ArmFailed, CannotMeasure
from hopcost.plan.cores import Cores
from hopcost.record.contents.evidence import Memory, TimeWait
from hopcost.stacks.app.services import SharedService
from hopcost.stacks.attached.freezing import Thawer, refuse_unfreezable
from hopcost.stacks.attached.processes import present_pids
from hopcost.stacks.client.address import Address
from hopcost.stacks.prepare.prepared import PreparedHop, PreparedStack
from hopcost.stacks.sandbox import sockets, usage
from hopcost.suites.arms.server import RunningServer

REMOTE = "server"  # the hop of a server of which no process is known


class AttachedStack:
    """A server as it runs now, for one batch; ArmFailed if the processes that the run found have ended.

    A context manager. While it is entered, another process stands by to thaw what the engine has frozen.
    """

    def __init__(self, name: str, server: RunningServer, cores: Cores) -> None:
        self.arm = name
        self.surroundings = None
        self.prepared = PreparedStack(arm=name, hops=_hops(server), cores=cores, open_files=0, server=server)
        self._server = server
        self._pids = {hop.name: present_pids(server, hop) for hop in server.hops}
        self._used_ns: dict[str, int] = {}
        self._thawer = contextlib.ExitStack()
        if (why := self.failure()) is not None:
            raise ArmFailed(name, why, "it was restarted or stopped: run hopcost vs again")
        if server.freeze:
            try:
                refuse_unfreezable(name, self._all_pids())
            except CannotMeasure as error:
                raise ArmFailed(name, error.message, error.hint) from error

    def __enter__(self) -> AttachedStack:
        if self._server.freeze:
            self._thawer.enter_context(Thawer(self._all_pids()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._thawer.close()

    @property
    def processes(self) -> dict[str, list[int]]:
        """The present processes of each hop, by hop name; none if it runs elsewhere."""
        return {hop.name: present_pids(self._server, hop) for hop in self._server.hops}

    @property
    def network_namespace(self) -> None:
        """A client reaches it from where this process is."""

    @property
    def services(self) -> list[SharedService]:
        """What works behind it is a hop of its own, if the command line names it."""
        return []

    def as_client(self) -> contextlib.AbstractContextManager[None]:
        """A client is where this process is."""
        return contextlib.nullcontext()

    @property
    def freeze(self) -> dict[str, object] | None:
        """What freezes it, in the words of the engine's plan; None: nothing does."""
        return {"signal": self._all_pids()} if self._server.freeze else None

    def account_of(self, hop: str) -> str | None:
        """The cgroup that counts the CPU time of a hop, if it has one of its own."""
        return next((own.cgroup for own in self._server.hops if own.name == hop), None)

    def memory(self) -> dict[str, Memory]:
        """The memory of each hop, over its present processes."""
        return {name: usage.memory(pids) for name, pids in self.processes.items()}

    def time_wait(self) -> list[TimeWait]:
        """The present connections in TIME_WAIT on its port, by the side that closed them."""
        if self._server.is_unix:
            return []
        port = int(self._server.address.rpartition(":")[2])
        return sockets.count_time_wait_of({self.prepared.hops[0].name: port}, [None])

    def cpu_by_account(self) -> dict[str, int]:
        """CPU time used so far, in ns, by cgroup or process: two servers may have processes in common.

        Of a process that has ended it is what it had used when it was last asked.
        """
        for hop in self._server.hops:
            if hop.cgroup is not None:
                self._used_ns[hop.cgroup] = usage.account_ns(Path(hop.cgroup))
                continue
            for pid in self._pids[hop.name]:
                used_ns = usage.process_clock_ns(pid)
                if used_ns is not None:
                    self._used_ns[str(pid)] = used_ns
        return dict(self._used_ns)

    def failure(self) -> str | None:
        """Which hop has no process any more of those that the run found; None while all have some."""
        for hop in self._server.hops:
            if hop.pids and not set(hop.pids) & set(present_pids(self._server, hop)):
                return f"the processes of {hop.name} have ended (pid {', '.join(map(str, hop.pids))})"
        return None

    def _all_pids(self) -> list[int]:
        return [pid for pids in self._pids.values() for pid in pids]


def address_of(server: RunningServer) -> Address:
    """Where a client connects to, and whom it trusts there."""
    return Address(
        link=server.link,
        address=server.address,
        ca_file=server.ca_file,
        server_name=server.server_name,
        verify=server.verify,
    )


def _hops(server: RunningServer) -> list[PreparedHop]:
    """Its hops for the record; one without a process if none is known."""
    names = [hop.name for hop in server.hops] or [REMOTE]
    return [
        PreparedHop(
            name=name,
            program=name,
            version="",
            address=address_of(server),
            settings={},
            command=[],
            files={},
            forks=any(hop.name == name and hop.cgroup is not None for hop in server.hops),
        )
        for name in names
    ]
