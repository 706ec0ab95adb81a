"""Ratios by slices against runs of one arm at a time: a section of docs/truth.md, written by `make truth`.

Each repeat takes one block of slices over all arms, and for every arm a pair of plain runs, it and the baseline, each
started alone, never frozen, in a shuffled order. The quotient of the two ratios is taken within a repeat, so that the
machine's drift cancels. Results are kept line by line; a second call goes on where the first stopped.
"""

from __future__ import annotations

import datetime
import itertools
import math
import random
import sys
import tempfile
import time
from pathlib import Path

import msgspec
import truth_lines

from hopcost import block, check, engine, machine, plan, program, record, suite, summary
from hopcost.errors import MeasurementFailed
from hopcost.sandbox import Freezer, Ports, find_freezer, raise_open_files
from hopcost.stack import RunningStack
from hopcost.statistics import Interval, ratio
from hopcost.suite import Suite

KEPT = truth_lines.FOLDER / "slices.jsonl"
MARGIN = 0.03
BLOCK_S = 12.0  # of load, over all arms

INTRODUCTION = """\
By slices: one block of {block:g} s of load, all arms started, all but one frozen. Alone: a pair of plain runs of
{seconds:g} s, the arm and the baseline, each started alone and never frozen. The quotient is taken within each repeat;
its interval (95 %, Student's t over repeats) must lie within {low:.2f} to {high:.2f}."""
AFTER_ANSWER = """
name = "after-answer"
title = "An origin that keeps working after it has answered"
[arms.origin]
hops = [{ program = "origin", link = "http+tcp" }]
[arms.nginx]
hops = [{ program = "nginx", link = "http+tcp" }, { program = "origin", link = "http+tcp" }]
[[experiments]]
name = "one-core"
question = "Does the work after the answer count where it belongs?"
baseline = "origin"
arms = ["origin", "nginx"]
placement = "one-core"
workload = { target = "/?work-after=50us" }
"""


class Case(msgspec.Struct, frozen=True):
    """One line of the page: a suite's experiment at a number of connections."""

    name: str
    suite: Suite
    experiment: str


class Silent:
    """A watcher that says nothing."""

    def experiment_begins(self, experiment: plan.PlannedExperiment, blocks: int, deadline: float) -> None: ...
    def block_begins(self, number: int) -> None: ...
    def arm_runs(self, arm: str, doing: str) -> None: ...
    def block_ends(self, done: record.Block) -> None: ...


class Repeat(msgspec.Struct):
    """One repeat of one case: by arm, its ratio to the baseline by slices and by runs of one arm at a time."""

    case: str
    number: int
    sliced: dict[str, float]
    alone: dict[str, float]
    engine: truth_lines.Build | None = None
    machine: truth_lines.Machine | None = None
    time: str | None = None


def measure(repeats: int, seconds: float, at_most_s: float) -> None:
    """Every repeat of the present engine that is missing; none begins after so many seconds."""
    raise_open_files()
    engine, began = truth_lines.build(), time.monotonic()
    for number, case in itertools.product(range(repeats), cases()):
        if any((each.case, each.number) == (case.name, number) for each in kept(engine)[0]):
            continue
        if time.monotonic() - began > at_most_s:
            return
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        done = repeat(case, number, seconds)
        done = msgspec.structs.replace(done, engine=engine, machine=truth_lines.this_machine(), time=now)
        truth_lines.append(KEPT, done)
        print(f"{case.name}: {number + 1} of {repeats}: {done}", file=sys.stderr)


def kept(engine: truth_lines.Build) -> tuple[list[Repeat], list[Repeat]]:
    """Repeats of this engine on this machine, and those of others: older ones say neither."""
    here = truth_lines.this_machine()
    own: list[Repeat] = []
    others: list[Repeat] = []
    for each in truth_lines.read(KEPT, Repeat):
        is_own = each.engine is not None and each.engine.sources == engine.sources and each.machine == here
        (own if is_own else others).append(each)
    return own, others


def cases() -> list[Case]:
    """nginx-go with few and with many connections, and work after the answer."""
    nginx_go = suite.load("nginx-go")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "after-answer.toml"
        path.write_text(AFTER_ANSWER)
        after_answer = suite.load(str(path))
    return [
        Case(name="nginx-go, 64 connections", suite=with_connections(nginx_go, 64), experiment="one-core"),
        Case(name="nginx-go, 1000 connections", suite=with_connections(nginx_go, 1000), experiment="one-core"),
        Case(name="work after the answer, 64 connections", suite=after_answer, experiment="one-core"),
    ]


def with_connections(content: Suite, connections: int) -> Suite:
    """The suite with this many connections in every experiment."""
    experiments = [
        msgspec.structs.replace(each, workload=msgspec.structs.replace(each.workload, connections=connections))
        for each in content.experiments
    ]
    return msgspec.structs.replace(content, experiments=experiments)


