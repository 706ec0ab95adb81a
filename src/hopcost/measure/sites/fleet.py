"""A fleet as the loop sees it: orders go to sites, and what becomes of them comes back. Nothing of Dask."""

from __future__ import annotations

from typing import Protocol

import msgspec

from hopcost.measure.sites.messages import Answer, Order

OPENING = "open"  # the key of the order that opens a site


class Arrived(msgspec.Struct, frozen=True):
    """The answer to an order, whole."""

    site: str
    key: str
    answer: Answer


class Lost(msgspec.Struct, frozen=True):
    """There is no answer to an order, and why. `site_is_gone`: it must be started anew before it is asked again."""

    site: str
    key: str
    why: str
    site_is_gone: bool


class Progress(msgspec.Struct, frozen=True):
    """What a site does."""

    site: str
    arm: str
    doing: str


Event = Arrived | Lost | Progress


class Sites(Protocol):
    """Sites that are asked one thing at a time each."""

    def submit(self, site: str, order: Order, key: str) -> None:
        """Ask; an Arrived or a Lost with this key follows, once."""

    def next_event(self, wait_s: float) -> Event | None:
        """The next thing that happens; None if nothing does in this time."""

    def revive(self, site: str) -> None:
        """Start a site anew that is gone, and open it as before; an Arrived or a Lost with the key OPENING follows."""
