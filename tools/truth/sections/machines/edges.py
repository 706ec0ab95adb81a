"""An agent on the stacks' machine must measure what the engine measures itself. A section of the truth's page.

Two copies of a stack, the load over a pair of virtual cards. The edges of one are set by an agent, those of the other
by the engine; then the copies change places within the same start, so that what one copy costs more falls out. Both
namespaces have one clock: the offset that an exchange tells ought to be 0.
"""

from __future__ import annotations

import contextlib
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.machine import facts
from hopcost.measure.fleet.authority import GENERATOR as GENERATOR_NAME
from hopcost.measure.fleet.authority import STACKS as STACKS_NAME
from hopcost.measure.fleet.edges import order_of, plan_elsewhere
from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_lines import Slice
from hopcost.programs.generators.engine_plan import EngineArm, EnginePlan, WarmUp
from hopcost.statistics import intervals
from hopcost.statistics.intervals import Interval
from tools.truth.form import Runs
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, bracketed, median, quartiles, unfinished, within
from tools.truth.plans import hop, plan_of, suite_text
from tools.truth.sections.machines.apart import STACKS, Apart, apart, write_certificates

SECTION = "agent-edges"
RUNS, LOAD_S, RUN_S = Runs(full=40, short=40), 10.0, 25.0
SLICE_S, SETTLE_S = 0.05, 0.03  # short ones: edges weigh twelve times as much as in a run
MARGIN = 0.01
COPIES = ("first", "second")
FIGURES = ("throughput", "cpu")
WORDS = {"throughput": "throughput", "cpu": "CPU per request"}
SUITE = suite_text(SECTION, {name: [hop("nginx"), hop("origin")] for name in COPIES})
COLUMNS = ["figure", "agent ÷ engine:", "quartiles of runs:", "runs:", "within"]
TIMES = {
    "round_trip_us": "an exchange with the agent, there and back",
    "bound_us": "the bound on the clocks' offset",
    "offset_us": "the offset itself, which ought to be 0",
    "late_us": "how late the agent's timer was",
    "agent_freezing_us": "the freezing, by the agent",
    "engine_freezing_us": "the freezing, by the engine",
}


class Side(NamedTuple):
    """All slices of one way to set edges."""

    answers: int
    elapsed_ns: int
    cpu_ns: int

    @staticmethod
    def of(slices: Sequence[Slice]) -> Side:
        """Their sums. MeasurementFailed if the clock of a hop could not be read."""
        used = [ns for piece in slices for ns in piece.cpu_ns.values()]
        known = [ns for ns in used if ns is not None]
        if not slices or len(known) < len(used):
            raise MeasurementFailed("a slice lacks its CPU time")
        return Side(sum(piece.answers for piece in slices), sum(piece.elapsed_ns for piece in slices), sum(known))


def quotients(agent: Side, own: Side) -> Figures:
    """The agent's figures ÷ those of the engine."""
    return {
        "throughput": (agent.answers / agent.elapsed_ns) / (own.answers / own.elapsed_ns),
        "cpu": (agent.cpu_ns / agent.answers) / (own.cpu_ns / own.answers),
    }


def times(agent: Sequence[Slice], own: Sequence[Slice]) -> Figures:
    """Medians over slices, in µs; of the timer its latest, too."""
    edges = [piece.agent for piece in agent if piece.agent is not None]
    exchanges = [exchange for edge in edges for exchange in (edge.thaw, edge.freeze)]
    late = [edge.late_ns for edge in edges if edge.late_ns is not None]
    return {
        "round_trip_us": statistics.median(exchange.round_trip_ns for exchange in exchanges) / 1000,
        "bound_us": statistics.median(exchange.bound_ns for exchange in exchanges) / 1000,
        "offset_us": statistics.median(abs(exchange.offset_ns) for exchange in exchanges) / 1000,
        "beyond_bound": float(sum(abs(exchange.offset_ns) > exchange.bound_ns for exchange in exchanges)),
        "exchanges": float(len(exchanges)),
        "late_us": statistics.median(late) / 1000,
        "latest_us": max(late) / 1000,
        "agent_freezing_us": statistics.median(piece.freeze_ns for piece in agent) / 1000,
        "engine_freezing_us": statistics.median(piece.freeze_ns for piece in own) / 1000,
    }


