"""One experiment on this machine: its arms, its connections, how arms take turns, how long slices are."""

from __future__ import annotations

import msgspec

from hopcost.errors import CannotMeasure
from hopcost.plan import open_loop, slices, turns
from hopcost.plan.arms import arms_here, copy_of_baseline
from hopcost.plan.cores import place_cores
from hopcost.plan.groups import in_groups
from hopcost.plan.method import METHOD
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import PlannedArm, PlannedExperiment, Point
from hopcost.plan.turns import (
    Scope,
    Turns,
    TurnsChosen,
    choose_turns,
    why_idle_not_interleaved,
    why_no_lower_load,
    why_not_interleaved,
    why_opened_each_turn,
)
from hopcost.plan.until import Until
from hopcost.programs.generators.engine_plan import accepts_gzip
from hopcost.programs.generators.peers import BY_NAME
from hopcost.suites.arms.arm import COPY_SUFFIX, Arm, Settings
from hopcost.suites.arms.server import RunningServer
from hopcost.suites.experiments.experiment import Experiment, Slices
from hopcost.suites.suite import Suite


def decide_experiment(
    suite: Suite, experiment: Experiment, point: Point | None, options: RunOptions, limits: MachineLimits
) -> list[PlannedExperiment]:
    """The experiment as it runs here, one for each group of its arms; CannotMeasure if it cannot."""
    protocol = experiment.as_published if options.as_published else None
    peer = protocol.peer if protocol is not None else options.peer
    if peer is not None and peer in limits.missing_peers:
        raise CannotMeasure(f"{peer} is not installed", limits.missing_peers[peer])
    if peer is not None:
        gzip = accepts_gzip(experiment.workload.header_fields)
        BY_NAME[peer].refuse_unable(experiment.workload.requests_per_connection, accepts_gzip=gzip)
        if experiment.workload.beside:
            raise CannotMeasure(f"{peer} has no slow clients and no idle connections", "hopcost's own engine has them")
        if experiment.restart is not None:
            raise CannotMeasure(f"{peer} cannot load what is restarted", "hopcost's own engine can")
        if any(hop.link.is_http2 for arm in experiment.arms for hop in suite.arms[arm].hops[:1]):
            raise CannotMeasure(f"{peer} is driven over HTTP/1.1 alone, and an arm is reached over http2+tls")
    if limits.generator is not None and experiment.restart is not None:
        raise CannotMeasure("a restart is watched by visitors on the stacks' machine", "measure it without --on")
    cores = place_cores(experiment.placement, limits.allowed_cores, limits.siblings, limits.generator)
    kept, left_out, notes = arms_here(suite, experiment, limits.installed, limits.generator)
    baseline = experiment.baseline if experiment.baseline in kept else kept[0]
    if baseline != experiment.baseline:
        notes.append(f"the baseline {experiment.baseline} is left out; {baseline} takes its place")
        if experiment.published:
            notes.append(f"published ratios are to {experiment.control}, ours to {baseline}: do not compare them")
    here = len(limits.allowed_cores)
    if here < experiment.needs_cores:
        notes.append(
            f"too few cores for the published conditions: {here} here, {experiment.needs_cores} needed"
            f" ({experiment.needs_cores_because})"
        )
    if cores.shared:
        notes.append("the generator shares a core with the stack: throughput includes the load generator's CPU")
    arms = [PlannedArm(name=name, arm=experiment.surrounded(suite.arms[name])) for name in kept]
    copy = copy_of_baseline(experiment.surrounded(suite.arms[baseline]))
    arms.append(PlannedArm(name=baseline + COPY_SUFFIX, arm=copy, copy_of=baseline))
    notes += _shared_services([arm.arm for arm in arms])
    if experiment.workload.beside:
        notes.append("the CPU time per request has in it what slow clients and idle connections cost")
    fitting = _turns(experiment, [arm.arm for arm in arms], options, limits)
    settle_ns, slice_ns = _shortest(fitting, experiment, options)
    scope = Scope.STARTS if arms[0].arm.server is None else Scope.PROCESSES
    if scope is Scope.PROCESSES:
        slice_ns = max(slice_ns, METHOD.server_slice_ns)
    whole_least_ns = slices.whole_least_ns(quick=options.quick, whole_s=experiment.slice_s)
    if experiment.restart is not None:
        slice_ns = slices.restart_slice_ns([arm.arm for arm in arms], experiment.restart.program)
        whole_least_ns = slice_ns
    asked = experiment.workload.connections
    notes += fitting.notes
    has_open_loop, why_none = _open_loop(experiment, [arm.arm for arm in arms], options, limits, fitting)
    notes += why_none
    rates = [*(options.rates or experiment.rates)]
    protocol_connections = None
    if protocol is not None:
        proxied = any(len(arm.arm.hops) > 1 for arm in arms)
        alone = choose_turns(
            connections=protocol.connections or asked,
            arms=1,
            through_proxies=proxied,
            open_files=limits.open_files,
            wanted=Turns.WHOLE,
            beside=experiment.workload.beside,
        )
        protocol_connections = alone.connections
        notes += [note for note in alone.notes if note not in notes]
    planned = PlannedExperiment(
        name=experiment.name,
        question=experiment.question,
        baseline=baseline,
        arms=arms,
        cores=cores,
        workload=msgspec.structs.replace(experiment.workload, connections=fitting.connections),
        settle_ns=settle_ns,
        slice_ns=slice_ns,
        settings=experiment.settings,
        left_out=left_out,
        notes=notes,
        published=experiment.published,
        published_conditions=experiment.published_conditions,
        control=experiment.control,
        turns=fitting.turns,
        slice_jitter=_jitter(fitting.turns, scope),
        scope=scope,
        opened_each_turn=_why_opened_each_turn([arm.arm for arm in arms], fitting.connections, options),
        slice_ns_least=whole_least_ns if fitting.turns is Turns.WHOLE else None,
        connections_asked=asked if asked != fitting.connections else None,
        point=point,
        soak_asked_s=None if experiment.soak is None or options.one_arm_at_a_time else experiment.soak.length_s,
        as_published=protocol,
        protocol_connections=protocol_connections,
        open_loop_shares=[*METHOD.open_loop_shares[: options.loads]] if has_open_loop and not rates else [],
        open_loop_rates=rates if has_open_loop else [],
        weight=experiment.weight,
        restart=experiment.restart,
        table=experiment.table,
    )
    return in_groups(planned, fitting.together)


