"""A Dask cluster of the fleet's sites: the scheduler is in this process, a worker is started by SSH on each site.

Not Dask's SSHCluster: it has one set of options for all hosts, sends no certificates, and leaves its scheduler behind.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from hopcost.errors import CannotMeasure, MeasurementFailed, needs_extra
from hopcost.measure.fleet.authority import make_certificates
from hopcost.measure.fleet.ssh.login import log_in
from hopcost.measure.fleet.ssh.names import Access
from hopcost.measure.fleet.ssh.scripts import shell_command
from hopcost.measure.sites.dask import settings
from hopcost.measure.sites.dask.settings import BEAT_S, CONTROLLER, LEASE_S, NO_DASHBOARD, WorkerOrder
from hopcost.measure.sites.hosts_file import Fleet, Site

with needs_extra("fleet", "a fleet"):
    import asyncssh
    from distributed import Client, Scheduler, SpecCluster
    from distributed.deploy.spec import ProcessInterface

# $1: the command `hopcost` there, $2: the lease. `hopcost fleet hold` becomes the lifeline.
HOLD = 'PATH="$PATH:$HOME/.local/bin"; export PATH; exec "$1" fleet hold "$2"'
READY_S = 90.0  # Python starts three times, perhaps on a slow machine
END_S = 8.0  # the lifeline's time to end everything
REVIVE_S = 2 * READY_S


class SiteWorker(ProcessInterface):
    """The worker of one site, held by an SSH connection: at its end everything there ends."""

    def __init__(self, scheduler: str, name: str, site: Site, access: Access, tls: dict[str, str]) -> None:
        super().__init__(scheduler=scheduler, name=name)
        self.site, self.access = site, access
        self.order = WorkerOrder(scheduler, name, site.stack.bound, not site.generators, tls)
        self.complaints: list[str] = []
        self._ssh: asyncssh.SSHClientConnection | None = None
        self._process: asyncssh.SSHClientProcess[bytes] | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Log in, start the worker, wait until it is ready. CannotMeasure with its words if it does not get ready."""
        host = self.site.stack
        try:
            self._ssh = await log_in(host.name, host.login, self.access, forwards_agent=bool(self.site.generators))
            command = shell_command(HOLD, host.hopcost, str(LEASE_S))
            self._process = await self._ssh.create_process(command, encoding=None)
            self._process.stdin.write(msgspec.json.encode(self.order) + b"\n")
            self._tasks = [asyncio.create_task(self._beat()), asyncio.create_task(self._listen())]
            line = await asyncio.wait_for(self._process.stdout.readline(), READY_S)
            if line != b"ready\n":
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._process.wait(check=False), BEAT_S)
                words = self.complaints[-1] if self.complaints else "it ended without a word"
                raise CannotMeasure(f"{host.name}: its worker does not start: {words}")
        except (OSError, asyncssh.Error, TimeoutError) as error:
            await self.close()
            raise CannotMeasure(f"{host.name}: its worker does not start: {error or type(error).__name__}") from error
        except BaseException:
            await self.close()
            raise
        await super().start()

    async def close(self) -> None:
        """End the connection; everything there has ended then, if it can be reached."""
        for task in self._tasks[:1]:
            task.cancel()
        if self._process is not None:
            with contextlib.suppress(OSError, asyncssh.Error, TimeoutError):
                self._process.stdin.write_eof()
                await asyncio.wait_for(self._process.wait(check=False), END_S)
        if self._ssh is not None:
            self._ssh.close()
            try:
                await asyncio.wait_for(self._ssh.wait_closed(), BEAT_S)
            except TimeoutError:
                self._ssh.abort()
        for task in self._tasks:
            task.cancel()
        await super().close()

    async def _beat(self) -> None:
        assert self._process is not None, "started"
        with contextlib.suppress(OSError, asyncssh.Error):
            while True:
                await asyncio.sleep(BEAT_S)
                self._process.stdin.write(b".")

    async def _listen(self) -> None:
        """What it complains about; its pipe must not fill."""
        assert self._process is not None, "started"
        with contextlib.suppress(OSError, asyncssh.Error):
            while line := await self._process.stderr.readline():
                self.complaints = [*self.complaints[-9:], line.decode(errors="replace").strip()]


class SshCluster:
    """The running cluster: a client of it, and how a lost site comes back."""

    def __init__(self, cluster: SpecCluster, client: Client) -> None:
        self._cluster, self.client = cluster, client

    def revive(self, name: str) -> None:
        """End what is left of a site's worker, and start another. CannotMeasure if it does not start."""

        async def start_anew() -> None:
            spec = self._cluster.worker_spec.pop(name)
            try:
                await self._cluster._correct_state()
            finally:
                self._cluster.worker_spec[name] = spec
            try:
                await self._cluster._correct_state()
            except BaseException:
                self._cluster.workers.pop(name, None)
                raise

        try:
            self._cluster.sync(start_anew, callback_timeout=REVIVE_S)
        except TimeoutError as error:
            raise MeasurementFailed(f"{name}: it does not come back") from error


@contextmanager
def started(fleet: Fleet, address: str) -> Iterator[SshCluster]:
    """A cluster with a worker on each site; the scheduler listens on `address`. At its end nothing is left there."""
    settings.apply()
    names = [site.name for site in fleet.sites]
    files = make_certificates([CONTROLLER, *names])
    security = settings.security(settings.own_files(files, CONTROLLER), CONTROLLER)
    scheduler: dict[str, Any] = {
        "cls": Scheduler,
        "options": {"host": address, "port": 0, "protocol": "tls", "security": security, **NO_DASHBOARD},
    }
    workers = {
        site.name: {
            "cls": SiteWorker,
            "options": {
                "name": site.name,
                "site": site,
                "access": fleet.access,
                "tls": settings.own_files(files, site.name),
            },
        }
        for site in fleet.sites
    }
    with (
        SpecCluster(workers=workers, scheduler=scheduler, security=security) as cluster,
        Client(cluster, security=security, set_as_default=False) as client,
    ):
        try:
            client.wait_for_workers(len(names), timeout=READY_S)
        except TimeoutError as error:
            raise CannotMeasure(
                f"not all sites' workers reach this machine at {address}",
                "open its firewall for them, or name another address: controller = in hosts.toml",
            ) from error
        yield SshCluster(cluster, client)
