"""The view of a run that suits the console: a live view on a terminal, a line for each block elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from hopcost.plan.plan import Plan
from hopcost.report.live.log import LogLines
from hopcost.report.live.view import View, live


@contextmanager
def watch(console: Console, plan: Plan, again: str) -> Iterator[LogLines | View]:
    """The watcher that suits the console; `again` is the command that shows the record."""
    if can_draw(console):
        with live(console, plan, again) as view:
            yield view
    else:
        yield LogLines(console, plan)


def can_draw(console: Console) -> bool:
    """Whether it is a terminal on which lines can be drawn anew."""
    return console.is_terminal and not console.is_dumb_terminal