def _open_loop(
    experiment: Experiment, arms: list[Arm], options: RunOptions, limits: MachineLimits, fitting: TurnsChosen
) -> tuple[bool, list[str]]:
    """Whether offered loads follow the closed loop, and notes; not if they mean nothing.

    A connection per request spends its time on opening, and ports, not on a schedule; whole slices and soaks have their
    own ends; other generators have no open loop that could be compared. Its slices are longer than the closed loop's,
    so that a program may drop the connections of an arm that is frozen meanwhile.
    """
    in_turns = fitting.turns.interleave
    kept = experiment.workload.requests_per_connection is None
    is_wanted = experiment.open_loop and not options.one_arm_at_a_time and options.until is Until.PRECISION
    if not (is_wanted and in_turns and kept):
        return False, []
    why_none = why_no_lower_load(_servers(arms), fitting.connections)
    if why_none is not None:
        return False, [why_none]
    settle_ns, _ = _shortest(fitting, experiment, options)
    note = why_not_interleaved(
        arms=fitting.together,
        visit_ns=settle_ns + open_loop.least_slice_ns(quick=options.quick),
        idle_timeout_s=_idle_timeouts(experiment.settings, arms, limits),
        so="no open loop",
    )
    return (True, []) if note is None else (False, [note])


def _turns(experiment: Experiment, arms: list[Arm], options: RunOptions, limits: MachineLimits) -> TurnsChosen:
    """How arms take turns: as the suite says, else as open files and idle time-outs allow."""
    wanted = Turns.SOAK if experiment.soak is not None else Turns.ALL
    if options.one_arm_at_a_time or experiment.slices is Slices.WHOLE or experiment.restart is not None:
        wanted = Turns.WHOLE
    chosen = choose_turns(
        connections=experiment.workload.connections,
        arms=len(arms),
        through_proxies=any(len(arm.hops) > 1 for arm in arms),
        open_files=limits.open_files,
        wanted=wanted,
        beside=experiment.workload.beside,
    )
    if not chosen.turns.interleave:
        return chosen
    settle_ns, slice_ns = _shortest(chosen, experiment, options)
    timeouts = _idle_timeouts(experiment.settings, arms, limits)
    note = why_not_interleaved(arms=chosen.together, visit_ns=settle_ns + slice_ns, idle_timeout_s=timeouts)
    idle = experiment.workload.idle_connections
    if note is None and idle is not None and idle.number:
        note = why_idle_not_interleaved(arms=chosen.together, every_s=idle.every_ns / 1e9, idle_timeout_s=timeouts)
    if note is None:
        return chosen
    return msgspec.structs.replace(chosen, turns=Turns.WHOLE, notes=[*chosen.notes, note], together=len(arms))


