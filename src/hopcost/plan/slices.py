"""How long an arm settles before a slice, and how long the slice is: by its connections, the turns and the time.

A second, if the time and idle time-outs allow it: each visit costs its settling, and a garbage collection should fit
into a slice. If the time does not hold blocks of the shortest slices, they are as brief as in a quick run.
"""

from __future__ import annotations

import msgspec

from hopcost.plan import open_loop
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.plan.turns import Turns


def shortest_slices(turns: Turns, connections: int, *, brief: bool, whole_s: int | None) -> tuple[int, int]:
    """Settling and slice in ns; in a soak the baseline's. `whole_s` is the suite's whole slice, if it has one."""
    settle_least_ns, slice_least_ns = (
        (METHOD.brief_settle_ns, METHOD.brief_slice_ns) if brief else (METHOD.min_settle_ns, METHOD.min_slice_ns)
    )
    settle_ns = max(settle_least_ns, METHOD.settle_ns_per_connection * connections)
    match turns:
        case Turns.WHOLE:
            return 0, (METHOD.quick_whole_slice_s if brief else whole_s or METHOD.whole_slice_s) * 1_000_000_000
        case Turns.SOAK:
            return settle_ns, max(METHOD.min_soak_slice_ns, settle_ns)
        case _:
            return settle_ns, max(slice_least_ns, settle_ns)


def whole_least_ns(*, brief: bool, whole_s: int | None) -> int:
    """How short a whole slice may get. The suite's own length stays: it may have to outlast something."""
    if whole_s is not None and not brief:
        return whole_s * 1_000_000_000
    return METHOD.quick_min_whole_slice_ns if brief else METHOD.min_whole_slice_ns


def fit_to_time(planned: PlannedExperiment, share_s: float, *, blocks: int, visit_s_most: float) -> PlannedExperiment:
    """The experiment as so many blocks of it fit into `share_s`; a note says what it goes without.

    No open loop if it would take most of the time. Slices of a second, or so short that the least rounds fit; no visit
    (settling and slice) longer than `visit_s_most`; brief slices if not even the shortest fit.
    """
    if not planned.turns.interleave:
        return planned
    open_s = _open_loop_s(planned) * blocks
    if open_s > share_s * METHOD.max_open_loop_share:
        needed = f"it needs {open_s / METHOD.max_open_loop_share:.0f} s for this experiment, {share_s:.0f} s are given"
        notes = [*planned.notes, f"no open loop: {needed}; --time sets them"]
        planned, open_s = msgspec.structs.replace(planned, open_loop_shares=[], notes=notes), 0.0
    arms = len(planned.arms)
    overhead_s = METHOD.block_overhead_s_per_arm + METHOD.min_warm_up_ns / 1e9
    load_s = ((share_s - open_s) / blocks / arms - overhead_s) / METHOD.slice_edges  # of an arm in a block
    if load_s * 1e9 < METHOD.min_rounds * (planned.settle_ns + planned.slice_ns) and not planned.open_loop_shares:
        return _brief(planned, share_s, blocks)
    slice_ns = int(max(0.0, min(load_s / METHOD.min_rounds, visit_s_most) * 1e9 - planned.settle_ns))
    longer_ns = min(slice_ns, METHOD.max_slice_ns) // METHOD.slice_step_ns * METHOD.slice_step_ns
    return msgspec.structs.replace(planned, slice_ns=max(planned.slice_ns, longer_ns))


def are_short(planned: PlannedExperiment) -> bool:
    """Whether its slices are shorter than those that are fair to all arms: in a quick run, or for want of time."""
    return planned.turns.interleave and planned.slice_ns < METHOD.min_slice_ns


def _brief(planned: PlannedExperiment, share_s: float, blocks: int) -> PlannedExperiment:
    """With the slices of a quick run, if they are shorter; a note says so."""
    settle_ns, slice_ns = shortest_slices(planned.turns, planned.workload.connections, brief=True, whole_s=None)
    if slice_ns >= planned.slice_ns:
        return planned
    note = (
        f"slices of {slice_ns // 1_000_000} ms, in which hops look up to 8 % better: {share_s:.0f} s do not hold"
        f" {blocks} blocks of longer ones; --time sets them"
    )
    return msgspec.structs.replace(planned, settle_ns=settle_ns, slice_ns=slice_ns, notes=[*planned.notes, note])


def _open_loop_s(planned: PlannedExperiment) -> float:
    """About how long the open loop of one block takes, with a round for each load."""
    return open_loop.phase_s(
        arms=len(planned.arms),
        loads=len(planned.open_loop_shares),
        settle_ns=planned.settle_ns,
        warm_up_ns=METHOD.min_warm_up_ns,
        rounds=1,
    )
