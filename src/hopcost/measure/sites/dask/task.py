"""What runs on a site as a Dask task: an order goes to the leader, its answer comes back as bytes."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from hopcost.errors import needs_extra
from hopcost.measure.sites.messages import Doing
from hopcost.measure.sites.there.leader_process import LeaderProcess

with needs_extra("fleet", "a fleet"):
    from distributed import get_worker

TOPIC = "hopcost"  # of progress: (site, line of JSON)

_place: list[tuple[Path, bool]] = []
_leaders: list[LeaderProcess] = []
_opening: list[bytes] = []


def set_up(folder: Path, *, alone: bool) -> None:
    """Once in the worker's process: where the leader has its files, and whether it makes the load itself."""
    _place[:] = [(folder, alone)]


def ask_leader(order: bytes, *, opens: bool = False) -> bytes:
    """The leader's answer. A leader that died is started anew, and told again what opened the one before."""
    worker = get_worker()

    def tell(doing: Doing) -> None:
        worker.log_event(TOPIC, {"site": worker.name, "line": msgspec.json.encode(doing).decode()})

    if not _leaders or not _leaders[0].is_alive:
        folder, alone = _place[0]
        _leaders[:] = [LeaderProcess(folder, alone=alone)]
        if _opening and not opens:
            _leaders[0].ask(_opening[0], tell)
    if opens:
        _opening[:] = [order]
    return _leaders[0].ask(order, tell)


def end_leader() -> None:
    """If there is one."""
    while _leaders:
        with contextlib.suppress(OSError):
            _leaders.pop().end()
