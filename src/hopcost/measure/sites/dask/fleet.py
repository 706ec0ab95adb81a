"""Sites as workers of any Dask client: pinned tasks, never run again elsewhere, whose results are whole answers."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from hopcost.errors import HopcostError, MeasurementFailed, needs_extra
from hopcost.measure.sites.dask.task import TOPIC, ask_leader
from hopcost.measure.sites.fleet import OPENING, Arrived, Event, Lost, Progress
from hopcost.measure.sites.messages import Answer, Doing, Open, Order

with needs_extra("fleet", "a fleet"):
    from distributed import Client, Future
    from distributed.scheduler import KilledWorker

TAKE_S = 5.0  # at most, to take over a result that is there


class DaskSites:
    """Workers by name. `start_anew` brings a lost one back; without, it stays lost."""

    def __init__(self, client: Client, start_anew: Callable[[str], None] | None = None) -> None:
        self._client, self._start_anew = client, start_anew
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._futures: dict[tuple[str, str], Any] = {}  # a task lives as long as its future
        self._opening: dict[str, Open] = {}
        self._attempts = itertools.count()
        client.subscribe_topic(TOPIC, self._hear)

    @property
    def names(self) -> list[str]:
        """The workers that are there."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        return [str(worker["name"]) for worker in workers]

    def submit(self, site: str, order: Order, key: str) -> None:
        """As one task of the site's worker; its key is new each time, so that a late answer has no taker."""
        if isinstance(order, Open):
            self._opening[site] = order
        if site not in self.names:
            self._events.put(Lost(site, key, f"{site}: its worker is gone", site_is_gone=True))
            return
        future = self._client.submit(
            ask_leader,
            msgspec.json.encode(order),
            opens=isinstance(order, Open),
            key=f"{site}/{key}/{next(self._attempts)}",
            workers=[site],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )
        self._futures[site, key] = future
        future.add_done_callback(lambda future: self._events.put(self._ended(site, key, future)))

    def next_event(self, wait_s: float) -> Event | None:
        """Answers and progress in the order in which they come."""
        try:
            event = self._events.get(timeout=wait_s)
        except queue.Empty:
            return None
        if not isinstance(event, Progress):
            self._futures.pop((event.site, event.key), None)
        return event

    def revive(self, site: str) -> None:
        """In a thread: other sites are not kept waiting."""

        def start_anew() -> None:
            try:
                if self._start_anew is None:
                    raise MeasurementFailed("its worker is gone")
                self._start_anew(site)
            except HopcostError as error:
                self._events.put(Lost(site, OPENING, error.message, site_is_gone=True))
            else:
                self.submit(site, self._opening[site], OPENING)

        threading.Thread(target=start_anew, name=f"revive-{site}", daemon=True).start()

    def _ended(self, site: str, key: str, future: Future) -> Event:
        try:
            return Arrived(site, key, msgspec.json.decode(future.result(timeout=TAKE_S), type=Answer))
        except KilledWorker:
            return Lost(site, key, f"{site}: its worker was lost", site_is_gone=True)
        except MeasurementFailed as error:
            return Lost(site, key, f"{site}: {error.message}", site_is_gone=False)
        except msgspec.DecodeError as error:
            return Lost(site, key, f"{site}: its answer is not whole: {error}", site_is_gone=False)
        except Exception as error:  # whatever Dask says: there is no answer
            return Lost(site, key, f"{site}: {type(error).__name__}: {error}", site_is_gone=True)

    def _hear(self, event: tuple[float, Mapping[str, str]]) -> None:
        _, told = event
        doing = msgspec.json.decode(told["line"], type=Doing)
        if doing.arm is not None:
            self._events.put(Progress(told["site"], doing.arm, doing.doing))
