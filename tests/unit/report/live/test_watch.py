"""Which view a console gets, and that the terminal is left clean."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from mocks.terminals import shown, terminal
from mocks.views import AGAIN, plan_of_two
from rich.console import Console
from samples.blocks import plain_block
from samples.records import plan_of

from hopcost.report.live import watch


def watcher_on(console: Console) -> str:
    with watch.watch(console, plan_of(), AGAIN) as watcher:
        return type(watcher).__name__


def test_the_console_decides() -> None:
    assert watcher_on(terminal()) == "View"
    assert watcher_on(terminal(TERM="dumb")) == "LogLines"
    assert watcher_on(Console(file=io.StringIO())) == "LogLines"


@pytest.mark.parametrize("ending", [None, KeyboardInterrupt, ValueError])
def test_the_terminal_is_left_clean_whatever_ends_the_run(ending: Callable[[], BaseException] | None) -> None:
    """The cursor is hidden while it is drawn, and shown again; the view is taken away line by line."""
    console = terminal()
    try:
        with watch.watch(console, plan_of_two(), AGAIN) as view:
            view.experiment_begins(plan_of_two().experiments[0])
            view.block_ends(plain_block(0))
            assert shown(console).count("\x1b[?25l") == 1
            if ending is not None:
                raise ending()
    except (KeyboardInterrupt, ValueError):
        pass
    assert shown(console).rindex("\x1b[?25h") > shown(console).rindex("made-up")
    assert shown(console).endswith("\x1b[1A\x1b[2K")
