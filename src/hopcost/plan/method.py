"""The one table of the method's constants: docs, help texts and messages are made of it.

Standard library only: `--help` reads it, and must answer at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TypeVar

T = TypeVar("T")


def constant(value: T, unit: str, meaning: str) -> T:
    """A field of the table; the unit is empty for shares and factors."""
    return field(default=value, metadata={"unit": unit, "meaning": meaning})


@dataclass(frozen=True)
class Method:
    """What the method is, in numbers.

    Two records of one `number` can be compared. Raise it if the same stacks, under the same load, would read otherwise
    than before: another estimator, other slices, other accounts. What a suite or an option changes is in the plan; it
    needs no number. Raise `engine` if the engine would send, time or count the same plan otherwise than before.
    `make truth` sets aside the runs of other numbers.
    """

    number: int = 3
    engine: int = 2

    # Shorter slices flatter hops by 4 to 8 % (docs/explain/method-why.md).
    min_slice_ns: int = constant(
        300_000_000, "ns", "length of a slice at the least; not shorter than the settling before it"
    )
    max_slice_ns: int = constant(600_000_000, "ns", "and at most, if the time is long; or as long as the settling")
    slice_step_ns: int = constant(50_000_000, "ns", "slices are whole multiples of this")
    # Visits of one length fall into step with a garbage collector (docs/explain/method-why.md).
    slice_jitter: float = constant(0.5, "of it", "that the slices of single rounds are longer or shorter at most")
    # Few and fixed, so that looking costs a known error.
    first_looks: tuple[int, ...] = constant(
        (6, 8), "blocks", "after which a run looks at its widths; then after 2, 4, 8 … times as many"
    )
    # Simulated: with 5 % at each look intervals cover 93 %, with this 95 % (docs/explain/method-why.md).
    look_error: float = constant(
        0.035, "", "error of all arms together if a run ends at a look, since it is precise enough"
    )
    # Each look may err as often as this, and the end as often as that: 5 % in all, however they hang together.
    decision_looks: tuple[int, ...] = constant(
        (4, 8, 16), "blocks", "after which `--until decided` asks which way arms differ"
    )
    decision_error: float = constant(0.01, "", "error of all arms together at each of these looks")
    undecided_error: float = constant(0.02, "", "and at the end of the time, if some arm stayed open")
    min_settle_ns: int = constant(300_000_000, "ns", "load before each slice that does not count, at the least")
    settle_ns_per_connection: int = constant(300_000, "ns", "and for each connection, if that is more")
    # With 1000 connections and a pool of 300 a thawed nginx is 13 % faster for a second (docs/explain/method-why.md).
    settle_ns_per_first_connection: int = constant(
        1_500_000, "ns", "and for each of the first connections, if that is more"
    )
    first_connections: int = constant(1000, "connections", "how many of them are the first ones")
    whole_slice_s: int = constant(
        10, "s", "length of a whole slice (one arm alive at a time), unless the suite says otherwise"
    )
    quick_whole_slice_s: int = constant(2, "s", "the same with `--quick`")
    min_whole_slice_ns: int = constant(
        2_000_000_000, "ns", "length of a whole slice that is shortened because the time is short, at the least"
    )
    quick_min_whole_slice_ns: int = constant(1_000_000_000, "ns", "the same with `--quick`")
    min_soak_slice_ns: int = constant(250_000_000, "ns", "length of a slice of a soak's baseline at the least")
    quick_soak_s: int = constant(45, "s", "length of a soak with `--quick`")
    soak_share: float = constant(0.9, "", "share of a soak's time in which its arm is loaded")
    # More starts tell more than more rounds, as soon as starts differ.
    max_block_s: float = constant(40.0, "s", "load in the closed loop of a block at most")
    min_starts: int = constant(4, "blocks", "that there are at least, if the time holds them")
    starts_of_long_slices: int = constant(12, "blocks", "that the time must hold for slices above the least")
    # Of both, before the first block has shown more.
    usual_spread: float = constant(0.03, "of the ratio", "by which starts differ, and rounds, as far as nobody knows")
    precision: float = constant(0.03, "of the ratio", "half-width of every ratio at which a run stops")
    full_time_s: float = constant(1800.0, "s", "time for all experiments, unless `--time` says otherwise")
    full_s_per_weight: float = constant(120.0, "s", "as much for each weight of an experiment, if that is more in all")
    # Three minutes with what comes before and after.
    quick_time_s: float = constant(174.0, "s", "the same with `--quick`")
    min_warm_up_ns: int = constant(300_000_000, "ns", "shortest warm-up of an arm in a block")
    max_warm_up_ns: int = constant(3_000_000_000, "ns", "longest warm-up")
    # FastCGI needed up to 7 s with 5,000.
    warm_up_ns_per_connection: int = constant(1_000_000, "ns", "and for each connection, that much more")
    warm_up_ns_per_slow_client: int = constant(
        20_000_000, "ns", "of any warm-up, for each slow client: all of them ask at once, and the fast ones wait"
    )
    quick_warm_up_ns: int = constant(200_000_000, "ns", "shortest warm-up with `--quick`")
    block_overhead_s_per_arm: float = constant(0.2, "s", "start, check and stop of an arm, before a block has shown it")
    slice_edges: float = constant(1.03, "times", "its load that a slice takes: freezing, reading counters")
    min_hosts: int = constant(
        5, "sites", "of a fleet, from which on intervals are over their means; with fewer they are of these machines"
    )
    min_rounds: int = constant(2, "rounds", "of a block")
    # Servers that run already. What one does after its slice falls into the settling of the next, if slices are long.
    server_slice_ns: int = constant(
        1_050_000_000, "ns", "length of a slice of `hopcost vs` at the least, on the mean over rounds"
    )
    server_slice_jitter: float = constant(0.04, "of it", "that those of single rounds are longer or shorter at most")
    batch_rounds: int = constant(8, "rounds", "of a batch of `hopcost vs`, if the time holds four such batches")
    suspect_background_share: float = constant(
        0.03, "", "share of a core that a server uses while others are loaded; above, if not frozen: suspect"
    )
    max_background_share: float = constant(0.10, "", "the same; above: void")
    # gunicorn drops idle connections after 2 s, Node and uvicorn after 5, others after 60 or never.
    max_idle_watch_s: float = constant(
        20.0, "s", "that idle connections to running servers are watched, to see whether they outlast others' turns"
    )
    # docs/explain/truth.md, "Not freezing": the largest of the medians over 15 pairs of runs. That is known to ± 10 %.
    not_frozen_bias: float = constant(
        0.012, "of the ratio", "by which figures of servers that are not frozen were off, in the median run"
    )
    steady_share: float = constant(
        0.4, "", "share of the pilot's warm-up, at its end, without a change: else no steady state"
    )
    small_change: float = constant(0.02, "", "change of CPU per request in the warm-up for which nobody waits")
    # Node took 5,000 for each worker until its compiler was done; PM2 runs two.
    warm_up_requests: int = constant(10_000, "requests", "answered by an arm in its warm-up at the least")
    max_warm_up_s: float = constant(20.0, "s", "that the warm-ups of all arms in a block may take for so many requests")
    warm_up_share: float = constant(0.1, "", "share of an experiment's time that they may take for them in each block")
    # Twice its mean effect on a figure.
    max_fall: float = constant(
        0.02, "", "fall of an arm's CPU per request over the rounds of a start; above, if significant: not steady"
    )
    steady_error: float = constant(0.01, "", "error with which an arm that is steady is called not steady")
    # Six starts in order happen by chance in 1 of 360, five in 1 of 60.
    min_starts_of_trend: int = constant(6, "starts", "from which an arm is looked at for a ratio that moves")
    trend_error: float = constant(0.02, "", "error with which the ratio of an arm whose starts are alike moves")
    confidence_error: float = constant(0.05, "", "error of all looks and all arms of an experiment together")
    min_margin: float = constant(0.02, "of the ratio", "margin of verdicts, unless `--margin` says otherwise")
    aa_error: float = constant(0.01, "", "error with which a run's A/A arms are judged, together")
    min_blocks: int = constant(2, "blocks", "valid ones without which there is no verdict")
    # With fewer it is luck which samples there are.
    min_samples_beyond: int = constant(100, "samples", "beyond a quantile that is shown")
    # The interval over blocks shows how the quantile scatters.
    min_samples_beyond_in_block: int = constant(20, "samples", "beyond one of a block that enters an interval")
    open_loop_shares: tuple[float, ...] = constant(
        (0.25, 0.5), "", "offered loads, as shares of the slowest arm's throughput; the second with `--loads 2` only"
    )
    # Its programs are warm; the settling right before the slice is for its new connections.
    open_warm_up_ns: int = constant(10_000_000, "ns", "load on an arm's new connections before an offered load")
    # More would leave too little for the closed loop.
    max_open_loop_share: float = constant(
        0.6, "", "share of an experiment's time that the open loop may take; with less time there is none"
    )
    min_open_slice_ns: int = constant(
        1_000_000_000, "ns", "length of the one slice of an arm under an offered load, at the least"
    )
    # More starts tell more than longer slices.
    quick_open_slice_ns: int = constant(500_000_000, "ns", "the same with `--quick`")
    stalls_per_slice: int = constant(20, "", "times the longest stall of the generator's cores that it is at the least")
    max_open_slice_ns: int = constant(4_000_000_000, "ns", "and at most; if it ought to be longer the block is suspect")
    stall_look_ns: int = constant(
        500_000_000, "ns", "how long each of the generator's cores is looked at for stalls, before a block"
    )
    # A neighbour on one of two cores once turned 1.5 into 0.48.
    max_foreign_share: float = constant(
        0.10, "", "share of the time of the cores in use that other programs took; above: void"
    )
    suspect_foreign_share: float = constant(0.03, "", "the same; from here the block is suspect")
    max_programs_named: int = constant(5, "programs", "of others that a block's record names")
    quiet_wait_s: float = constant(
        60.0, "s", "that a run waits before its first block while other programs take more than would void a block"
    )
    max_steal_share: float = constant(
        0.05, "", "share of the time of the cores in use that the hypervisor kept; above: void"
    )
    max_throttled_share: float = constant(0.001, "", "share of a block's time that a CPU quota held it up; above: void")
    # 1 MiB, as an idle program may cause.
    max_swapped_pages: int = constant(256, "pages", "swapped in and out during a block; above: void")
    max_clock_step_ns: int = constant(5_000_000, "ns", "step of the wall clock during a block; above: void")
    # On a quiet machine it came to 1.4 % at most.
    max_run_delay_share: float = constant(
        0.03, "", "share of an arm's slices for which the generator waited for its cores; above: suspect"
    )
    max_little_error: float = constant(0.02, "", "service times off from requests in flight over time; above: void")
    min_little_answers: int = constant(1000, "answers", "with fewer that is not judged")
    # A request that failed has no time.
    max_little_errors: float = constant(0.001, "", "errors per answer; with more that is not judged")
    # A hundred beyond p99.
    min_tail_answers: int = constant(10_000, "answers", "with fewer nobody asks whether the mean is above p99")
    # A slower slice is a stall, not the arm's way.
    stall_factor: float = constant(2.0, "", "times the median slice's mean time in flight that makes a slice a stall")
    full_share: float = constant(0.95, "", "share of its cores at which the generator is full")
    min_idle_share: float = constant(0.05, "", "share of its cores above which a stack is idle")
    # A virtual machine's own pauses came to 2 %.
    max_late_share: float = constant(
        0.05, "", "share of due requests sent over 1 ms late though a connection was free; above: that load is void"
    )
    max_missed_share: float = constant(
        0.01, "", "share of due requests never sent; above: that load is void, or the arm's result"
    )
    # Errors may be cheap answers.
    max_error_share: float = constant(0.001, "", "errors per answer from which an arm's throughput has no verdict")
    uneven_factor: float = constant(1.5, "", "times its even share at which a worker's CPU time is uneven")
    # A list of thousands says nothing of an even share.
    max_workers_listed: int = constant(64, "workers", "of one hop whose CPU times are listed")
    # With more, opening takes too long, and luck evens out by itself.
    max_reopened_connections: int = constant(
        1000, "connections", "that are opened anew before each round if the first hop has several workers; not more"
    )
    whole_worker_share: float = constant(
        0.9, "", "share of a hop's CPU time at which one of its workers has everything"
    )
    max_void_blocks: int = constant(
        3, "blocks", "void blocks that are done again, or as many as are valid; with one more the experiment fails"
    )
    long_warm_up_share: float = constant(0.05, "", "share of the time left that the long warm-ups of all arms may take")
    min_long_warm_up_ns: int = constant(1_000_000_000, "ns", "length of a long warm-up at the least")
    # In one alone a change may be the machine's.
    warm_up_starts: int = constant(2, "starts", "that decide how long warm-ups are")
    restart_pause_s: float = constant(2.0, "s", "of load before, between and after restarts")
    restart_stop_s: float = constant(
        1.0, "s", "that the load lasts longer for each copy, besides twice its first start: to stop it"
    )
    restart_patience_s: float = constant(
        15.0, "s", "that visitors go on after restarts until one is answered; nginx leaves a failed app alone for 10 s"
    )
    visit_every_s: float = constant(0.01, "s", "from one visitor to the next, while copies are restarted")
    spare_files: int = constant(256, "files", "that a process may open besides its connections")
    # Frozen for longer, an arm would lose connections.
    idle_share: float = constant(0.5, "", "share of an idle time-out for which an arm may stay frozen")
    first_port: int = constant(10_000, "", "listening ports begin here")
    last_port: int = constant(65_000, "", "and end before this")
    ready_s: float = constant(10.0, "s", "a program must accept connections within")
    app_ready_s: float = constant(30.0, "s", "the user's own app, unless the suite says otherwise")
    # An app may listen for its own helpers or a debugger before it does for requests.
    listens_elsewhere_s: float = constant(
        3.0, "s", "that an app may listen elsewhere only, before it is taken for not doing what it was told"
    )
    ready_s_per_child: float = constant(0.01, "s", "and for each child process, that much more")


METHOD = Method()


def table() -> list[tuple[str, object, str, str]]:
    """Name, value, unit and meaning of each constant; `number` and `engine` only tell one method from another."""
    rows = [(row.name, getattr(METHOD, row.name), row.metadata) for row in fields(Method) if row.metadata]
    return [(name, value, metadata["unit"], metadata["meaning"]) for name, value, metadata in rows]
