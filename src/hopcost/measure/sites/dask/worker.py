"""A site's worker: a Dask worker with one thread, which hands whole blocks to the leader. It ends with its input."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from pathlib import Path

import msgspec

from hopcost.errors import needs_extra
from hopcost.measure.sites.dask import settings, task
from hopcost.measure.sites.dask.settings import WorkerOrder

with needs_extra("fleet", "a fleet"):
    from distributed import Worker

READY = b"ready\n"
CLOSE_S = 0.5


async def serve(order: WorkerOrder, folder: Path) -> None:
    """Until the input ends, or the scheduler is gone."""
    settings.apply()
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()

    def watch() -> None:
        while os.read(0, 4096):
            pass
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=watch, name="input", daemon=True).start()
    worker = await Worker(
        order.scheduler,
        name=order.name,
        host=order.host,
        nthreads=1,
        memory_limit=0,
        local_directory=str(folder),
        security=settings.security(order.tls, order.name),
        **settings.NO_DASHBOARD,
    )
    os.write(1, READY)
    waiting = [asyncio.ensure_future(ended.wait()), asyncio.ensure_future(worker.finished())]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.to_thread(task.end_leader)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(worker.close(timeout=CLOSE_S, executor_wait=False), 2 * CLOSE_S)


def main(folder: Path) -> None:
    """The order is the first line of the input."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)  # no more than the line: the rest is watched
        if not byte:
            return
        line += byte
    order = msgspec.json.decode(line, type=WorkerOrder)
    task.set_up(folder, alone=order.alone)
    try:
        asyncio.run(serve(order, folder))
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        task.end_leader()
        os._exit(0)  # a task's thread may still wait


if __name__ == "__main__":
    from hopcost.measure.sites.dask import worker  # as tasks see it: `__main__` is another module

    worker.main(Path(sys.argv[1]))
