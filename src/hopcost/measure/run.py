"""One run, from the suite to the record."""

from __future__ import annotations

import hashlib
import secrets
import shlex
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec
from rich.console import Console

from hopcost.errors import CannotMeasure, MeasurementFailed
from hopcost.machine import facts
from hopcost.measure import loop, peer_load
from hopcost.measure.rig import RealRig
from hopcost.measure.watcher import Watcher
from hopcost.plan.make import make_plan
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import Plan
from hopcost.programs import build
from hopcost.programs.receipt import idle_timeout_s, installed
from hopcost.record import reader
from hopcost.record.run import Record
from hopcost.record.writer import Writer
from hopcost.stacks.host import Local
from hopcost.stacks.prepare import prepare
from hopcost.stacks.sandbox import leftovers, network
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.stacks.sandbox.network import COST, Network
from hopcost.stacks.sandbox.ports import NamespacePorts, Ports, raise_open_files, refuse_the_same_port
from hopcost.stacks.sandbox.session import PREFIX
from hopcost.suites.arm import Hop
from hopcost.suites.suite import Suite

Watch = Callable[[Console, Plan], AbstractContextManager[Watcher]]


class Measured(msgspec.Struct, frozen=True):
    """A record that was just made: whether nothing that was measured failed, and whether somebody stopped it."""

    record: Record
    well: bool
    interrupted: bool


def measure(suite: Suite, chosen: list[str], wishes: RunOptions, console: Console, watch: Watch) -> Measured:
    """Measure the chosen experiments of a suite into a record. The console gets messages, `watch` every step.

    The suite need not come from a file. MeasurementFailed where the measurement broke; the record so far stays.
    """
    binaries, own = _binaries(suite), _own_programs(suite)
    for problem in build.build_missing(own, console.print):
        console.print(f"warning: {problem}", style="yellow", markup=False)
    receipts = {hop.program: installed(hop.program, hop.binary) for hop in binaries}
    receipts |= {each: installed(each) for each in own}
    if wishes.seed is None:
        wishes = msgspec.structs.replace(wishes, seed=secrets.randbits(32))
    limits = MachineLimits(
        installed=receipts,
        allowed_cores=facts.allowed_cores(),
        siblings=facts.siblings(),
        open_files=raise_open_files(),
        idle_timeout_s=idle_timeout_s,
        missing_peers=peer_load.missing() if wishes.one_arm_at_a_time else {},
    )
    plan = make_plan(suite, chosen, wishes, limits)
    peer_load.refuse_uploads(plan)
    network.leave_the_hosts()
    for leaving in leftovers.remove_leftovers():
        console.print(
            f"removed what a dead run left: {leaving.kind.value} {leaving.what}", markup=False, soft_wrap=True
        )
    freezer, net = find_freezer(), network.find_network()
    _try_settings(plan, net)
    if not net.own:
        console.print(f"no network namespaces: {net.why}; {COST}", style="yellow", markup=False, soft_wrap=True)
    environment = msgspec.structs.asdict(facts.facts()) | {
        "freezer": freezer.kind,
        "network_namespaces": net.own,
        "network_namespaces_missing": net.why,
        "programs": {each: receipt.version for each, receipt in sorted(receipts.items())},
        "binaries": {hop.binary: _receipt(hop) for hop in binaries},
    }
    writer = Writer(wishes.folder, suite, plan, environment, ["hopcost", *sys.argv[1:]])
    _announce(plan, writer.path, console)
    interrupted, well = False, False
    try:
        with writer, watch(console, plan) as watcher:
            well = loop.measure_plan(plan, RealRig(Local(freezer, net)), writer, watcher)
    except KeyboardInterrupt:
        interrupted = True
    except (MeasurementFailed, CannotMeasure):
        console.print(f"the record so far: {report_command(writer.path)}")
        raise
    return Measured(record=reader.read_record(writer.path), well=well, interrupted=interrupted)


def report_command(path: Path) -> str:
    return f"hopcost report {shlex.quote(str(path))}"


def _binaries(suite: Suite) -> list[Hop]:
    """The hops that bring a binary of their own, each binary once."""
    found = {(hop.program, hop.binary): hop for arm in suite.arms.values() for hop in arm.hops if hop.binary}
    return list(found.values())


def _own_programs(suite: Suite) -> list[str]:
    """The programs of which some hop takes the one that is installed or built here."""
    return sorted({hop.program for arm in suite.arms.values() for hop in arm.hops if not hop.binary})


def _receipt(hop: Hop) -> dict[str, str | None]:
    """Which binary it was: its program's version as it prints it, and the digest of the file."""
    assert hop.binary is not None, "one of those that bring a binary"
    with Path(hop.binary).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    version = installed(hop.program, hop.binary).version
    return {"program": hop.program, "version": version, "sha256": digest}


def _try_settings(plan: Plan, net: Network) -> None:
    """Decide every stack once without starting it: what is wrong in the suite is told before anything runs."""
    ports = NamespacePorts() if net.own else Ports()
    folder = Path(f"/tmp/{PREFIX}to-try")  # never made
    for experiment in plan.experiments:
        if not net.own:
            refuse_the_same_port((arm.name, arm.arm) for arm in experiment.arms)
        for arm in experiment.arms:
            prepare(arm.name, arm.arm, experiment.settings, experiment.cores, folder, ports)


def _announce(plan: Plan, path: Path, console: Console) -> None:
    names = ", ".join(experiment.name for experiment in plan.experiments)
    console.print(f"{plan.suite}: {names}; up to {plan.budget_s:.0f} s; record: {path}", markup=False, soft_wrap=True)
    for left in [*plan.left_out, *(left for experiment in plan.experiments for left in experiment.left_out)]:
        hint = f"; hint: {left.remedy}" if left.remedy else ""
        console.print(f"left out: {left.name}: {left.reason}{hint}", style="yellow", markup=False, soft_wrap=True)
