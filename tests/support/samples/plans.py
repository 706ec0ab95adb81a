"""A suite of two experiments, and plans of it on machines of any size."""

from __future__ import annotations

from hopcost.plan.make import make_plan
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.plan.until import Until
from hopcost.programs.definition.definition import Installed
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.articles.published import Published
from hopcost.suites.experiments.experiment import Experiment, Placement
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.suite import Suite

HERE = Installed(path="/bin/x", version="1.0")
GONE = Installed(missing="'proxy' is not installed", remedy="apt-get install proxy")


def stack(*programs: str, stand_in: bool = False) -> Arm:
    return Arm(hops=[Hop(program=name, link=Link.HTTP_TCP) for name in programs], stand_in=stand_in)


SUITE = Suite(
    name="mine",
    title="Mine",
    analysis="because",
    arms={"direct": stack("app"), "behind": stack("proxy", "app"), "spare": stack("origin", stand_in=True)},
    experiments=[
        Experiment(
            name="first",
            question="one?",
            baseline="direct",
            arms=["direct", "behind", "spare"],
            placement=Placement.ONE_CORE,
            workload=Workload(connections=32),
            settings={"app": {"threads": 1}},
            published=[Published(arm="direct", throughput_per_s=10)],
            published_conditions="elsewhere",
            control="direct",
        ),
        Experiment(
            name="second",
            question="all?",
            baseline="direct",
            arms=["direct", "behind"],
            placement=Placement.ALL_CORES,
            needs_cores=4,
            needs_cores_because="workers had their own",
        ),
    ],
)


def make(
    *chosen: str,
    suite: Suite = SUITE,
    quick: bool = False,
    time_s: float | None = None,
    seed: int = 7,
    gone: tuple[str, ...] = (),
    cores: int = 2,
    siblings: dict[int, list[int]] | None = None,
    open_files: int = 20_000,
    until: Until = Until.PRECISION,
    decide: tuple[str, ...] = (),
) -> Plan:
    return make_plan(
        suite,
        list(chosen),
        RunOptions(quick=quick, time_s=time_s, seed=seed, until=until, decide=decide),
        MachineLimits(
            installed={name: GONE if name in gone else HERE for name in ("app", "proxy", "origin")},
            allowed_cores=list(range(cores)),
            siblings=siblings or {},
            open_files=open_files,
        ),
    )


def names(planned: PlannedExperiment) -> list[str]:
    return [arm.name for arm in planned.arms]
