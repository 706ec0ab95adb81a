"""An SSH connection to another machine, for callers without asyncio: commands, what they print, forwarded connections.

A thread of its own has the loop. MeasurementFailed once the connection is lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

from hopcost.errors import CannotMeasure, MeasurementFailed, needs_extra
from hopcost.measure.fleet.ssh.login import log_in
from hopcost.measure.fleet.ssh.names import Access, Login
from hopcost.measure.fleet.ssh.scripts import Finished, shell_command, text_of

with needs_extra("fleet", "another machine"):
    import asyncssh

T = TypeVar("T")

CONNECT_S = 10.0  # at most, for what takes a round trip
LOG_IN_S = 60.0  # it has its own limits
CLOSE_S = 2.0
COMMAND_S = 60.0  # at most, for a command that ends by itself
CHUNK_BYTES = 1 << 16
PROHIBITED = 1  # why a channel is not opened, RFC 4254, 5.1


class Connection:
    """One connection; CannotMeasure with what to do if there is none. `role` names the machine in messages."""

    def __init__(self, role: str, login: Login, access: Access, *, forwards_agent: bool = False) -> None:
        self.role, self.login = role, login
        self._held: asyncssh.SSHClientProcess[bytes] | None = None
        self._beating: asyncio.Future[None] | None = None
        self._is_closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"hopcost-ssh-{role}", daemon=True)
        self._thread.start()
        try:
            work = log_in(self._where, login, access, forwards_agent=forwards_agent)
            self._ssh: asyncssh.SSHClientConnection = self._wait_for(work, LOG_IN_S)
        except BaseException:
            self._end_loop()
            raise

    @property
    def local_address(self) -> str:
        """This machine's address on the connection."""
        return str(self._ssh.get_extra_info("sockname")[0])

    @property
    def peer(self) -> tuple[str, int]:
        """The address and the port of the SSH server."""
        host, port, *_ = self._ssh.get_extra_info("peername")
        return str(host), int(port)

    @property
    def is_lost(self) -> bool:
        """Whether it has ended."""
        return self._is_closed or bool(self._ssh.is_closed())

    def close(self) -> None:
        """End it, with all that runs over it. What it holds has cleaned up then, if it can be reached."""
        if self._is_closed:
            return
        self._is_closed = True
        with contextlib.suppress(MeasurementFailed):
            self._do(self._close(), CONNECT_S)
        self._end_loop()

    def run(self, script: str, *words: str, data: bytes = b"", at_most_s: float = COMMAND_S) -> Finished:
        """Run a script of `sh` with these words as its `$1`, `$2` …, `data` on its standard input, to its end."""

        async def run() -> Finished:
            given: dict[str, Any] = {"input": data} if data else {"stdin": asyncssh.DEVNULL}
            done = await self._ssh.run(shell_command(script, *words), encoding=None, check=False, **given)
            output, errors = (text_of(part) for part in (done.stdout, done.stderr))
            return Finished(_status(done), output, errors)

        self._refuse_closed()
        return self._do(run(), at_most_s)

    def start(
        self,
        script: str,
        *words: str,
        data: bytes,
        on_output: Callable[[bytes], None],
        on_end: Callable[[Finished], None],
        on_errors: Callable[[bytes], None] | None = None,
    ) -> None:
        """Start a script, which gets `data` and no more; the callbacks are called from the connection's thread.

        `on_end` has no output, and no errors if `on_errors` takes them; its status is None if a signal ended the
        script, or the connection was lost.
        """

        async def read_errors(process: asyncssh.SSHClientProcess[bytes]) -> bytes:
            if on_errors is None:
                return bytes(await process.stderr.read())
            while chunk := await process.stderr.read(CHUNK_BYTES):
                on_errors(chunk)
            return b""

        async def serve() -> None:
            errors, status = b"", None
            try:
                process = await self._ssh.create_process(shell_command(script, *words), encoding=None)
                process.stdin.write(data)
                process.stdin.write_eof()
                complaints = asyncio.ensure_future(read_errors(process))
                while chunk := await process.stdout.read(CHUNK_BYTES):
                    on_output(chunk)
                errors = await complaints
                status = _status(await process.wait(check=False))
            except (OSError, asyncssh.Error) as error:
                errors += f"{self._where}: {error}".encode()
            on_end(Finished(status, "", errors.decode(errors="replace")))

        self._refuse_closed()
        asyncio.run_coroutine_threadsafe(serve(), self._loop)

    def hold(self, script: str, *words: str, beat_s: float) -> str:
        """Start a script and give its first line. It gets a byte every `beat_s`, until the connection ends."""

        async def start() -> str:
            process = await self._ssh.create_process(shell_command(script, *words), encoding=None)
            line = await process.stdout.readline()
            if not line.endswith(b"\n"):
                raise CannotMeasure(
                    f"{self._where}: {text_of(await process.stderr.read()).strip() or 'nothing starts'}"
                )
            self._held, self._beating = process, asyncio.ensure_future(beat(process))
            return text_of(line).rstrip("\n")

        async def beat(process: asyncssh.SSHClientProcess[bytes]) -> None:
            with contextlib.suppress(OSError, asyncssh.Error):
                while True:
                    process.stdin.write(b".")
                    await asyncio.sleep(beat_s)

        self._refuse_closed()
        return self._do(start(), CONNECT_S)

    @contextlib.contextmanager
    def forwarded(self, host: str, port: int) -> Iterator[int]:
        """A port of this machine's loopback; it leads to host and port as the other machine reaches them."""
        self._refuse_closed()
        listener = self._do(self._ssh.forward_local_port("127.0.0.1", 0, host, port), CONNECT_S)
        try:
            yield listener.get_port()
        finally:
            self._loop.call_soon_threadsafe(listener.close)

    def why_not_reached(self, host: str, port: int) -> tuple[str, int | None] | None:
        """Why the other machine does not reach this address, and the kind (PROHIBITED …); None if it does."""

        async def reach() -> tuple[str, int | None] | None:
            try:
                _, writer = await asyncio.wait_for(self._ssh.open_connection(host, port), CONNECT_S)
            except asyncssh.ChannelOpenError as error:
                return str(error.reason), int(error.code)
            except TimeoutError:
                return f"no answer within {CONNECT_S:g} s", None
            writer.close()
            return None

        self._refuse_closed()
        return self._do(reach(), CONNECT_S + 1)

    @property
    def _where(self) -> str:
        return f"{self.role} ({self.login.host})"

    async def _close(self) -> None:
        if self._beating is not None:
            self._beating.cancel()
        if self._held is not None:
            with contextlib.suppress(OSError, asyncssh.Error):
                self._held.stdin.write_eof()
                await asyncio.wait_for(self._held.wait(check=False), CLOSE_S)
        self._ssh.close()
        try:
            await asyncio.wait_for(self._ssh.wait_closed(), CLOSE_S)
        except TimeoutError:
            self._ssh.abort()  # what is still to be sent has nobody to go to

    def _refuse_closed(self) -> None:
        if self._is_closed:
            raise MeasurementFailed(f"{self._where}: the connection is closed")

    def _end_loop(self) -> None:
        """With whatever still waits for what does not come."""

        async def cancel_rest() -> None:
            waiting = asyncio.all_tasks() - {asyncio.current_task()}
            for task in waiting:
                task.cancel()
            if waiting:
                await asyncio.wait(waiting, timeout=CLOSE_S)

        with contextlib.suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(cancel_rest(), self._loop).result(2 * CLOSE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CONNECT_S)
        if not self._thread.is_alive():
            self._loop.close()

    def _do(self, work: Awaitable[T], at_most_s: float) -> T:
        """What the work gives; MeasurementFailed if the connection fails meanwhile, or it takes too long."""
        try:
            return self._wait_for(work, at_most_s)
        except (OSError, asyncssh.Error) as error:
            raise MeasurementFailed(
                f"{self._where}: the connection is lost: {error or type(error).__name__}",
                f"ssh {self.login.words()} says whether it is there",
            ) from error

    def _wait_for(self, work: Awaitable[T], at_most_s: float) -> T:
        async def bounded() -> T:
            return await asyncio.wait_for(work, at_most_s)

        future = asyncio.run_coroutine_threadsafe(bounded(), self._loop)
        try:
            return future.result()
        finally:
            future.cancel()  # of use after an interrupt alone


def _status(done: asyncssh.SSHCompletedProcess) -> int | None:
    """Its exit code; None if a signal ended it, or nobody knows."""
    return None if done.exit_status is None or done.exit_status < 0 else int(done.exit_status)
