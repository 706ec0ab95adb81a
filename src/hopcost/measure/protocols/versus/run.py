"""From URLs to a record: a suite whose arms are running servers, measured like any other."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence

import msgspec

from hopcost.errors import UsageError
from hopcost.history.labels import labels_here
from hopcost.machine import facts
from hopcost.measure import run
from hopcost.measure.protocols.versus.answers import Answers, compare_first_answers, sleep
from hopcost.measure.protocols.versus.connections import learn_connections
from hopcost.measure.protocols.versus.find import Found, Wishes, find_servers
from hopcost.measure.protocols.versus.restarts import known_spread
from hopcost.measure.rig import RealRig
from hopcost.measure.run import Measured
from hopcost.measure.watcher import RunWatcher
from hopcost.plan.make import make_plan
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import Plan
from hopcost.plan.slices import longest_gap_s
from hopcost.record.contents.reason import ReasonKind
from hopcost.record.contents.run import Record, StopReason
from hopcost.stacks import awake
from hopcost.stacks.host import Local
from hopcost.stacks.sandbox.cgroups import Freezer, FreezerKind
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.suites.arms.arm import Arm
from hopcost.suites.experiments.experiment import Experiment, Placement
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.suite import Suite

EXPERIMENT = SUITE = "vs"
ANALYSIS = (
    "Servers that run already, side by side: they take turns, the first one twice. Nothing was restarted, so ranges are"
    " of these processes."
)
HINTS = {
    ReasonKind.BACKGROUND: "--freeze stops a server while others are loaded",
    ReasonKind.OTHER_PROGRAMS: "if one of them works for a server, --pid N=PID names it",
}


class Question(msgspec.Struct, frozen=True):
    """What is compared: the URLs, how each is asked, and what a correct answer is."""

    urls: list[str]
    workload: Workload
    wishes: Wishes = Wishes()
    status: int | None = None
    any_body: bool = False
    least: int = 2  # URLs


class Prepared(msgspec.Struct, frozen=True):
    """The servers as they were found, and what their first answers have in common."""

    servers: list[Found]
    answers: Answers
    suite: Suite


def prepare(question: Question) -> Prepared:
    """Find the servers and ask them; UsageError or CannotMeasure, with the next step, if that does not work out."""
    if len(question.urls) < question.least:
        raise UsageError("hopcost vs needs two URLs or more", "hopcost load URL tells how fast one is")
    servers = find_servers(question.urls, question.wishes)
    answers = compare_first_answers(
        servers, question.workload, status=question.status, any_body=question.any_body, wait=sleep
    )
    workload = msgspec.structs.replace(question.workload, expect=answers.expect)
    return Prepared(servers, answers, versus_suite(servers, workload))


def prepare_connections(prepared: Prepared, workload: Workload, time_s: float) -> Prepared:
    """The same with what each server does with idle connections, as far as it matters in a run of `time_s`."""
    gap_s = longest_gap_s(servers=len(prepared.servers), connections=workload.connections, time_s=time_s)
    servers = learn_connections(prepared.servers, workload, gap_s)
    asked = msgspec.structs.replace(workload, expect=prepared.answers.expect)
    return Prepared(servers, prepared.answers, versus_suite(servers, asked))


def versus_suite(servers: Sequence[Found], workload: Workload) -> Suite:
    """A suite of one experiment with the servers as its arms; the first is the baseline."""
    names = [server.name for server in servers]
    return Suite(
        name=SUITE,
        title=f"{', '.join(names)}: as they run",
        arms={server.name: Arm(hops=[], title=server.words, server=server.server) for server in servers},
        experiments=[
            Experiment(
                name=EXPERIMENT,
                question="Which of these servers is faster, as they run now?",
                baseline=names[0],
                arms=names,
                placement=Placement.ALL_CORES,
                workload=workload,
            )
        ],
        analysis=ANALYSIS,
    )


def plan_servers(suite: Suite, options: RunOptions) -> Plan:
    """What the suite means here, with what earlier records know of restarts."""
    if options.seed is None:
        options = msgspec.structs.replace(options, seed=secrets.randbits(32))
    limits = MachineLimits(
        installed={},
        allowed_cores=facts.allowed_cores(),
        siblings=facts.siblings(),
        open_files=raise_open_files(),
    )
    plan = make_plan(suite, [], options, limits)
    spread = known_spread(suite)
    experiments = [msgspec.structs.replace(planned, restart_spread=spread) for planned in plan.experiments]
    return msgspec.structs.replace(plan, experiments=experiments)


def measure_servers(suite: Suite, options: RunOptions, run_watcher: RunWatcher) -> Measured:
    """Measure them into a record; MeasurementFailed if the measurement breaks, the record so far stays."""
    plan = plan_servers(suite, options)
    return run.record_plan(suite, plan, options.folder, servers_environment(), servers_rig(), run_watcher)


def servers_rig() -> RealRig:
    """The rig of servers that run already: signals freeze them, if anything does."""
    return RealRig(Local(Freezer(kind=FreezerKind.SIGNAL, parent=None)))


def servers_environment() -> dict[str, object]:
    """The environment of such a run, as a record keeps it."""
    return msgspec.structs.asdict(facts.facts()) | {
        "idle_cores": awake.keep_awake(),
        "freezer": FreezerKind.SIGNAL.value,
        "network_namespaces": False,
        "network_namespaces_missing": "the servers run already",
        "programs": {},
        "binaries": {},
        "labels": labels_here(os.environ),
    }


def why_failed(record: Record) -> tuple[str, str | None] | None:
    """Why a run has no answer, and the remedy that most void batches ask for; None if it has one."""
    ending = next((ending for ending in record.run.endings if ending.why == StopReason.FAILED), None)
    if ending is None:
        return None
    kinds = [reason.kind for block in record.blocks for reason in block.reasons if reason.kind in HINTS]
    return ending.detail, HINTS[max(kinds, key=kinds.count)] if kinds else None