def _idle_timeouts(settings: Settings, arms: list[Arm], limits: MachineLimits) -> dict[str, float]:
    """The smallest idle time-out of each program that has one, in s."""
    timeouts: dict[str, float] = {}
    for arm in arms:
        for hop in arm.hops:
            if hop.app is not None:
                seconds = hop.app.idle_timeout_s
            elif hop.configuration is not None:
                seconds = hop.configuration.idle_timeout_s
            else:
                seconds = limits.idle_timeout_s(hop.program, hop.settings_over(settings))
            if seconds:
                timeouts[hop.program] = min(seconds, timeouts.get(hop.program, seconds))
    return timeouts


def _servers(arms: list[Arm]) -> list[RunningServer]:
    return [arm.server for arm in arms if arm.server is not None]


def _why_opened_each_turn(arms: list[Arm], connections: int, options: RunOptions) -> list[str]:
    """Why connections live for one turn only; never those to programs, which stand still between their turns."""
    servers = _servers(arms)
    if not servers:
        return []
    time_s = METHOD.full_time_s if options.time_s is None else options.time_s
    gap_s = slices.longest_gap_s(servers=len(servers) - 1, connections=connections, time_s=time_s)
    return why_opened_each_turn(servers, gap_s)


def _shared_services(arms: list[Arm]) -> list[str]:
    """One note if apps use services outside their stacks."""
    needs = dict.fromkeys(need for arm in arms for hop in arm.hops if hop.app is not None for need in hop.app.needs)
    if not needs:
        return []
    return [f"all stacks share {', '.join(needs)}: what one leaves there, the others find"]


def _jitter(turns: Turns, scope: Scope) -> float:
    """By what share slices are longer or shorter at most; of running servers none is much below a second."""
    if turns is Turns.WHOLE:
        return 0.0
    return METHOD.slice_jitter if scope is Scope.STARTS else METHOD.server_slice_jitter


def _shortest(fitting: TurnsChosen, experiment: Experiment, options: RunOptions) -> tuple[int, int]:
    """Settling and slice in ns, before anything is known of the time."""
    return slices.shortest_slices(fitting.turns, fitting.connections, quick=options.quick, whole_s=experiment.slice_s)


def set_soak_length(planned: PlannedExperiment, share_s: float, options: RunOptions) -> PlannedExperiment:
    """A soak with its length: what the options ask for, else the article's if the time allows it."""
    if planned.soak_asked_s is None:
        return planned
    here_s = options.soak_length_s
    if here_s is None:
        here_s = min(planned.soak_asked_s, METHOD.quick_soak_s if options.quick else share_s, share_s)
    notes = planned.notes
    if here_s < planned.soak_asked_s:
        notes = [*notes, f"{planned.soak_asked_s} s published, {here_s:.0f} s here; --soak-length sets it"]
    return msgspec.structs.replace(planned, soak_s=float(here_s), notes=notes)


def fit_to_share(
    planned: PlannedExperiment, share_s: float, options: RunOptions, limits: MachineLimits
) -> PlannedExperiment:
    """The experiment with lengths that let enough starts fit into `share_s`, and no idle connection time out."""
    timeouts = _idle_timeouts(planned.settings, [arm.arm for arm in planned.arms], limits)
    visit_s_most = turns.visit_s_most(arms=len(planned.arms), idle_timeout_s=timeouts)
    return slices.fit_to_time(planned, share_s, quick=options.quick, visit_s_most=visit_s_most)
