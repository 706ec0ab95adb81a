"""One `hopcost run`, from the suite's name to the report: it only connects the rooms."""

from __future__ import annotations

import secrets
import shlex
import sys
from pathlib import Path

import msgspec
from rich.console import Console

from hopcost import blocks, driven, host, leavings, machine, network, program, progress, summary
from hopcost import plan as planning
from hopcost import record as records
from hopcost import suite as suites
from hopcost.errors import CannotMeasure, MeasurementFailed
from hopcost.prepared import prepare
from hopcost.report import text
from hopcost.sandbox import NamespacePorts, Ports, find_freezer, raise_open_files, refuse_the_same_port
from hopcost.verdict import MARGIN_LEAST


class Wishes(msgspec.Struct, frozen=True):
    """What the command line asks for besides the suite; None where it says nothing."""

    quick: bool = False
    budget_s: float | None = None
    seed: int | None = None
    folder: Path | None = None
    soak_length_s: float | None = None
    peer: str | None = None
    as_published: bool = False
    scale: float = 1.0
    target_percent: float = 100 * planning.TARGET_WIDTH
    margin_percent: float = 100 * MARGIN_LEAST
    quiet: bool = False


def run(name: str, chosen: list[str], wishes: Wishes) -> int:
    """Run and report; the exit code: 1 where something failed, or an experiment could not run here."""
    console = Console(stderr=True, highlight=False, quiet=wishes.quiet)
    name, first = suites.choose(name)
    suite, chosen = suites.load(name), [*first, *chosen]
    programs = sorted({hop.program for arm in suite.arms.values() for hop in arm.hops})
    for each in chosen:
        suite.experiment(each)
    for problem in program.build_missing(programs, console.print):
        console.print(f"warning: {problem}", style="yellow", markup=False)
    plan = planning.make(
        suite,
        chosen,
        quick=wishes.quick,
        budget_s=wishes.budget_s,
        seed=secrets.randbits(32) if wishes.seed is None else wishes.seed,
        installed={each: program.installed(each) for each in programs},
        allowed_cores=machine.allowed_cores(),
        siblings=machine.siblings(),
        open_files=raise_open_files(),
        idle_timeout_s=program.idle_timeout_s,
        missing_peers=driven.missing() if wishes.peer or wishes.as_published else None,
        soak_length_s=wishes.soak_length_s,
        peer=wishes.peer,
        as_published=wishes.as_published,
        scale=wishes.scale,
        target=wishes.target_percent / 100,
        margin=wishes.margin_percent / 100,
    )
    network.leave_the_hosts()
    for leaving in leavings.clean():
        console.print(
            f"removed what a dead run left: {leaving.kind.value} {leaving.what}", markup=False, soft_wrap=True
        )
    freezer, net = find_freezer(), network.find()
    _try_settings(plan, net)
    if not net.own:
        console.print(f"no network namespaces: {net.why}; {network.COST}", style="yellow", markup=False, soft_wrap=True)
    environment = machine.facts() | {
        "freezer": freezer.kind,
        "network_namespaces": net.own,
        "network_namespaces_missing": net.why,
        "programs": {each: program.installed(each).version for each in programs},
    }
    writer = records.Writer(wishes.folder, suite, plan, environment, ["hopcost", *sys.argv[1:]])
    _announce(plan, writer.path, console)
    interrupted, well = False, False
    try:
        with writer, progress.watch(console, plan) as watcher:
            well = blocks.measure(plan, freezer, writer, watcher, net)
    except KeyboardInterrupt:
        interrupted = True
    except (MeasurementFailed, CannotMeasure):
        console.print(f"the record so far: hopcost report {shlex.quote(str(writer.path))}")
        raise
    record = records.read(writer.path)
    found = summary.summarise(record)
    text.put(record, found)
    console.print(f"\nrecord: {writer.path}  (again: hopcost report {shlex.quote(str(writer.path))})", soft_wrap=True)
    if interrupted:
        raise KeyboardInterrupt
    is_biased = any(each.instrument_is_biased for each in found)
    return 0 if well and not plan.left_out and not is_biased else 1


def _try_settings(plan: planning.Plan, net: network.Network) -> None:
    """Decide every stack once without starting it: what is wrong in the suite is told before anything runs."""
    ports = NamespacePorts(None) if net.own else Ports()
    folder = Path(f"/tmp/{host.PREFIX}to-try")  # never made
    for experiment in plan.experiments:
        if not net.own:
            refuse_the_same_port((arm.name, arm.arm) for arm in experiment.arms)
        for arm in experiment.arms:
            prepare(arm.name, arm.arm, experiment.settings, experiment.cores, folder, ports)


def _announce(plan: planning.Plan, path: Path, console: Console) -> None:
    names = ", ".join(experiment.name for experiment in plan.experiments)
    console.print(f"{plan.suite}: {names}; up to {plan.budget_s:.0f} s; record: {path}", markup=False, soft_wrap=True)
    for left in [*plan.left_out, *(left for experiment in plan.experiments for left in experiment.left_out)]:
        hint = f"; hint: {left.remedy}" if left.remedy else ""
        console.print(f"left out: {left.name}: {left.reason}{hint}", style="yellow", markup=False, soft_wrap=True)
