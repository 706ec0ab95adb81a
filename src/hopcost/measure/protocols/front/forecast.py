"""How long measuring fronts takes: fronts × starts × (start + warm-up) + load, out of what was learned. Pure."""

from __future__ import annotations

import math

import msgspec

from hopcost.measure.protocols.front.learning import AppLearned
from hopcost.measure.protocols.front.suite import together
from hopcost.plan import open_loop
from hopcost.plan.method import METHOD
from hopcost.plan.slices import shortest_slices
from hopcost.plan.turns import Turns
from hopcost.suites.experiments.experiment import Experiment, Slices
from hopcost.suites.suite import Suite

LEAST_S, LEAST_QUICK_S = 240.0, 60.0  # of a run whose starts cost little: more of them make ranges narrower
ROUNDS, QUICK_ROUNDS = 6, 2  # of a start
STARTS, QUICK_STARTS = METHOD.min_starts, METHOD.min_blocks
WHOLE_STARTS, QUICK_WHOLE_STARTS = METHOD.first_looks[0], METHOD.min_blocks  # of stacks alive one at a time
WHOLE_SLICE_S, QUICK_WHOLE_SLICE_S = 8.0, 2.0
FRONT_START_S = 0.25  # start, check and stop of a front
FRONT_CPU_US = 50.0  # of a request, as long as nobody has measured it
WEIGHT_S = 5.0  # of an experiment's time, for each weight


class AppCosts(msgspec.Struct, frozen=True):
    """What a start of the app takes: until it listens and to its end, and then until it is warm behind a front."""

    start_s: float
    warm_up_s: float
    idle_timeout_s: float | None
    is_quick: bool = False


class FrontTime(msgspec.Struct, frozen=True):
    """The time of a run, and how many starts of each stack it holds."""

    seconds: float
    starts: int


def costs_of(app_learned: AppLearned) -> AppCosts:
    """What a start takes, as the app was learned."""
    learned = app_learned.learned
    behind_front_per_s = 1e6 / (learned.cpu_us_per_request + FRONT_CPU_US)
    requests = app_learned.request.app.warm_up_requests or METHOD.warm_up_requests
    return AppCosts(
        start_s=learned.ready_s + app_learned.stop_s,
        warm_up_s=max(METHOD.min_warm_up_ns / 1e9, requests / min(learned.throughput_per_s, behind_front_per_s)),
        idle_timeout_s=learned.idle_timeout_s,
        is_quick=app_learned.request.is_quick,
    )


def with_weights(suite: Suite, costs: AppCosts) -> Suite:
    """The suite with weights by which its experiments share the time: some have more stacks, or longer slices."""
    experiments = [
        msgspec.structs.replace(experiment, weight=max(1, round(_seconds(experiment, costs) / WEIGHT_S)))
        for experiment in suite.experiments
    ]
    return msgspec.structs.replace(suite, experiments=experiments)


def front_time(suite: Suite, costs: AppCosts, time_s: float | None = None) -> FrontTime:
    """The time that the suite takes, or `time_s`; it holds at least one start of each stack."""
    once_s = sum(block_s(experiment, costs) for experiment in suite.experiments)
    if time_s is None:
        needed_s = sum(_seconds(experiment, costs) for experiment in suite.experiments)
        time_s = max(LEAST_QUICK_S if costs.is_quick else LEAST_S, math.ceil(needed_s))
    return FrontTime(time_s, max(1, int(time_s / once_s)))


def _seconds(experiment: Experiment, costs: AppCosts) -> float:
    starts, quick_starts = (STARTS, QUICK_STARTS)
    if is_whole(experiment, costs):
        starts, quick_starts = (WHOLE_STARTS, QUICK_WHOLE_STARTS)
    return (quick_starts if costs.is_quick else starts) * block_s(experiment, costs)


def block_s(experiment: Experiment, costs: AppCosts) -> float:
    """One start of every stack of an experiment, its second run of the app included, with its load."""
    arms, quick = len(experiment.arms) + 1, costs.is_quick
    start_s = costs.start_s + FRONT_START_S
    if is_whole(experiment, costs):
        warm_up_s = min(costs.warm_up_s, METHOD.max_warm_up_ns / 1e9)
        slice_s = QUICK_WHOLE_SLICE_S if quick else WHOLE_SLICE_S
        return arms * (start_s + warm_up_s + slice_s * METHOD.slice_edges)
    connections = experiment.workload.connections
    settle_ns, slice_ns = shortest_slices(Turns.ALL, connections, quick=quick, whole_s=None)
    warm_up_s = min(costs.warm_up_s, METHOD.max_warm_up_s / arms)
    load_s = (QUICK_ROUNDS if quick else ROUNDS) * (settle_ns + slice_ns) / 1e9 * METHOD.slice_edges
    loads = 1 if experiment.open_loop else 0
    open_s = open_loop.phase_s(arms=arms, loads=loads, settle_ns=settle_ns, quick=quick)
    return arms * (start_s + warm_up_s + load_s) + open_s


def is_whole(experiment: Experiment, costs: AppCosts) -> bool:
    """Whether its stacks are alive one at a time: as the plan will have it."""
    if experiment.slices is Slices.WHOLE:
        return True
    most = together(costs.idle_timeout_s, experiment.workload.connections, quick=costs.is_quick)
    return len(experiment.arms) + 1 > most
