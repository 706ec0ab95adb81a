"""Several generators must make the load that one makes. A section of the truth's page.

A server that is an M/D/1 queue gets requests at random moments, from one engine and from four that share the same
schedule through an agent. Response times must be the same. Those that the queue's formula gives stand beside them:
they have no network and no work in them, and judge nothing.
"""

from __future__ import annotations

import contextlib
import math
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.measure.fleet.authority import STACKS as STACKS_NAME
from hopcost.measure.fleet.authority import generator_names
from hopcost.measure.fleet.edges import order_of, plan_elsewhere
from hopcost.measure.fleet.shares import share_of
from hopcost.programs.generators.engine_lines import ArmTotals, Line, Slice
from hopcost.programs.generators.engine_plan import EngineArm, EnginePlan, Rate, WarmUp
from hopcost.record import histogram
from tools.truth.form import Runs
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Bar, Part, Section, median, spread
from tools.truth.plans import hop, plan_of, suite_text
from tools.truth.sections.capacity.waiting import waits_within
from tools.truth.sections.machines.apart import STACKS, Apart, apart, write_certificates

SECTION = "several-generators"
RUNS, RUN_S = Runs(full=10, short=10), 60.0
SEVERAL, CONNECTIONS = 4, 256
SERVICE_US, LOAD = 500, 0.7  # of the one server, and how much of its time it is busy
SLICE_S, ROUNDS = 2.0, 10
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
MARGIN = 0.05
SUITE = suite_text(
    SECTION, {"queue": [hop("origin", settings=f"{{ queue_us = {SERVICE_US} }}")], "other": [hop("origin")]}
)
COLUMNS = ["quantile", "by the formula:", "one generator:", "four generators:", "four ÷ one:", "runs within:", "holds"]


def known_us(share: float) -> float:
    """The response time that this share of requests does not exceed in M/D/1, in µs; found by halving."""
    low, high = 0.0, 100.0  # service times of waiting
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if waits_within(middle, LOAD) < share else (low, middle)
    return (1 + high) * SERVICE_US


def run(number: int) -> Figures:
    """One start of the server, loaded by one engine and then by four."""
    experiment = plan_of(SUITE, SECTION, number, time_s=60.0).experiments[0]
    with apart() as machines, contextlib.ExitStack() as running:
        arm = machines.start(experiment, "queue", running)
        arm = msgspec.structs.replace(arm, arrivals={"poisson": Rate(LOAD / SERVICE_US * 1e6)})
        figures: Figures = {}
        for words, count in (("one", 1), ("four", SEVERAL)):
            lines = _load(arm, experiment.cores.generator, count, number, machines)
            figures |= {f"{name}_{words}_us": value for name, value in response_us(lines).items()}
            figures[f"late_{words}"] = late_most(lines)
    return figures


def response_us(by_generator: Sequence[Sequence[Line]]) -> Figures:
    """Quantiles of all generators' response times together. MeasurementFailed if a request has no answer or no time."""
    totals = [line for lines in by_generator for line in lines if isinstance(line, ArmTotals)]
    pieces = [line for lines in by_generator for line in lines if isinstance(line, Slice)]
    sent, answers = sum(piece.sent for piece in pieces), sum(piece.answers for piece in pieces)
    encoded = [total.response_time for total in totals if total.response_time is not None]
    if len(encoded) < len(by_generator) or sent != answers or any(piece.not_sent for piece in pieces):
        raise MeasurementFailed(f"{sent} requests were sent, {answers} answered, by {len(encoded)} generators")
    times, figures = histogram.merge(encoded), {}
    for name, share in QUANTILES.items():
        ns = histogram.quantile(times, share)
        if ns is None:
            raise MeasurementFailed("nothing was answered")
        figures[name] = ns / 1000
    return figures


