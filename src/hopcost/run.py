"""One run, from the suite to the record, and from the suite's name to the report: it only connects the rooms."""

from __future__ import annotations

import hashlib
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


class Measured(msgspec.Struct, frozen=True):
    """A record that was just made: whether nothing that was measured failed, and whether somebody stopped it."""

    record: records.Record
    well: bool
    interrupted: bool


def run(name: str, chosen: list[str], wishes: Wishes) -> int:
    """Run and report; the exit code: 1 where something failed, or an experiment could not run here."""
    console = Console(stderr=True, highlight=False, quiet=wishes.quiet)
    name, first = suites.choose(name)
    suite, chosen = suites.load(name), [*first, *chosen]
    for each in chosen:
        suite.experiment(each)
    measured = measure(suite, chosen, wishes, console)
    record = measured.record
    found = summary.summarise(record)
    text.put(record, found)
    console.print(f"\nrecord: {record.path}  (again: {_again(record.path)})", soft_wrap=True)
    if measured.interrupted:
        raise KeyboardInterrupt
    is_biased = any(each.instrument_is_biased for each in found)
    return 0 if measured.well and not record.plan.left_out and not is_biased else 1


def measure(suite: suites.Suite, chosen: list[str], wishes: Wishes, console: Console) -> Measured:
    """Measure the chosen experiments of a suite into a record; the console hears of it.

    The suite need not come from a file. MeasurementFailed where the measurement broke; the record so far stays.
    """
    binaries, own = _binaries(suite), _own_programs(suite)
    for problem in program.build_missing(own, console.print):
        console.print(f"warning: {problem}", style="yellow", markup=False)
    receipts = {hop.program: program.installed(hop.program, hop.binary) for hop in binaries}
    receipts |= {each: program.installed(each) for each in own}
    plan = planning.make(
        suite,
        chosen,
        quick=wishes.quick,
        budget_s=wishes.budget_s,
        seed=secrets.randbits(32) if wishes.seed is None else wishes.seed,
        installed=receipts,
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
    driven.refuse_uploads(plan)
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
        "programs": {each: receipt.version for each, receipt in sorted(receipts.items())},
        "binaries": {hop.binary: _receipt(hop) for hop in binaries},
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
        console.print(f"the record so far: {_again(writer.path)}")
        raise
    return Measured(record=records.read(writer.path), well=well, interrupted=interrupted)


def _again(path: Path) -> str:
    return f"hopcost report {shlex.quote(str(path))}"


def _binaries(suite: suites.Suite) -> list[suites.Hop]:
    """The hops that bring a binary of their own, each binary once."""
    found = {(hop.program, hop.binary): hop for arm in suite.arms.values() for hop in arm.hops if hop.binary}
    return list(found.values())


def _own_programs(suite: suites.Suite) -> list[str]:
    """The programs of which some hop takes the one that is installed or built here."""
    return sorted({hop.program for arm in suite.arms.values() for hop in arm.hops if not hop.binary})


def _receipt(hop: suites.Hop) -> dict[str, str | None]:
    """Which binary it was: its program's version as it prints it, and the digest of the file."""
    assert hop.binary is not None, "one of those that bring a binary"
    with Path(hop.binary).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    version = program.installed(hop.program, hop.binary).version
    return {"program": hop.program, "version": version, "sha256": digest}


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
