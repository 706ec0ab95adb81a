"""One run, from the suite to the record."""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from pathlib import Path

import msgspec

from hopcost.history.labels import labels_here
from hopcost.machine import facts
from hopcost.measure import loop, quiet
from hopcost.measure.fleet.ssh.names import Elsewhere
from hopcost.measure.load import peer as peer_load
from hopcost.measure.load.engine import cores_in_use
from hopcost.measure.rig import RealRig, Rig
from hopcost.measure.watcher import RunWatcher
from hopcost.plan.cores import GeneratorLimits
from hopcost.plan.make import make_plan
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import Plan
from hopcost.programs.build import build
from hopcost.programs.definition.definition import Installed
from hopcost.programs.read import program_of
from hopcost.programs.receipt import idle_timeout_s, installed, receipt_of
from hopcost.record import reader
from hopcost.record.contents.question import KeptQuestion
from hopcost.record.contents.run import Record
from hopcost.record.writer import Writer
from hopcost.stacks import awake
from hopcost.stacks.client.address import LOOPBACK
from hopcost.stacks.host import Local
from hopcost.stacks.prepare.stack import prepare
from hopcost.stacks.sandbox import leftovers, network
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.stacks.sandbox.leftovers import DIRECTORY_PREFIX
from hopcost.stacks.sandbox.network import REACHED_FROM_ELSEWHERE, Network
from hopcost.stacks.sandbox.ports import NamespacePorts, Ports, raise_open_files, refuse_the_same_port
from hopcost.suites.arms.arm import Hop
from hopcost.suites.suite import Suite


class Measured(msgspec.Struct, frozen=True):
    """A record that was just made: whether nothing that was measured failed, and whether somebody stopped it."""

    record: Record
    well: bool
    interrupted: bool


def measure(
    suite: Suite,
    chosen: list[str],
    options: RunOptions,
    run_watcher: RunWatcher,
    question: KeptQuestion | None = None,
    elsewhere: Elsewhere | None = None,
    fleet: Path | None = None,
) -> Measured:
    """Measure the chosen experiments of a suite into a record, with the `question` of the verb that asks for it.

    The suite need not come from a file. The generator may be `elsewhere`; a `fleet` is a hosts.toml.
    MeasurementFailed if the measurement breaks; the record so far stays.
    """
    if options.seed is None:
        options = msgspec.structs.replace(options, seed=secrets.randbits(32))
    if fleet is not None:
        from hopcost.measure.sites.hosts_file import read_fleet
        from hopcost.measure.sites.run import measure_on_fleet  # it needs the extra fleet

        return measure_on_fleet(suite, chosen, options, read_fleet(fleet), run_watcher)
    if elsewhere is not None:
        from hopcost.measure.two_machines import measure_from_elsewhere  # it needs the extra fleet

        return measure_from_elsewhere(suite, chosen, options, elsewhere, run_watcher, question)
    here = look_around(suite, options, run_watcher)
    plan = make_plan(suite, chosen, options, here.limits)
    peer_load.refuse_uploads(plan)
    host, environment = open_host(here, run_watcher)
    try_settings(plan, host.network)
    return record_plan(suite, plan, options.folder, environment, RealRig(host), run_watcher, question)


class Here(msgspec.Struct, frozen=True):
    """What this machine has for a suite: receipts of its programs, their own binaries, the limits of its plan."""

    receipts: dict[str, Installed]
    binaries: list[Hop]
    limits: MachineLimits


def look_around(
    suite: Suite, options: RunOptions, run_watcher: RunWatcher, generator: GeneratorLimits | None = None
) -> Here:
    """Build what is missing, and ask all programs of the suite for their versions."""
    binaries, own = _binaries(suite), _own_programs(suite)
    for reason in build.build_missing(own, run_watcher.program_builds):
        run_watcher.build_failed(reason)
    receipts = {hop.program: receipt_of(hop) for hop in [*_own_hops(suite), *binaries]}
    receipts |= {program: installed(program) for program in own}
    limits = MachineLimits(
        installed=receipts,
        allowed_cores=facts.allowed_cores(),
        siblings=facts.siblings(),
        open_files=raise_open_files(),
        idle_timeout_s=idle_timeout_s,
        missing_peers=peer_load.missing() if options.one_arm_at_a_time else {},
        generator=generator,
    )
    return Here(receipts, binaries, limits)