def late_most(by_generator: Sequence[Sequence[Line]]) -> float:
    """The largest share of one generator's requests that it sent more than 1 ms late. The load is an open loop."""
    shares = []
    for lines in by_generator:
        pieces = [line for line in lines if isinstance(line, Slice)]
        late = [piece.late for piece in pieces if piece.late is not None]
        if len(late) < len(pieces) or not late:
            raise MeasurementFailed("a slice does not say what was late")
        shares.append(sum(late) / max(1, sum(piece.sent for piece in pieces)))
    return max(shares)


def _load(arm: EngineArm, cores: list[int], count: int, seed: int, machines: Apart) -> list[list[Line]]:
    """The lines of each of so many engines, which an agent keeps in step."""
    names = generator_names(count)
    plan = EnginePlan(
        seed=seed,
        cores=cores,
        slice_ns=round(SLICE_S * 1e9),
        settle_ns=0,
        rounds=ROUNDS,
        warm_up=WarmUp(least_ns=300_000_000, most_ns=2_000_000_000),
        arms=[msgspec.structs.replace(arm, connections=CONNECTIONS)],
    )
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        write_certificates(folder, (STACKS_NAME, *names))
        order = order_of(plan, f"{STACKS}:0", folder, generators=names)
        with machines.agent(order, cores) as agent, ThreadPoolExecutor(count) as pool:
            plans = [
                share_of(plan_elsewhere(plan, agent.address, folder, generator=name), place, count)
                for place, name in enumerate(names)
            ]
            return list(pool.map(machines.load, plans))


class SeveralGenerators(Section):
    """Four generators beside one."""

    key = SECTION
    heading = "# Several generators"
    asks = "Four generators make the load that one makes"
    tells = ("four ÷ one",)
    short_s = None

    def cases(self) -> list[Case]:
        """One."""
        settings: dict[str, object] = {
            "suite": SUITE,
            "generators": SEVERAL,
            "connections": CONNECTIONS,
            "load": LOAD,
            "slice_s": SLICE_S,
            "rounds": ROUNDS,
        }
        return [Case(SECTION, "queue", run, RUNS.of(self.form), settings, seconds=RUN_S)]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each quantile."""
        (case,) = self.cases()
        runs = done.of(SECTION, case.name)
        rows, words = [], []
        for name, share in QUANTILES.items():
            quotients = [{"quotient": figures[f"{name}_four_us"] / figures[f"{name}_one_us"]} for figures in runs]
            bar = Bar([[abs(math.log(one["quotient"])) / MARGIN] for one in quotients], case.runs)
            words.append(bar.verdict())
            known = f"{known_us(share):,.0f} µs"
            cells = _cells(runs, quotients, name) if runs else [""] * 3
            rows.append([name, known, *cells, bar.within(), words[-1]])
        return [Part(_prose(), COLUMNS, rows, words, _after(runs))]


def _cells(runs: Sequence[Figures], quotients: Sequence[Figures], name: str) -> list[str]:
    times = [spread(runs, f"{name}_{which}_us", lambda us: f"{us:,.0f} µs") for which in ("one", "four")]
    return [*times, spread(quotients, "quotient", lambda value: f"{value:.3f}")]


def _prose() -> list[str]:
    return [
        f"The origin as one virtual server that takes {SERVICE_US} µs for a request (`--queue`) gets"
        f" {LOAD / SERVICE_US * 1e6:,.0f} requests a second at random moments: the M/D/1 queue. One engine makes the"
        f" load, then {SEVERAL} that share the schedule request by request, in step through an agent, all on one core."
        f" The quotient of a quantile must be within {MARGIN * 100:g} % of 1 in the median run. The formula has no"
        " network and no work in it: it shows what the queue alone takes, and judges nothing.",
    ]


def _after(runs: Sequence[Figures]) -> list[str]:
    if not runs:
        return []
    late = [f"{which} {median(runs, f'late_{which}') * 100:.3f} %" for which in ("one", "four")]
    return [f"Sent more than 1 ms late, of the worst generator's requests: {' and '.join(late)}."]
