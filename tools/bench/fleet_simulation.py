"""How many sites one controller carries: workers in this process, whose blocks are made beforehand.

    .venv/bin/python -m tools.bench.fleet_simulation [SITES] [BLOCKS OF EACH]

The real loop, the real Dask client and scheduler, a real record; no SSH, no TLS, no stacks. A block takes 0.1 s, so the
figures are what the controller can carry. Prints how long the workers take to start, blocks per second and memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dask
import msgspec
from distributed import Client, Scheduler, Worker

from hopcost.measure.sites.dask import fleet as dask_fleet
from hopcost.measure.sites.dask import settings
from hopcost.measure.sites.fleet import Arrived, Event, Lost
from hopcost.measure.sites.loop import FleetLoop
from hopcost.measure.sites.messages import Measure, Measured
from hopcost.measure.watcher import Silent
from hopcost.plan.plan import Plan
from hopcost.record import reader
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Record
from hopcost.record.writer import Writer

SAMPLE = Path(__file__).parents[2] / "docs" / "samples" / "nginx-go"
BLOCK_S = 0.1
AT_A_TIME = 50  # workers that are started
QUIETER = {
    "distributed.worker.memory.monitor-interval": "1h",
    "distributed.admin.system-monitor.interval": "1h",
    "distributed.admin.tick.interval": "1h",
}
_block: list[Block] = []


def answer(order: bytes, *, opens: bool = False) -> bytes:  # noqa: ARG001  # as the leader's task is called
    """A recorded block under the number that was asked for, after the time that a block takes here."""
    from distributed import get_worker

    time.sleep(BLOCK_S)
    asked = msgspec.json.decode(order, type=Measure)
    block = msgspec.structs.replace(
        _block[0], experiment=asked.experiment.name, number=asked.number, site=str(get_worker().name)
    )
    return msgspec.json.encode(Measured(block, []))


@contextmanager
def simulated(sites: int) -> Iterator[Client]:
    """A client of so many workers in this process."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> tuple[Scheduler, list[Worker]]:
        scheduler = await Scheduler(port=0, protocol="inproc://", **settings.NO_DASHBOARD)
        workers = [
            Worker(scheduler.address, name=f"s{number}", nthreads=1, memory_limit=0, **settings.NO_DASHBOARD)
            for number in range(sites)
        ]
        for first in range(0, sites, AT_A_TIME):
            await asyncio.gather(*workers[first : first + AT_A_TIME])
        return scheduler, workers

    async def end() -> None:
        await asyncio.gather(*(worker.close(nanny=False) for worker in workers))
        await scheduler.close()

    scheduler, workers = asyncio.run_coroutine_threadsafe(start(), loop).result()
    try:
        with Client(scheduler.address, set_as_default=False) as client:
            yield client
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def plan_of(record: Record, seconds: float) -> Plan:
    """The sample's first experiment, without a load to find, and never precise enough."""
    experiment = msgspec.structs.replace(record.plan.experiments[0], open_loop_shares=[])
    return msgspec.structs.replace(record.plan, experiments=[experiment], time_s=seconds, precision=-1.0)


def main(sites: int, blocks: int) -> None:
    """One line for each figure."""
    settings.apply()
    dask.config.set(QUIETER)
    vars(dask_fleet)["ask_leader"] = answer
    record = reader.read_record(SAMPLE)
    _block[:] = [record.blocks[0]]
    began_s = time.monotonic()
    with simulated(sites) as client, tempfile.TemporaryDirectory() as folder:
        print(f"{sites} workers: {time.monotonic() - began_s:.1f} s until all are there")
        plan = plan_of(record, 3600.0)
        orders = CountedSites(dask_fleet.DaskSites(client), sites * blocks)
        with Writer(Path(folder) / "record", record.suite, plan, {}, ["simulation"]) as writer:
            began_s, used_s = time.monotonic(), time.process_time()
            loop = FleetLoop(plan, orders, [f"s{number}" for number in range(sites)], writer, Silent())
            with contextlib.suppress(KeyboardInterrupt):  # by CountedSites: there are enough
                loop.measure()
            took_s, used_s = time.monotonic() - began_s, time.process_time() - used_s
        count = len(loop.so_far)
        print(
            f"{count} blocks: {took_s:.1f} s ({blocks * BLOCK_S:.1f} s if nothing but blocks took time),"
            f" {count / took_s:.0f} blocks/s, {1000 * used_s / max(1, count):.1f} ms of CPU each, statistics included"
        )
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB at most")


class CountedSites:
    """Interrupts the loop once so many blocks have come."""

    def __init__(self, sites: dask_fleet.DaskSites, most: int) -> None:
        self._sites, self._left = sites, most
        self.submit, self.revive = sites.submit, sites.revive

    def next_event(self, wait_s: float) -> Event | None:
        """The next one of the sites."""
        if self._left <= 0:
            raise KeyboardInterrupt
        event = self._sites.next_event(wait_s)
        self._left -= isinstance(event, (Arrived, Lost))
        return event


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]]
    main(*[*words, *(100, 4)[len(words) :]])
