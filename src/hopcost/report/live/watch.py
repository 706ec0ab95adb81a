"""The view of a run that suits the console: a live view on a terminal, plain lines elsewhere, none if quiet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from hopcost.plan.plan import Plan
from hopcost.report.live.progress import PlainLines
from hopcost.report.live.view import View, live


@contextmanager
def watch(console: Console, plan: Plan) -> Iterator[PlainLines | View]:
    """The watcher that suits the console; a quiet console prints no line."""
    if console.quiet or not console.is_terminal or console.is_dumb_terminal:
        yield PlainLines(console, plan)
    else:
        with live(console, plan) as view:
            yield view
