"""A run over a fleet, from the suite to the record: the sites are opened, compared, and given blocks."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from hopcost.errors import CannotMeasure, MeasurementFailed, UsageError
from hopcost.measure import quiet
from hopcost.measure.fleet.shares import refuse_too_few_connections
from hopcost.measure.load.engine import cores_in_use
from hopcost.measure.run import Measured
from hopcost.measure.sites import check, identity
from hopcost.measure.sites.fleet import OPENING, Arrived, Lost, Sites
from hopcost.measure.sites.hosts_file import Fleet, Site
from hopcost.measure.sites.loop import FleetLoop
from hopcost.measure.sites.messages import Answer, GeneratorsOrder, Open, Opened, Order, Refused, Watch, Watched
from hopcost.measure.watcher import RunWatcher
from hopcost.plan.cores import GeneratorLimits
from hopcost.plan.make import make_plan
from hopcost.plan.method import METHOD
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import Plan
from hopcost.plan.turns import Turns
from hopcost.programs.receipt import idle_timeout_s
from hopcost.record import reader
from hopcost.record.writer import Writer, refuse_taken
from hopcost.suites.suite import Suite

OPEN_S = 900.0  # programs are built
ANSWER_S = 60.0
LOOK_S = 1.0
GENERATORS = "generators"  # in place of one site's


def measure_on_fleet(
    suite: Suite, chosen: list[str], options: RunOptions, fleet: Fleet, run_watcher: RunWatcher
) -> Measured:
    """As `measure.run.measure`, with blocks of all sites; the options must have a seed."""
    refuse_unlike_sites(fleet)
    if options.one_arm_at_a_time:
        raise UsageError(
            "--fleet: only hopcost's own engine runs on a fleet", "leave --generator and --as-published out"
        )
    if options.folder is not None:
        refuse_taken(options.folder)
    with ready_sites(fleet) as sites:
        opened = open_sites(sites, fleet, suite)
        return measure_on(sites, opened, suite, chosen, options, run_watcher)


def measure_on(
    sites: Sites,
    opened: Mapping[str, Opened],
    suite: Suite,
    chosen: list[str],
    options: RunOptions,
    run_watcher: RunWatcher,
) -> Measured:
    """The same on sites that are open."""
    differences = identity.differences(opened)
    if differences and not options.on_mixed_hosts:
        more = f" (and {len(differences) - 3} more)" if len(differences) > 3 else ""
        raise CannotMeasure(
            f"the sites are not alike: {'; '.join(differences[:3])}{more}",
            "make them alike, or give --mixed: figures of each site, without verdicts",
        )
    plan = make_plan(suite, chosen, options, limits_of(opened))
    refuse_unlike_blocks(plan)
    refuse_too_few_connections(plan, max(_generators_of(one) for one in opened.values()))
    if not plan.on_busy_machine:
        wait_for_quiet(sites, list(opened), plan, run_watcher)
    environment = environment_of(opened, differences)
    writer = Writer(options.folder, suite, plan, environment, ["hopcost", *sys.argv[1:]])
    interrupted, well = False, False
    try:
        with run_watcher.run_begins(plan, writer.path) as watcher, writer:
            well = FleetLoop(plan, sites, list(opened), writer, watcher).measure()
    except KeyboardInterrupt:
        interrupted = True
    return Measured(record=reader.read_record(writer.path), well=well, interrupted=interrupted)


@contextmanager
def ready_sites(fleet: Fleet) -> Iterator[Sites]:
    """Reach all machines, and start a worker on each site; at the end nothing is left there."""
    from hopcost.measure.sites.dask import cluster
    from hopcost.measure.sites.dask.fleet import DaskSites

    reached = check.reach(fleet)
    with cluster.started(fleet, check.controller_address(fleet, reached)) as started:
        yield DaskSites(started.client, started.revive)


def open_sites(sites: Sites, fleet: Fleet, suite: Suite) -> dict[str, Opened]:
    """Every site builds what is missing and tells what it has. CannotMeasure if one cannot."""
    known = fleet.access.known_hosts.expanduser()
    known_hosts = known.read_text() if known.exists() else ""
    orders: dict[str, Order] = {
        site.name: Open(site.name, suite, _generators_order(site, known_hosts)) for site in fleet.sites
    }
    answers = ask_all(sites, orders, OPENING, OPEN_S)
    opened: dict[str, Opened] = {}
    for name, answer in answers.items():
        if not isinstance(answer, Opened):
            message = answer.message if isinstance(answer, Refused) else "it answers something else"
            raise CannotMeasure(f"{name}: {message}", answer.hint if isinstance(answer, Refused) else None)
        opened[name] = answer
    return {site.name: opened[site.name] for site in fleet.sites}


def ask_all(sites: Sites, orders: Mapping[str, Order], key: str, at_most_s: float) -> dict[str, Answer]:
    """One order for each site, and their answers. MeasurementFailed if a site is lost, or takes too long."""
    for name, order in orders.items():
        sites.submit(name, order, key)
    answers: dict[str, Answer] = {}
    deadline = time.monotonic() + at_most_s
    while len(answers) < len(orders):
        match sites.next_event(LOOK_S):
            case Arrived(site=site, answer=answer):
                answers[site] = answer
            case Lost(why=why):
                raise MeasurementFailed(why)
            case _ if time.monotonic() > deadline:
                silent = ", ".join(sorted(set(orders) - set(answers)))
                raise MeasurementFailed(f"no answer within {at_most_s:g} s: {silent}")
    return answers


def limits_of(opened: Mapping[str, Opened]) -> MachineLimits:
    """What the plan may use: what every site has."""
    first, *others = opened.values()
    allowed = [core for core in first.allowed_cores if all(core in site.allowed_cores for site in others)]
    if not allowed:
        raise CannotMeasure("the sites have no core number in common", "start hopcost there on the same cores")
    generator = None
    if first.generator is not None:
        shared = [
            core
            for core in first.generator.allowed_cores
            if all(site.generator is not None and core in site.generator.allowed_cores for site in others)
        ]
        generator = GeneratorLimits(GENERATORS if others else first.generator.name, shared)
    return MachineLimits(
        installed=first.installed,
        allowed_cores=allowed,
        siblings=first.siblings,
        open_files=min(site.open_files for site in opened.values()),
        idle_timeout_s=idle_timeout_s,
        generator=generator,
    )


def environment_of(opened: Mapping[str, Opened], differences: list[str]) -> dict[str, object]:
    """The first site's, as records of one machine have it, and all of them by name."""
    first = next(iter(opened.values()))
    sites = {name: site.environment | {"digests": site.digests} for name, site in opened.items()}
    return first.environment | {"sites": sites, "site_differences": differences}


