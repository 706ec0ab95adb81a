"""Live views of runs under way."""

from __future__ import annotations

import re

import msgspec
from mocks.terminals import shown
from rich.console import Console
from samples.blocks import MS, block, part, slice_of
from samples.records import plan_of

from hopcost.plan.plan import Plan
from hopcost.record.contents.block import Block
from hopcost.report.live.view import View
from hopcost.statistics.precision.precision import Forecast

FORECAST = Forecast(blocks=10, rounds=12, half_width=0.012, seconds=95)
AGAIN = "hopcost report latest"


def plan_of_two() -> Plan:
    """Of two experiments in turns."""
    plan = plan_of(quick=False)
    second = msgspec.structs.replace(plan.experiments[0], name="again")
    return msgspec.structs.replace(plan, experiments=[*plan.experiments, second])


def under_way(console: Console, *blocks: Block, plan: Plan | None = None) -> View:
    """A view of an experiment whose blocks are these, while the next one is loaded."""
    plan = plan or plan_of_two()
    view = View(console, plan, AGAIN)
    first = plan.experiments[0]
    view.experiment_begins(first)
    for number, start in enumerate(blocks):
        view.block_begins(first, number)
        view.block_ends(start)
    if blocks:
        view.forecast(first, FORECAST)
    view.block_begins(first, len(blocks))
    view.arm_runs("direct", "warm-up")
    view.arm_runs("behind", "load")
    return view


def drawn(view: View, console: Console) -> list[str]:
    """Its lines without colours."""
    console.print(view)
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", shown(console)).splitlines()]


def proxied(number: int, behind: int = 400) -> Block:
    """Behind takes 70 µs of CPU time per request, direct 40."""
    direct, again = (part(slice_of(name, 1000, cpu_ns={"app": 40 * MS})) for name in ("direct", "direct-aa"))
    used: dict[str, int | None] = {"proxy": behind * 30_000, "app": behind * 40_000}
    return block(number, direct, part(slice_of("behind", behind, cpu_ns=used)), again)
