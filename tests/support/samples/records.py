"""Records made by hand: a suite, its plan, and a run of it out of blocks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from hopcost.plan.make import make_plan
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import Plan
from hopcost.programs.definition.definition import Installed
from hopcost.record.contents.block import Block
from hopcost.record.contents.repeat import Repeat
from hopcost.record.contents.run import FORMAT, Ending, Record, Run, StopReason
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.articles.published import Published
from hopcost.suites.experiments.experiment import Experiment, Placement
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.suite import Article, Suite

ENVIRONMENT: dict[str, object] = {"cpu": "Abacus 2", "kernel": "6.1.0", "allowed_cores": [0, 1]}


def made_up_suite() -> Suite:
    """One experiment on two arms that an article published and one that it did not, and one that never ran."""
    app, proxy = (Hop(program=name, link=Link.HTTP_TCP) for name in ("app", "proxy"))
    return Suite(
        name="made-up",
        title="A made-up suite",
        arms={
            "direct": Arm(title="the app alone", hops=[app]),
            "behind": Arm(title="a proxy before it", hops=[proxy, app]),
            "beside": Arm(title="the app, otherwise", hops=[app]),
        },
        article=Article(title="Fast", author="somebody", date="2020-01-01", source="a blog"),
        experiments=[
            Experiment(
                name="cost",
                question="What does the proxy cost?",
                baseline="direct",
                arms=["direct", "behind", "beside"],
                placement=Placement.ONE_CORE,
                workload=Workload(connections=32),
                control="direct",
                published=[
                    Published(arm="direct", throughput_per_s=40_000, latency_mean_ms=116.96),
                    Published(arm="behind", throughput_per_s=10_000, errors={"timeout": 661, "write": 2}),
                ],
                published_conditions="8 cores, 2013",
            )
        ],
        analysis="The proxy copies everything twice.",
    )


def plan_of(quick: bool = True, **more: object) -> Plan:
    """The suite on a machine of two cores where everything is installed; quick: one look, 95 % intervals."""
    installed = {"app": Installed(path="/app", version="1"), "proxy": Installed(path="/proxy", version="2")}
    of_the_machine = {key: value for key, value in more.items() if key in MachineLimits.__struct_fields__}
    of_the_run = {key: value for key, value in more.items() if key not in of_the_machine}
    limits = MachineLimits(installed, allowed_cores=[0, 1], siblings={}, open_files=20_000)
    return make_plan(
        made_up_suite(),
        [],
        msgspec.structs.replace(RunOptions(quick=quick, seed=7), **of_the_run),
        msgspec.structs.replace(limits, **of_the_machine),
    )


def record(
    *blocks: Block,
    plan: Plan | None = None,
    run: Run | None = None,
    path: Path = Path("records/made-up"),
    suite: Suite | None = None,
    environment: dict[str, object] | None = None,
    warnings: Sequence[str] = (),
    repeats: Sequence[Repeat] = (),
) -> Record:
    """A record as it would be read."""
    return Record(
        path=path,
        run=run or ended_run(),
        suite=suite or made_up_suite(),
        plan=plan or plan_of(),
        environment=ENVIRONMENT if environment is None else environment,
        blocks=list(blocks),
        warnings=list(warnings),
        repeats=list(repeats),
    )


def ended_run() -> Run:
    """A run whose experiment has all its blocks."""
    return Run(
        format=FORMAT,
        hopcost="0.1.0",
        command=["hopcost", "run", "made-up"],
        started_utc="2025-01-02T03:04:05Z",
        ended_utc="2025-01-02T03:06:05Z",
        endings=[Ending(experiment="cost", why=StopReason.BLOCKS, detail="all 6 blocks are done")],
    )
