"""The progress of a search: a line for each start in a log, what is offered now on a terminal."""

from __future__ import annotations

import io
from pathlib import Path

from mocks.queues import ONE_MS, TWO_MS, QueueRig, planned, searched
from rich.console import Console

from hopcost.report.live.capacity import CapacityLog, CapacityView, watch_capacity
from hopcost.statistics.questions.capacity.fit import KnownSoFar

KNOWN = {"go": KnownSoFar(400.0, None, None), "nginx": KnownSoFar(100.0, 120.0, 111.0)}


def console(*, is_terminal: bool) -> Console:
    return Console(file=io.StringIO(), width=80, force_terminal=is_terminal)


def test_a_log_has_a_line_for_each_start(tmp_path: Path) -> None:
    answer = searched(QueueRig({"base": ONE_MS, "slow": TWO_MS}), tmp_path, 30.0)
    screen = console(is_terminal=False)
    with watch_capacity(screen, planned(30.0)) as watcher:
        assert type(watcher) is CapacityLog
        watcher.block_begins(answer.record.plan.experiments[0], 0)
        watcher.offers({"go": 500.0, "nginx": 111.0})
        watcher.knows(KNOWN)
        watcher.block_ends(answer.record.blocks[0])
    assert isinstance(screen.file, io.StringIO)
    assert screen.file.getvalue().startswith("start 1  go 400/s held, nginx about 111/s  0:")


def test_a_terminal_shows_what_is_offered_now() -> None:
    screen = console(is_terminal=True)
    view = CapacityView(screen, planned(30.0))
    view.number = 2
    view.offers({"go": 61_000.0})
    view.arm_runs("go", "load")
    view.knows(KNOWN)
    screen.print(view)
    assert isinstance(screen.file, io.StringIO)
    shown = screen.file.getvalue()
    assert "now  start 3: 61,000/s offered to go" in shown
    assert "nginx  about 111/s" in shown and "Ctrl-C keeps what there is" in shown
