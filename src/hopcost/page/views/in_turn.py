"""One report or comparison at a time: each takes seconds of CPU time and a record's memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from hopcost.errors import CannotMeasure

WAIT_S = 20.0  # so that waiting reports leave threads for other pages
_turn = threading.Lock()


@contextmanager
def in_turn() -> Iterator[None]:
    """Waits for the others; CannotMeasure if that takes too long."""
    if not _turn.acquire(timeout=WAIT_S):
        raise CannotMeasure("other reports are being made", "ask again in a minute")
    try:
        yield
    finally:
        _turn.release()