def wait_for_quiet(sites: Sites, names: list[str], plan: Plan, run_watcher: RunWatcher) -> None:
    """On all sites at once; the busiest counts. CannotMeasure if it does not come."""
    cores = sorted({core for experiment in plan.experiments for core in cores_in_use(experiment)})
    deadline = time.monotonic() + METHOD.quiet_wait_s
    while True:
        answers = ask_all(sites, {name: Watch(cores) for name in names}, "watch", ANSWER_S)
        watched = {name: answer for name, answer in answers.items() if isinstance(answer, Watched)}
        if len(watched) < len(names):
            raise MeasurementFailed("a site does not tell what other programs take")
        name, busiest = max(watched.items(), key=lambda pair: pair[1].share)
        who = f"{name}: {busiest.who}"
        if busiest.share <= METHOD.max_foreign_share:
            if busiest.share >= METHOD.suspect_foreign_share:
                run_watcher.is_not_quiet(who)
            return
        if time.monotonic() > deadline:
            raise CannotMeasure(
                f"other programs take {quiet.percent(busiest.share)} of the CPU time of {len(cores)} cores: {who};"
                f" hopcost waited {METHOD.quiet_wait_s:g} s for quiet",
                quiet.HINT,
            )
        run_watcher.waits_for_quiet(who, deadline - time.monotonic())


def refuse_unlike_sites(fleet: Fleet) -> None:
    """UsageError if sites have different numbers of generators' machines: their figures mean different things."""
    first, *others = fleet.sites
    for site in others:
        if len(site.generators) != len(first.generators):
            raise UsageError(
                f"hosts.toml: {first.name} has {_machines(len(first.generators))}, {site.name}"
                f" {_machines(len(site.generators))}",
                "give every site as many, or none: what loopback costs is no property of a machine",
            )


def _machines(count: int) -> str:
    """`2 generators' machines`, `one generator's machine`."""
    return {0: "no generator's machine", 1: "one generator's machine"}.get(count, f"{count} generators' machines")


def refuse_unlike_blocks(plan: Plan) -> None:
    """UsageError for what is no series of blocks."""
    soaks = [experiment.name for experiment in plan.experiments if experiment.turns is Turns.SOAK]
    if soaks:
        raise UsageError(
            f"--fleet: {soaks[0]} is a soak: one long start, which more machines do not make shorter",
            "name the other experiments, or run it by --on",
        )


def _generators_of(opened: Opened) -> int:
    """How many load a site's stacks: 1 if it has none of its own."""
    machines = opened.environment.get("generator_machines")
    return len(machines) if isinstance(machines, list) else 1


def _generators_order(site: Site, known_hosts: str) -> GeneratorsOrder | None:
    if not site.generators:
        return None
    return GeneratorsOrder(tuple(host.login for host in site.generators), known_hosts, site.stack.address)
