"""`hopcost capacity` from the question to the answer, of a suite's stacks and of servers that run already."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Collection, Sequence

import msgspec

from hopcost.errors import HopcostError, UsageError
from hopcost.measure import quiet, run
from hopcost.measure.load import peer as peer_load
from hopcost.measure.load.context import BlockContext
from hopcost.measure.load.engine import cores_in_use
from hopcost.measure.protocols.capacity.course import Course
from hopcost.measure.protocols.capacity.plan import capacity_plan, seconds_of
from hopcost.measure.protocols.capacity.timing import default_time_s, least_time_s
from hopcost.measure.protocols.capacity.watcher import CapacityRunWatcher, CapacityWatcher
from hopcost.measure.protocols.versus.run import plan_servers, servers_environment, servers_rig
from hopcost.measure.rig import RealRig, Rig
from hopcost.plan.make import make_plan
from hopcost.plan.options import RunOptions
from hopcost.plan.plan import Plan
from hopcost.record import reader
from hopcost.record.contents.question import Verb, keep
from hopcost.record.contents.run import Ending, StopReason
from hopcost.record.writer import Writer
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.statistics.questions.capacity.objectives import Objective
from hopcost.statistics.questions.capacity.question import CapacityQuestion
from hopcost.statistics.questions.capacity.result import CapacityResult, read_capacity
from hopcost.suites.suite import Suite

NAME = "capacity"  # of the record's suite


class MeasuredCapacity(msgspec.Struct, frozen=True):
    """The answer; whether somebody stopped the run, and whether nothing failed."""

    answer: CapacityResult
    interrupted: bool
    well: bool


def measure_stacks(
    suite: Suite,
    experiments: list[str],
    arms: Collection[str],
    question: CapacityQuestion,
    options: RunOptions,
    run_watcher: CapacityRunWatcher,
) -> MeasuredCapacity:
    """The capacities of these arms of a suite; of all, if none is named. MeasurementFailed if it breaks off."""
    options = _with_seed(options)
    here = run.look_around(suite, options, run_watcher)
    plan = _planned(make_plan(suite, experiments, options, here.limits), suite, arms, here.limits.open_files, options)
    peer_load.refuse_uploads(plan)
    host, environment = run.open_host(here, run_watcher)
    run.try_settings(plan, host.network)
    return _measure(suite, plan, question, options, environment, RealRig(host), run_watcher)


def measure_servers(
    suite: Suite, question: CapacityQuestion, options: RunOptions, run_watcher: CapacityRunWatcher
) -> MeasuredCapacity:
    """The capacities of servers that run already, as `versus.run.prepare` made a suite of them."""
    options = _with_seed(options)
    plan = _planned(plan_servers(suite, options), suite, [], raise_open_files(), options)
    return _measure(suite, plan, question, options, servers_environment(), servers_rig(), run_watcher)


def _with_seed(options: RunOptions) -> RunOptions:
    return options if options.seed is not None else msgspec.structs.replace(options, seed=secrets.randbits(32))


def _planned(plan: Plan, suite: Suite, arms: Collection[str], open_files: int, options: RunOptions) -> Plan:
    """The plan of these arms; UsageError for a time in which nothing can be found."""
    wanted = capacity_plan(plan, suite, arms, open_files)
    number = sum(len(part.arms) for part in wanted.experiments)
    if options.time_s is None:
        return msgspec.structs.replace(wanted, time_s=default_time_s(number))
    if options.time_s < least_time_s(number):
        raise UsageError(
            f"--time {options.time_s:g}s is too short for {number} {'stack' if number == 1 else 'stacks'}",
            f"--time {least_time_s(number)}s at the least, {default_time_s(number):.0f}s for ranges",
        )
    return wanted


def _measure(
    suite: Suite,
    plan: Plan,
    question: CapacityQuestion,
    options: RunOptions,
    environment: dict[str, object],
    rig: Rig,
    run_watcher: CapacityRunWatcher,
) -> MeasuredCapacity:
    if not plan.on_busy_machine:
        cores = sorted({core for experiment in plan.experiments for core in cores_in_use(experiment)})
        quiet.wait_for_quiet(rig, cores, run_watcher)
    # Under a name of its own, and without claims: its moments of full load are no evidence for those of the suite.
    suite = msgspec.structs.replace(suite, name=NAME, claims=[])
    plan = msgspec.structs.replace(plan, suite=NAME)
    kept = keep(Verb.CAPACITY, question)
    writer = Writer(options.folder, suite, plan, environment, ["hopcost", *sys.argv[1:]], kept)
    interrupted, well = False, False
    try:
        with run_watcher.run_begins(plan, writer.path) as watcher, writer:
            well = search_all(plan, question.objectives, rig, writer, watcher)
    except KeyboardInterrupt:
        interrupted = True
    return MeasuredCapacity(read_capacity(question, reader.read_record(writer.path)), interrupted, well)


def search_all(plan: Plan, objectives: Sequence[Objective], rig: Rig, writer: Writer, watcher: CapacityWatcher) -> bool:
    """All experiments of a plan, one after the other, into the record; whether nothing that was measured failed."""
    all_well, ends_s = True, rig.now_s()
    for experiment, seconds in zip(plan.experiments, seconds_of(plan.experiments, plan.time_s), strict=True):
        ends_s += seconds
        watcher.experiment_begins(experiment)
        course = Course(BlockContext(plan, experiment, rig, writer, watcher), watcher, objectives, ends_s)
        try:
            ending = course.run()
        except KeyboardInterrupt:
            writer.end_experiment(Ending(experiment.name, StopReason.INTERRUPTED, "interrupted"))
            raise
        except HopcostError as error:
            writer.end_experiment(Ending(experiment.name, StopReason.FAILED, error.message))
            raise
        writer.end_experiment(ending)
        watcher.experiment_ends(ending)
        all_well = all_well and ending.why is not StopReason.FAILED and not course.failed
    return all_well
