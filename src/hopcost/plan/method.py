"""The one table of the method's constants: docs, help texts and messages are made of it."""

from __future__ import annotations

from typing import Annotated

import msgspec


class Method(msgspec.Struct, frozen=True):
    """What the method is, in numbers; `extra` has the unit of each.

    Two records of one `number` can be compared. Raise it if the same stacks, under the same load, would read otherwise
    than before: another estimator, other slices, other accounts. What a suite or an option changes is in the plan; it
    needs no number. Raise `engine` if the engine would send, time or count the same plan otherwise than before.
    `make truth` sets aside the runs of other numbers.
    """

    number: int = 2
    engine: int = 1

    # Shorter slices flatter hops by 4 to 8 % (docs/methodology.md).
    min_slice_ns: Annotated[
        int,
        msgspec.Meta(
            description="length of a slice at the least; not shorter than the settling before it", extra={"unit": "ns"}
        ),
    ] = 300_000_000
    max_slice_ns: Annotated[
        int,
        msgspec.Meta(
            description="and at most, where the time is long; or as long as the settling", extra={"unit": "ns"}
        ),
    ] = 1_000_000_000
    slice_step_ns: Annotated[
        int, msgspec.Meta(description="slices are whole multiples of this", extra={"unit": "ns"})
    ] = 50_000_000
    # Visits of one length fall into step with a garbage collector (docs/methodology.md).
    slice_jitter: Annotated[
        float,
        msgspec.Meta(
            description="that the slices of single rounds are longer or shorter at most", extra={"unit": "of it"}
        ),
    ] = 0.5
    # Few and fixed, so that looking costs a known error.
    looks: Annotated[
        tuple[int, ...],
        msgspec.Meta(
            description="looks of a full run; the last is the most blocks. A quick run has the first alone",
            extra={"unit": "blocks"},
        ),
    ] = (6, 10, 16, 24)
    min_settle_ns: Annotated[
        int, msgspec.Meta(description="load before each slice that does not count, at the least", extra={"unit": "ns"})
    ] = 300_000_000
    brief_slice_ns: Annotated[
        int,
        msgspec.Meta(
            description="length of a slice with `--quick`, and where the time holds no six blocks", extra={"unit": "ns"}
        ),
    ] = 100_000_000
    brief_settle_ns: Annotated[int, msgspec.Meta(description="and of the settling before it", extra={"unit": "ns"})] = (
        100_000_000
    )
    settle_ns_per_connection: Annotated[
        int, msgspec.Meta(description="and for each connection, where that is more", extra={"unit": "ns"})
    ] = 300_000
    whole_slice_s: Annotated[
        int,
        msgspec.Meta(
            description="length of a whole slice (one arm alive at a time), unless the suite says otherwise",
            extra={"unit": "s"},
        ),
    ] = 10
    quick_whole_slice_s: Annotated[int, msgspec.Meta(description="the same with `--quick`", extra={"unit": "s"})] = 2
    min_whole_slice_ns: Annotated[
        int,
        msgspec.Meta(
            description="length of a whole slice that is shortened because the time is short, at the least",
            extra={"unit": "ns"},
        ),
    ] = 2_000_000_000
    quick_min_whole_slice_ns: Annotated[
        int, msgspec.Meta(description="the same with `--quick`", extra={"unit": "ns"})
    ] = 1_000_000_000
    min_soak_slice_ns: Annotated[
        int, msgspec.Meta(description="length of a slice of a soak's baseline at the least", extra={"unit": "ns"})
    ] = 250_000_000
    quick_soak_s: Annotated[int, msgspec.Meta(description="length of a soak with `--quick`", extra={"unit": "s"})] = 45
    soak_share: Annotated[float, msgspec.Meta(description="share of a soak's time in which its arm is loaded")] = 0.9
    # Longer blocks would leave too few of them in a budget.
    max_block_s: Annotated[float, msgspec.Meta(description="load in a block at most", extra={"unit": "s"})] = 40.0
    target_width: Annotated[
        float, msgspec.Meta(description="half-width at which a full run stops", extra={"unit": "of the ratio"})
    ] = 0.01
    full_budget_s: Annotated[
        float,
        msgspec.Meta(description="time for all experiments, unless `--budget` says otherwise", extra={"unit": "s"}),
    ] = 1800.0
    full_s_per_weight: Annotated[
        float,
        msgspec.Meta(
            description="as much for each weight of an experiment, where that is more in all", extra={"unit": "s"}
        ),
    ] = 120.0
    quick_budget_s: Annotated[float, msgspec.Meta(description="the same with `--quick`", extra={"unit": "s"})] = 108.0
    # Under three minutes with what comes before.
    quick_few_experiments: Annotated[
        int, msgspec.Meta(description="that share this time; more have the next", extra={"unit": "experiments"})
    ] = 3
    quick_budget_s_of_many: Annotated[
        float, msgspec.Meta(description="the time with `--quick` for more experiments", extra={"unit": "s"})
    ] = 165.0
    min_warm_up_ns: Annotated[
        int, msgspec.Meta(description="shortest warm-up of an arm in a block", extra={"unit": "ns"})
    ] = 300_000_000
    max_warm_up_ns: Annotated[int, msgspec.Meta(description="longest warm-up", extra={"unit": "ns"})] = 3_000_000_000
    # FastCGI needed up to 7 s with 5,000.
    warm_up_ns_per_connection: Annotated[
        int, msgspec.Meta(description="and for each connection, that much more", extra={"unit": "ns"})
    ] = 1_000_000
    quick_warm_up_ns: Annotated[int, msgspec.Meta(description="warm-up with `--quick`", extra={"unit": "ns"})] = (
        400_000_000
    )
    block_overhead_s_per_arm: Annotated[
        float,
        msgspec.Meta(description="start, check and stop of an arm, before a block has shown it", extra={"unit": "s"}),
    ] = 0.2
    slice_edges: Annotated[
        float,
        msgspec.Meta(description="its load that a slice takes: freezing, reading counters", extra={"unit": "times"}),
    ] = 1.03
    min_rounds: Annotated[int, msgspec.Meta(description="of a block", extra={"unit": "rounds"})] = 2
    steady_share: Annotated[
        float,
        msgspec.Meta(description="share of the pilot's warm-up, at its end, without a change: else no steady state"),
    ] = 0.4
    small_change: Annotated[
        float, msgspec.Meta(description="change of CPU per request in the warm-up for which nobody waits")
    ] = 0.02
    confidence_error: Annotated[
        float, msgspec.Meta(description="error of all looks and all arms of an experiment together")
    ] = 0.05
    min_margin: Annotated[
        float,
        msgspec.Meta(
            description="margin of verdicts, unless `--margin` says otherwise", extra={"unit": "of the ratio"}
        ),
    ] = 0.02
    aa_error: Annotated[float, msgspec.Meta(description="error with which a run's A/A arms are judged, together")] = (
        0.01
    )
    min_blocks: Annotated[
        int, msgspec.Meta(description="valid ones without which there is no verdict", extra={"unit": "blocks"})
    ] = 3
    # With fewer it is luck which samples there are.
    min_samples_beyond: Annotated[
        int, msgspec.Meta(description="beyond a quantile that is shown", extra={"unit": "samples"})
    ] = 100
    # The interval over blocks shows how the quantile scatters.
    min_samples_beyond_in_block: Annotated[
        int, msgspec.Meta(description="beyond one of a block that enters an interval", extra={"unit": "samples"})
    ] = 20
    # Further apart, p99 is the machine's.
    max_p99_quotient: Annotated[
        float,
        msgspec.Meta(
            description="that the p99 of the baseline's two runs may differ for p99 to be shown",
            extra={"unit": "times"},
        ),
    ] = 1.2
    # Enough rounds to see how they spread.
    pilot_s: Annotated[
        float, msgspec.Meta(description="load in the first block of a full run at most", extra={"unit": "s"})
    ] = 12.0
    open_loop_shares: Annotated[
        tuple[float, ...],
        msgspec.Meta(description="offered loads of the open loop, as shares of the slowest arm's throughput"),
    ] = (0.25, 0.5)
    # More would leave too little for the closed loop.
    max_open_loop_share: Annotated[
        float,
        msgspec.Meta(
            description="share of an experiment's time that the open loop may take; with less time there is none"
        ),
    ] = 0.6
    min_open_slice_ns: Annotated[
        int, msgspec.Meta(description="length of a slice of the open loop at the least", extra={"unit": "ns"})
    ] = 1_000_000_000
    stalls_per_slice: Annotated[
        int, msgspec.Meta(description="times the longest stall of the generator's cores that it is at the least")
    ] = 20
    max_open_slice_ns: Annotated[
        int,
        msgspec.Meta(description="and at most; where it ought to be longer the block is suspect", extra={"unit": "ns"}),
    ] = 4_000_000_000
    open_phase_ns: Annotated[
        int,
        msgspec.Meta(
            description="slices of the open loop for each arm and offered load in a full block", extra={"unit": "ns"}
        ),
    ] = 2_000_000_000
    stall_look_ns: Annotated[
        int,
        msgspec.Meta(
            description="how long each of the generator's cores is looked at for stalls, before a block",
            extra={"unit": "ns"},
        ),
    ] = 500_000_000
    max_foreign_share: Annotated[
        float, msgspec.Meta(description="share of CPU time that other programs took; above it the block is suspect")
    ] = 0.03
    max_steal_share: Annotated[
        float, msgspec.Meta(description="share of the time of the cores in use that the hypervisor kept; above: void")
    ] = 0.05
    max_throttled_share: Annotated[
        float, msgspec.Meta(description="share of a block's time that a CPU quota held it up; above: void")
    ] = 0.001
    # 1 MiB, as an idle program may cause.
    max_swapped_pages: Annotated[
        int, msgspec.Meta(description="swapped in and out during a block; above: void", extra={"unit": "pages"})
    ] = 256
    max_clock_step_ns: Annotated[
        int, msgspec.Meta(description="step of the wall clock during a block; above: void", extra={"unit": "ns"})
    ] = 5_000_000
    max_little_error: Annotated[
        float, msgspec.Meta(description="service times off from requests in flight over time; above: void")
    ] = 0.02
    min_little_answers: Annotated[
        int, msgspec.Meta(description="with fewer that is not judged", extra={"unit": "answers"})
    ] = 1000
    # A request that failed has no time.
    max_little_errors: Annotated[float, msgspec.Meta(description="errors per answer; with more that is not judged")] = (
        0.001
    )
    # A hundred beyond p99.
    min_tail_answers: Annotated[
        int, msgspec.Meta(description="with fewer nobody asks whether the mean is above p99", extra={"unit": "answers"})
    ] = 10_000
    # A slower slice is a stall, not the arm's way.
    stall_factor: Annotated[
        float, msgspec.Meta(description="times the median slice's mean time in flight that makes a slice a stall")
    ] = 2.0
    full_share: Annotated[float, msgspec.Meta(description="share of its cores at which the generator is full")] = 0.95
    min_idle_share: Annotated[float, msgspec.Meta(description="share of its cores above which a stack is idle")] = 0.05
    # A virtual machine's own pauses came to 2 %.
    max_late_share: Annotated[
        float,
        msgspec.Meta(description="share of due requests sent over 1 ms late though a connection was free; above: void"),
    ] = 0.05
    max_missed_share: Annotated[
        float, msgspec.Meta(description="share of due requests never sent; above: void, or the arm's result")
    ] = 0.01
    uneven_factor: Annotated[
        float, msgspec.Meta(description="times its even share at which a worker's CPU time is uneven")
    ] = 1.5
    # A list of thousands says nothing of an even share.
    max_workers_listed: Annotated[
        int, msgspec.Meta(description="of one hop whose CPU times are listed", extra={"unit": "workers"})
    ] = 64
    max_void_blocks: Annotated[
        int,
        msgspec.Meta(
            description="void blocks that are done again, or as many as are valid; with one more the experiment fails",
            extra={"unit": "blocks"},
        ),
    ] = 3
    long_warm_up_share: Annotated[
        float, msgspec.Meta(description="share of the time left that the long warm-ups of all arms may take")
    ] = 0.05
    min_long_warm_up_ns: Annotated[
        int, msgspec.Meta(description="length of a long warm-up at the least", extra={"unit": "ns"})
    ] = 1_000_000_000
    # In one alone a change may be the machine's.
    warm_up_starts: Annotated[
        int, msgspec.Meta(description="that decide how long warm-ups are", extra={"unit": "starts"})
    ] = 2
    spare_files: Annotated[
        int, msgspec.Meta(description="that a process may open besides its connections", extra={"unit": "files"})
    ] = 256
    # Frozen for longer, an arm would lose connections.
    idle_share: Annotated[
        float, msgspec.Meta(description="share of an idle time-out for which an arm may stay frozen")
    ] = 0.5
    first_port: Annotated[int, msgspec.Meta(description="listening ports begin here")] = 10_000
    last_port: Annotated[int, msgspec.Meta(description="and end before this")] = 65_000
    ready_s: Annotated[
        float, msgspec.Meta(description="a program must accept connections within", extra={"unit": "s"})
    ] = 10.0
    ready_s_per_child: Annotated[
        float, msgspec.Meta(description="and for each child process, that much more", extra={"unit": "s"})
    ] = 0.01


METHOD = Method()