def repeat(case: Case, number: int, seconds: float) -> Repeat:
    """One block by slices and one pair of plain runs for each arm, in shuffled order."""
    programs = {hop.program for arm in case.suite.arms.values() for hop in arm.hops}
    planned = plan.make(
        case.suite,
        [case.experiment],
        quick=False,
        budget_s=3600.0,
        seed=number,
        installed={name: program.installed(name) for name in programs},
        allowed_cores=machine.allowed_cores(),
        siblings=machine.siblings(),
        open_files=raise_open_files(),
    )
    experiment = planned.experiments[0]
    shuffle = random.Random(f"{case.name}/{number}")
    arms = [arm.name for arm in experiment.arms if arm.name != experiment.baseline and arm.copy_of is None]
    result = Repeat(case=case.name, number=number, sliced={}, alone={})
    for step in shuffle.sample(["", *arms], len(arms) + 1):
        if step:
            pair = {
                name: alone(planned, experiment, name, seconds)
                for name in shuffle.sample([step, experiment.baseline], 2)
            }
            result.alone[step] = pair[step] / pair[experiment.baseline]
        else:
            result.sliced = sliced(planned, experiment, case.suite)
    return result


def sliced(planned: plan.Plan, experiment: plan.PlannedExperiment, content: Suite) -> dict[str, float]:
    """One block as `hopcost run` measures it."""
    with tempfile.TemporaryDirectory() as folder, record.Writer(Path(folder), content, planned, {}, []) as writer:
        setting = block.Setting(
            plan=planned, experiment=experiment, freezer=find_freezer(), ports=Ports(), writer=writer, watcher=Silent()
        )
        round_s = (experiment.settle_ns + experiment.slice_ns) * len(experiment.arms) / 1e9
        done = block.measure(setting, experiment.arms, 0, round(BLOCK_S / round_s))
    if done.validity == "void" or done.failures:
        raise MeasurementFailed(f"the block by slices is {done.validity}: {done.reasons} {done.failures}")
    ratios = {arm.name: summary.block_ratio(experiment, done, arm.name) for arm in done.arms}
    return {name: value for name, value in ratios.items() if value is not None}


def alone(planned: plan.Plan, experiment: plan.PlannedExperiment, name: str, seconds: float) -> float:
    """Answers per second of one arm that runs alone and is never frozen, after the same warm-up."""
    arm = next(each for each in experiment.arms if each.name == name)
    never = Freezer(kind="signal", parent=None)
    with RunningStack(name, arm.arm, experiment.settings, experiment.cores, never, Ports(), label="alone") as stack:
        answer = check.ask(name, stack.prepared.address, experiment.workload.target)
        only = msgspec.structs.replace(block.engine_arm(stack, experiment.workload, answer), freeze=None)
        load = engine.Plan(
            seed=0,
            cores=experiment.cores.generator,
            slice_ns=round(seconds * 1e9),
            settle_ns=0,
            rounds=1,
            warm_up=engine.WarmUp(least_ns=planned.warm_up_least_ns, most_ns=planned.warm_up_most_ns),
            arms=[only],
        )
        slices = [line for line in engine.run(load) if isinstance(line, engine.Slice)]
    if sum(slices[0].errors.values()):
        raise MeasurementFailed(f"{name} alone had errors: {slices[0].errors}")
    return slices[0].answers * 1e9 / slices[0].elapsed_ns


def lines(repeats: int, seconds: float) -> tuple[list[str], bool]:
    """The lines of the page, and whether every one holds. Where this engine has no repeat of a case, older ones stand
    in its place, and are marked; they hold nothing."""
    text = [
        "# Slices beside runs of one arm at a time",
        "",
        INTRODUCTION.format(block=BLOCK_S, seconds=seconds, low=1 - MARGIN, high=1 + MARGIN),
        "",
        "| case | arm | by slices | alone | quotient | repeats | within ±3 % |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- |",
    ]
    own, others = kept(truth_lines.build())
    holds, aside = True, 0
    for case in cases():
        rows = [each for each in own if each.case == case.name][:repeats]
        older = [each for each in others if each.case == case.name]
        is_older = not rows
        aside += 0 if is_older else len(older)
        rows = rows or older[:repeats]
        holds = holds and bool(rows) and not is_older
        for arm in rows[0].alone if rows else []:
            quotient = ratio([each.sliced[arm] for each in rows], [each.alone[arm] for each in rows])
            verdict = within(quotient)
            holds = holds and verdict == "yes"
            cells = [
                case.name,
                arm,
                f"{geometric([row.sliced[arm] for row in rows]):.3f}",
                f"{geometric([row.alone[arm] for row in rows]):.3f}",
                shown(quotient),
                f"{len(rows)} of {repeats}" + (", older engine" if is_older else ""),
                verdict,
            ]
            text.append(truth_lines.row(cells))
    if aside:
        text += ["", f"Set aside: {aside} repeats of another engine or machine."]
    return [*text, ""], holds


def within(quotient: Interval | None) -> str:
    """`yes` or `no` when the whole interval says so, else `undecided`."""
    if quotient is None or quotient.low is None or quotient.high is None:
        return "undecided"
    if quotient.low >= 1 - MARGIN and quotient.high <= 1 + MARGIN:
        return "yes"
    return "no" if quotient.low > 1 + MARGIN or quotient.high < 1 - MARGIN else "undecided"


def shown(quotient: Interval | None) -> str:
    """`1.003 [0.991, 1.015]`."""
    if quotient is None or quotient.low is None or quotient.high is None:
        return "–"
    return f"{quotient.value:.3f} [{quotient.low:.3f}, {quotient.high:.3f}]"


def geometric(values: list[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))