def run(number: int) -> Figures:
    """One start of both copies, loaded twice; each copy has the agent once."""
    experiment = plan_of(SUITE, SECTION, number, time_s=60.0).experiments[0]
    with apart() as machines, contextlib.ExitStack() as running:
        arms = [machines.start(experiment, name, running) for name in COPIES]
        loads = [_load(experiment, arms, with_agent, number, machines) for with_agent in COPIES]
    by_load = [quotients(Side.of(agent), Side.of(own)) for agent, own in loads]
    mean = {name: statistics.geometric_mean(load[name] for load in by_load) for name in FIGURES}
    return mean | times([piece for agent, _ in loads for piece in agent], [piece for _, own in loads for piece in own])


def _load(
    experiment: PlannedExperiment, arms: Sequence[EngineArm], with_agent: str, seed: int, machines: Apart
) -> tuple[list[Slice], list[Slice]]:
    """The slices of the copy that has the agent, and those of the other one."""
    plan = EnginePlan(
        seed=seed,
        cores=experiment.cores.generator,
        slice_ns=round(SLICE_S * 1e9),
        settle_ns=round(SETTLE_S * 1e9),
        rounds=round(LOAD_S / (SLICE_S + SETTLE_S) / len(arms)),
        warm_up=WarmUp(least_ns=300_000_000, most_ns=2_000_000_000),
        arms=list(arms),
    )
    its_own = msgspec.structs.replace(plan, arms=[arm for arm in arms if arm.name == with_agent])
    free = [core for core in facts.allowed_cores() if core not in experiment.cores.stack]
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        write_certificates(folder, (STACKS_NAME, GENERATOR_NAME))
        with machines.agent(order_of(its_own, f"{STACKS}:0", folder), free) as agent:
            there = plan_elsewhere(its_own, agent.address, folder)
            both = [there.arms[0] if arm.name == with_agent else arm for arm in arms]
            lines = machines.load(msgspec.structs.replace(plan, arms=both, agent=there.agent))
    slices = [line for line in lines if isinstance(line, Slice)]
    return [piece for piece in slices if piece.agent is not None], [piece for piece in slices if piece.agent is None]


def quotient(runs: Sequence[Figures], name: str) -> Interval | None:
    """Over runs: the geometric mean with Student's t."""
    return intervals.ratio([figures[name] for figures in runs], [1.0] * len(runs))


class AgentEdges(Section):
    """nginx before the origin, by both ways to set edges."""

    key = SECTION
    heading = "# Edges by an agent"
    asks = "An agent on the stacks' machine measures what the engine measures itself"
    tells = ("agent ÷ engine",)
    short_s = None

    def cases(self) -> list[Case]:
        """One."""
        settings: dict[str, object] = {"suite": SUITE, "load_s": LOAD_S, "slice_s": SLICE_S, "settle_s": SETTLE_S}
        return [Case(SECTION, "nginx", run, RUNS.of(self.form), settings, seconds=RUN_S)]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each figure; below it what edges and clocks came to."""
        (case,) = self.cases()
        runs = done.of(SECTION, case.name)
        rows, words = [], []
        for name in FIGURES:
            value = quotient(runs, name)
            words.append(within(value, MARGIN) if len(runs) >= case.runs else unfinished(len(runs), case.runs))
            first, third = quartiles(runs, name) if runs else (0.0, 0.0)
            spread = f"{first:.3f}–{third:.3f}" if runs else ""
            rows.append([WORDS[name], bracketed(value, 4), spread, f"{len(runs)} of {case.runs}", words[-1]])
        return [Part(_prose(), COLUMNS, rows, words, _after(runs))]


def _prose() -> list[str]:
    return [
        "Two copies of nginx before the origin in one network namespace, the engine in another one, joined by a pair of"
        " virtual cards. An agent sets the edges of one copy's slices and reads its clocks; the engine does so itself"
        f" for the other. Each start is loaded twice for {LOAD_S:g} s, with the copies in turn, so that what one copy"
        f" costs more falls out. Slices take {SLICE_S * 1000:g} ms, a twelfth of those of a run, so that edges weigh"
        f" twelve times as much. The whole range of the quotient must lie within {MARGIN * 100:g} % of 1.",
    ]


def _after(runs: Sequence[Figures]) -> list[str]:
    if not runs:
        return []
    parts = [f"{words} {median(runs, name):.1f} µs" for name, words in TIMES.items()]
    beyond, exchanges = (sum(figures[name] for figures in runs) for name in ("beyond_bound", "exchanges"))
    latest = max(figures["latest_us"] for figures in runs)
    return [
        f"Medians over runs: {'; '.join(parts)}. The timer's latest was {latest:,.0f} µs. The offset was beyond its"
        f" bound in {beyond:,.0f} of {exchanges:,.0f} exchanges."
    ]
