"""How far a run is: a bar on a terminal, plain lines elsewhere.

At most one redraw per second, since slices run meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from hopcost.plan import PlannedExperiment
from hopcost.precision import Forecast
from hopcost.record import Block
from hopcost.watcher import Watcher

REDRAWS_PER_S = 1.0


@contextmanager
def watch(console: Console) -> Iterator[Watcher]:
    """The watcher that suits the console."""
    if not console.is_terminal:
        yield PlainLines(console)
        return
    bar = Progress(
        TextColumn("{task.fields[experiment]}"),
        TextColumn("block {task.fields[block]}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.fields[expected]}"),
        TextColumn("{task.fields[doing]}"),
        console=console,
        refresh_per_second=REDRAWS_PER_S,
        transient=True,
    )
    with bar:
        yield Bar(bar, console)


class _Clock:
    """Share of the experiment's time that is gone, and what is left of it."""

    def __init__(self) -> None:
        self.began = self.deadline = time.monotonic()

    def start(self, deadline: float) -> None:
        self.began, self.deadline = time.monotonic(), deadline

    @property
    def share(self) -> float:
        return (time.monotonic() - self.began) / max(self.deadline - self.began, 1e-9)

    @property
    def left_s(self) -> float:
        return max(0.0, self.deadline - time.monotonic())


class Bar:
    """A progress bar that names the experiment, the block, the arm, the time left."""

    def __init__(self, bar: Progress, console: Console) -> None:
        self.bar = bar
        self.console = console
        self.clock = _Clock()
        self.blocks = 0
        self.task = bar.add_task("", total=1.0, experiment="", block="", doing="", left="", expected="")

    def experiment_begins(self, experiment: PlannedExperiment, blocks: int, deadline: float) -> None:
        self.clock.start(deadline)
        self.blocks = blocks
        self.bar.update(self.task, completed=0.0, experiment=experiment.name, expected="")

    def forecast(self, forecast: Forecast) -> None:
        self.bar.update(self.task, expected=expected(forecast))

    def block_begins(self, number: int) -> None:
        self.bar.update(self.task, block=f"{number + 1} of at most {self.blocks}")

    def arm_runs(self, arm: str, doing: str) -> None:
        self.bar.update(
            self.task,
            completed=min(1.0, self.clock.share),
            doing=f"{doing} {arm}",
            left=f"{self.clock.left_s:.0f} s left",
        )

    def block_ends(self, block: Block) -> None:
        for line in faults(block):
            self.console.print(line, style="yellow", markup=False)


class PlainLines:
    """A line per block, for logs."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.clock = _Clock()
        self.experiment = ""
        self.said: int | None = None

    def experiment_begins(self, experiment: PlannedExperiment, blocks: int, deadline: float) -> None:
        self.clock.start(deadline)
        self.experiment, self.said = experiment.name, None
        self._say(
            f"{experiment.name}: at most {blocks} blocks of {len(experiment.arms)} arms, {self.clock.left_s:.0f} s"
        )

    def forecast(self, forecast: Forecast) -> None:
        if forecast.blocks != self.said:
            self.said = forecast.blocks
            self._say(f"{self.experiment}: expected: {expected(forecast)}")

    def block_begins(self, number: int) -> None:
        pass

    def arm_runs(self, arm: str, doing: str) -> None:
        pass

    def block_ends(self, block: Block) -> None:
        self._say(f"{block.experiment}: block {block.number + 1} {block.validity}, {self.clock.left_s:.0f} s left")
        for line in faults(block):
            self._say(line)

    def _say(self, line: str) -> None:
        self.console.print(line, markup=False, soft_wrap=True)


def expected(forecast: Forecast) -> str:
    """`±1.2% after 10 blocks, in 95 s`."""
    return f"±{forecast.half_width:.1%} after {forecast.blocks} blocks, in {forecast.seconds:.0f} s"


def faults(block: Block) -> list[str]:
    """What went wrong in a block, a line each."""
    lines = [f"block {block.number + 1} is {block.validity}: {reason}" for reason in block.reasons]
    return lines + [f"{failure.arm} failed: {failure.message}" for failure in block.failures]
