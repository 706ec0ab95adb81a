"""How long an arm settles before a slice, and how long the slice is: by its connections, the turns and the time.

0.6 s, if the time holds enough starts of such slices: each visit costs its settling. A quick run keeps to the least.
And how long a run takes at the least, with the shortest slices of all stacks.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from hopcost.plan import open_loop
from hopcost.plan.method import METHOD
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.plan.turns import Scope, Turns
from hopcost.suites.arms.arm import Arm


def shortest_slices(turns: Turns, connections: int, *, quick: bool, whole_s: int | None) -> tuple[int, int]:
    """Settling and slice in ns; in a soak the baseline's. `whole_s` is the suite's whole slice, if it has one.

    >>> [shortest_slices(Turns.ALL, connections, quick=False, whole_s=None)[0] for connections in (64, 1000, 10_000)]
    [300000000, 1500000000, 3000000000]
    """
    settle_ns = max(
        METHOD.min_settle_ns,
        METHOD.settle_ns_per_connection * connections,
        METHOD.settle_ns_per_first_connection * min(connections, METHOD.first_connections),
    )
    match turns:
        case Turns.WHOLE:
            return 0, (METHOD.quick_whole_slice_s if quick else whole_s or METHOD.whole_slice_s) * 1_000_000_000
        case Turns.SOAK:
            return settle_ns, max(METHOD.min_soak_slice_ns, settle_ns)
        case _:
            return settle_ns, max(METHOD.min_slice_ns, settle_ns)


def longest_gap_s(*, servers: int, connections: int, time_s: float) -> float:
    """How long connections to a running server are idle at most: between two turns, or after its warm-up.

    Shuffled, a server may come first in one round and last in the next: all others are visited twice in between. Before
    the first round all others are warmed up.
    """
    settle_ns, slice_ns = shortest_slices(Turns.ALL, connections, quick=False, whole_s=None)
    visit_s = (settle_ns + max(slice_ns, METHOD.server_slice_ns) * (1 + METHOD.server_slice_jitter)) / 1e9
    warm_up_s = min(METHOD.max_warm_up_s, METHOD.warm_up_share * time_s) / (servers + 1)  # the first runs twice
    warm_up_s = max(warm_up_s, METHOD.min_long_warm_up_ns / 1e9)
    return servers * (visit_s + max(visit_s, warm_up_s))


def restart_slice_ns(arms: Iterable[Arm], program: str) -> int:
    """The slice in which all copies of a program are restarted; as long for each arm, whose copies may be fewer."""
    copies = max(sum(hop.copies for hop in arm.hops if hop.program == program) for arm in arms)
    return round(1e9 * (METHOD.restart_pause_s * (copies + 1) + METHOD.restart_stop_s * copies))


def whole_least_ns(*, quick: bool, whole_s: int | None) -> int:
    """How short a whole slice may get. The suite's own length stays: it may have to outlast something."""
    if whole_s is not None and not quick:
        return whole_s * 1_000_000_000
    return METHOD.quick_min_whole_slice_ns if quick else METHOD.min_whole_slice_ns


def fit_to_time(planned: PlannedExperiment, share_s: float, *, quick: bool, visit_s_most: float) -> PlannedExperiment:
    """The experiment as it fits into `share_s`; a note says what it goes without.

    No open loop if it would take most of the time of the least number of starts. In a full run slices above the least,
    if the time holds a dozen starts of them; no visit (settling and slice) is longer than `visit_s_most`.
    """
    if not planned.turns.interleave:
        return planned
    needed_s = _open_loop_s(planned, quick=quick) * METHOD.min_starts / METHOD.max_open_loop_share
    if needed_s > share_s:
        needed = f"it needs {needed_s:.0f} s for this experiment, {share_s:.0f} s are given"
        notes = [*planned.notes, f"no open loop: {needed}; --time sets them"]
        planned = msgspec.structs.replace(planned, open_loop_shares=[], open_loop_rates=[], notes=notes)
    if quick:
        return planned
    arms = len(planned.arms)
    block_s = share_s / METHOD.starts_of_long_slices - _open_loop_s(planned, quick=quick)
    overhead_s = METHOD.block_overhead_s_per_arm + METHOD.min_warm_up_ns / 1e9
    visit_s = (block_s / arms - overhead_s) / METHOD.slice_edges / METHOD.min_rounds
    slice_ns = int(max(0.0, min(visit_s, visit_s_most) * 1e9 - planned.settle_ns))
    longer_ns = min(slice_ns, METHOD.max_slice_ns) // METHOD.slice_step_ns * METHOD.slice_step_ns
    return msgspec.structs.replace(planned, slice_ns=max(planned.slice_ns, longer_ns))


def least_time_s(plan: Plan) -> float:
    """About how many seconds the first starts of all stacks take, with the shortest load: without them is no answer.

    An article's own protocol has its own length; a soak is as long as its part of the time.
    """
    if plan.as_published:
        return 0.0
    return sum(_first_block_s(planned, plan) for planned in plan.experiments)


def _first_block_s(planned: PlannedExperiment, plan: Plan) -> float:
    arms = len(planned.arms)
    if planned.turns is Turns.SOAK:
        return planned.soak_s or 0.0
    if planned.turns is Turns.WHOLE:
        load_s = (planned.slice_ns_least or planned.slice_ns) / 1e9
        warm_up_s = plan.warm_up_least_ns / 1e9
    else:
        load_s = METHOD.min_rounds * (planned.settle_ns + planned.slice_ns) / 1e9
        warm_up_s = (plan.warm_up_least_ns if plan.quick else METHOD.min_long_warm_up_ns) / 1e9
    start_s = METHOD.block_overhead_s_per_arm if planned.scope is Scope.STARTS else 0.0
    offered_s = _open_loop_s(planned, quick=plan.quick)
    return arms * (start_s + warm_up_s + load_s * METHOD.slice_edges) + offered_s


def _open_loop_s(planned: PlannedExperiment, *, quick: bool) -> float:
    """About how long the open loop of one block takes, with a round for each load."""
    return open_loop.phase_s(arms=len(planned.arms), loads=planned.loads, settle_ns=planned.settle_ns, quick=quick)
