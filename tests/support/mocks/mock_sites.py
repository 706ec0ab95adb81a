"""Sites on a virtual clock: each takes its own time for a block, which mock stacks and a mock engine measure."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping
from typing import Any

import msgspec
from mocks.mock_rig import MockRig

from hopcost.measure import loop
from hopcost.measure.blocks.next_block import NextBlock
from hopcost.measure.load.context import BlockContext
from hopcost.measure.sites.fleet import OPENING, Arrived, Event, Lost
from hopcost.measure.sites.messages import Answer, Measure, Measured, Opened, Order
from hopcost.measure.watcher import Silent
from hopcost.record.contents.block import Block
from hopcost.record.contents.repeat import Repeat

OPENED = Opened(installed={}, allowed_cores=[0, 1], siblings={}, open_files=1000, environment={}, digests={})


class NoRecord:
    """Keeps nothing."""

    def put_stack(self, *_: Any) -> None:
        pass

    def append(self, block: Block) -> Block:
        return block

    def append_repeat(self, repeat: Repeat) -> None:
        pass


class MockSites:
    """`seconds` a block takes on each site; `faults` by (site, its how manyth block): why it does not arrive.

    A fault is the words of a site that is gone, or another answer.
    """

    def __init__(self, seconds: Mapping[str, float]) -> None:
        self.seconds = seconds
        self.rigs = {site: MockRig() for site in seconds}
        self.now_s = 0.0
        self.log: list[str] = []
        self.orders: list[tuple[str, Measure]] = []
        self.faults: dict[tuple[str, int], str | Answer] = {}
        self.does_not_come_back: set[str] = set()
        self.interrupted_at: int | None = None
        self._events: list[tuple[float, int, Event]] = []
        self._counter = itertools.count()
        self._counts = dict.fromkeys(seconds, 0)

    def clock(self) -> float:
        return self.now_s

    def submit(self, site: str, order: Order, key: str) -> None:
        assert isinstance(order, Measure)
        if len(self.orders) == self.interrupted_at:
            raise KeyboardInterrupt
        self.log.append(f"{site} {key}")
        self.orders.append((site, order))
        fault = self.faults.get((site, self._counts[site]))
        self._counts[site] += 1
        event: Event
        if isinstance(fault, str):
            event = Lost(site, key, fault, site_is_gone=True)
        else:
            event = Arrived(site, key, fault if fault is not None else self._measured(site, order))
        self._push(self.seconds[site], event)

    def next_event(self, wait_s: float) -> Event | None:
        if not self._events:
            self.now_s += wait_s
            return None
        at_s, _, event = heapq.heappop(self._events)
        self.now_s = max(self.now_s, at_s)
        return event

    def revive(self, site: str) -> None:
        self.log.append(f"{site} starts anew")
        if site in self.does_not_come_back:
            self._push(5.0, Lost(site, OPENING, "no route", site_is_gone=True))
        else:
            self._push(5.0, Arrived(site, OPENING, OPENED))

    def _measured(self, site: str, order: Measure) -> Measured:
        context = BlockContext(order.plan, order.experiment, self.rigs[site], NoRecord(), Silent())
        arms = [arm for arm in order.experiment.arms if arm.name in order.arms]
        slice_ns = order.experiment.slice_ns
        step = NextBlock(order.number, arms, order.rounds, slice_ns, order.warm_up, order.rates)
        block = loop.run_block(context, step)
        return Measured(msgspec.structs.replace(block, site=site), [])

    def _push(self, seconds: float, event: Event) -> None:
        heapq.heappush(self._events, (self.now_s + seconds, next(self._counter), event))