def open_host(here: Here, run_watcher: RunWatcher, address: str | None = None) -> tuple[Local, dict[str, object]]:
    """The host that stacks run on, awake and freed of what dead runs left; and the environment as a record keeps it.

    With an `address` another machine loads the stacks there: they stay in the host's own network.
    """
    if address is None:
        network.leave_the_hosts()
    for leftover in leftovers.remove_leftovers():
        run_watcher.leftover_removed(leftover)
    freezer, net = find_freezer(), REACHED_FROM_ELSEWHERE if address is not None else network.find_network()
    if not net.own and address is None:
        run_watcher.network_is_shared(net)
    environment = msgspec.structs.asdict(facts.facts()) | {
        "idle_cores": awake.keep_awake(),
        "freezer": freezer.kind,
        "network_namespaces": net.own,
        "network_namespaces_missing": net.why,
        "programs": {program: receipt.version for program, receipt in sorted(here.receipts.items())},
        "binaries": {hop.binary: _receipt(hop) for hop in here.binaries},
        "labels": labels_here(os.environ),
    }
    return Local(freezer, net, address or LOOPBACK), environment


def record_plan(
    suite: Suite,
    plan: Plan,
    folder: Path | None,
    environment: dict[str, object],
    rig: Rig,
    run_watcher: RunWatcher,
    question: KeptQuestion | None = None,
) -> Measured:
    """Wait for quiet and measure the plan into a record; MeasurementFailed if the measurement breaks."""
    if not plan.on_busy_machine:
        cores = sorted({core for experiment in plan.experiments for core in cores_in_use(experiment)})
        quiet.wait_for_quiet(rig, cores, run_watcher)
    writer = Writer(folder, suite, plan, environment, ["hopcost", *sys.argv[1:]], question)
    interrupted, well = False, False
    try:
        with run_watcher.run_begins(plan, writer.path) as watcher, writer:
            well = loop.measure_plan(plan, rig, writer, watcher)
    except KeyboardInterrupt:
        interrupted = True
    return Measured(record=reader.read_record(writer.path), well=well, interrupted=interrupted)


def _binaries(suite: Suite) -> list[Hop]:
    """The hops that bring a binary of their own, each binary once."""
    hops = {(hop.program, hop.binary): hop for arm in suite.arms.values() for hop in arm.hops if hop.binary}
    return list(hops.values())


def _own_programs(suite: Suite) -> list[str]:
    """The programs of hopcost's that some hop uses as they are installed or built here."""
    hops = [hop for arm in suite.arms.values() for hop in arm.hops]
    return sorted({hop.program for hop in hops if not hop.binary and hop.app is None and hop.configuration is None})


def _own_hops(suite: Suite) -> list[Hop]:
    """The hops that are the user's own apps and configurations, each once; the name is checked."""
    all_hops = [hop for arm in suite.arms.values() for hop in arm.hops]
    hops = {hop.program: hop for hop in all_hops if hop.app is not None or hop.configuration is not None}
    for hop in hops.values():
        program_of(hop)
    return list(hops.values())


def _receipt(hop: Hop) -> dict[str, str | None]:
    """The version that the hop's own binary prints, and the digest of its file."""
    assert hop.binary is not None, "_binaries chooses hops with a binary"
    with Path(hop.binary).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    version = receipt_of(hop).version
    return {"program": hop.program, "version": version, "sha256": digest}


def try_settings(plan: Plan, net: Network) -> None:
    """Prepare every stack once without starting it: an error in the suite shows before anything runs."""
    ports = NamespacePorts() if net.own else Ports()
    folder = Path(f"/tmp/{DIRECTORY_PREFIX}to-try")  # never made
    for experiment in plan.experiments:
        if not net.own:
            refuse_the_same_port((arm.name, arm.arm) for arm in experiment.arms)
        for arm in experiment.arms:
            prepare(arm.name, arm.arm, experiment.settings, experiment.cores, folder, ports)
