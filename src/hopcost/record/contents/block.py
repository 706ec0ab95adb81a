"""What one block leaves in the record: the structures of a line of blocks.jsonl."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.programs.generators.engine_lines import ArmTotals, End, Slice, Start, Validity, WarmedUp
from hopcost.record.contents.evidence import (
    CheckedAnswer,
    GeneratorConditions,
    Memory,
    MemorySample,
    OtherProgram,
    Receipt,
    Surroundings,
    TimeWait,
)
from hopcost.record.contents.offered_load import OpenLoad, VoidLoad
from hopcost.record.contents.reason import Reason
from hopcost.record.contents.repeat import PeerRun
from hopcost.record.contents.restart import RestartRun


class ArmBlock(msgspec.Struct):
    """One arm's part of a block.

    `warm_up`, `slices` and `totals` are our engine's, of the closed loop. There are none if a `peer` drove the
    arm, or if it was restarted.
    """

    name: Annotated[str, Meta(description="the arm")]
    copy_of: Annotated[str | None, Meta(description="the baseline's name in the A/A arm")]
    hops: Annotated[
        list[str],
        Meta(description="hop names from the client's side to the origin; a program that stands twice gets a number"),
    ]
    check: Annotated[CheckedAnswer, Meta(description="what it answered before load")]
    warm_up: Annotated[WarmedUp | None, Meta(description="the engine's line")]
    slices: Annotated[list[Slice], Meta(description="the engine's lines, in the order in which they ran")]
    totals: Annotated[ArmTotals | None, Meta(description="the engine's line")]
    peer: Annotated[
        PeerRun | None, Meta(description="the run of another generator, in place of the engine's lines")
    ] = None
    surroundings: Annotated[
        Surroundings | None, Meta(description="what the stack ran in; null in a record of format 1")
    ] = None
    memory: Annotated[dict[str, Memory], Meta(description="by hop, after the last slice")] = {}
    memory_samples: Annotated[list[MemorySample], Meta(description="of a soak")] = []
    time_wait: Annotated[
        list[TimeWait], Meta(description="connections in TIME_WAIT after the last slice, by link")
    ] = []
    notes: Annotated[list[str], Meta(description="what a reader of this arm's figures must know")] = []
    receipts: Annotated[list[Receipt], Meta(description="what showed of the settings under load")] = []
    open_loop: Annotated[
        list[OpenLoad], Meta(description="what came after the closed loop, one for each offered load")
    ] = []
    probes: Annotated[
        list[OpenLoad],
        Meta(
            description="of `hopcost capacity`: the loads offered to this arm one after the other; their `share` is of"
            " the arm's own throughput"
        ),
    ] = []
    worker_cpu_ns: Annotated[
        dict[str, list[int]],
        Meta(
            description="by hop, CPU time of each process but the one that started the others, over the closed loop,"
            " warm-up included; without the hops of more than 64"
        ),
    ] = {}
    reopened: Annotated[
        str | None,
        Meta(
            description="how its connections were opened anew before each round, as in the workload; null: not at all"
        ),
    ] = None
    mix_checks: Annotated[
        list[CheckedAnswer],
        Meta(description="of a mix, what it answered to each request, in the order of the plan; else empty"),
    ] = []
    restarted: Annotated[
        RestartRun | None, Meta(description="of an experiment with `restart`, in place of the closed loop")
    ] = None
    restarts: Annotated[
        dict[str, int],
        Meta(
            description="by hop, processes that ended under load: restarted, or lost. Not of hops whose processes come"
            " and go"
        ),
    ] = {}

    @property
    def rounds(self) -> int:
        """How many slices of the closed loop it has; the run of another generator is one."""
        return 1 if self.peer is not None else len(self.slices)

    @property
    def answers(self) -> int:
        """Correct answers in its slices."""
        return self.peer.answers if self.peer is not None else sum(piece.answers for piece in self.slices)

    @property
    def elapsed_ns(self) -> int:
        """The arm's own time in its slices."""
        return self.peer.elapsed_ns if self.peer is not None else sum(piece.elapsed_ns for piece in self.slices)

    @property
    def generator_cpu_ns(self) -> int:
        """CPU time of the generator in the arm's slices."""
        if self.peer is not None:
            return self.peer.generator_cpu_ns
        return sum(piece.generator_cpu_ns for piece in self.slices)

    @property
    def errors(self) -> dict[str, int]:
        """Errors by kind over the whole closed loop, warm-up included; each offered load has its own."""
        if self.peer is not None:
            return self.peer.errors
        return self.totals.errors if self.totals is not None else {}

    def cpu_ns(self, hop: str) -> int | None:
        """CPU time of a hop in the arm's slices; None if one slice does not know it."""
        if self.peer is not None:
            return self.peer.cpu_ns.get(hop)
        total = 0
        for piece in self.slices:
            used = piece.cpu_ns.get(hop)
            if used is None:
                return None
            total += used
        return total


class Failure(msgspec.Struct):
    """An arm that failed, in its own or its programs' words."""

    arm: Annotated[str, Meta(description="its name")]
    message: Annotated[str, Meta(description="what happened, with the program's last lines")]
    hint: Annotated[str | None, Meta(description="what to do")] = None


class Block(msgspec.Struct):
    """Fresh start of every arm, check, warm-up, rounds, stop.

    `harness_cpu_ns` and `foreign_cpu_ns` were used while the engine ran. `steal_ns` and the facts of the machine at the
    end (None if this kernel does not tell) are the whole block's.
    """

    experiment: Annotated[str, Meta(description="its name")]
    number: Annotated[int, Meta(description="from 0, void blocks counted")]
    seed: Annotated[
        int, Meta(description="shuffles the order of the arms in this block's rounds; derived from the run's")
    ]
    started_utc: Annotated[str, Meta(description="wall clock, for people")]
    elapsed_ns: Annotated[int, Meta(description="the whole block, starting and stopping included")]
    slices_elapsed_ns: Annotated[int, Meta(description="the sum of its slices, those of the closed loop")]
    harness_cpu_ns: Annotated[
        int | None,
        Meta(description="CPU time of the Python process from the engine's first line to its last; null without load"),
    ]
    foreign_cpu_ns: Annotated[
        int | None,
        Meta(
            description="CPU time on the cores in use that neither the stacks, the engine, the harness nor the kernel's"
            " threads used, to the kernel's tick; null without load"
        ),
    ]
    steal_ns: Annotated[
        int | None,
        Meta(description="CPU time of the cores in use that the hypervisor kept; null until the block has ended"),
    ]
    validity: Annotated[Validity, Meta(description="whether it counts")]
    reasons: Annotated[list[Reason], Meta(description="why it is not valid, the worst first")]
    failures: Annotated[list[Failure], Meta(description="arms that failed in it; they leave the experiment")]
    arms: Annotated[list[ArmBlock], Meta(description="what was measured; empty if the block broke off")] = []
    engine: Annotated[Start | None, Meta(description="the engine's first line; of several the first generator's")] = (
        None
    )
    end: Annotated[End | None, Meta(description="the engine's last line; its validity is part of the block's")] = None
    open_ends: Annotated[
        list[End], Meta(description="the engine's last lines of the open loop, one for each offered load")
    ] = []
    probe_ends: Annotated[list[End], Meta(description="the same of the arms' probes, one for each run")] = []
    throttled_ns: Annotated[
        int | None,
        Meta(description="how long a CPU quota of the harness's cgroup, or one above it, held it up; null: no quota"),
    ] = None
    swapped_pages: Annotated[
        int | None, Meta(description="swapped in and out by the machine; null if the kernel does not tell")
    ] = None
    clock_step_ns: Annotated[int | None, Meta(description="what CLOCK_REALTIME went ahead of CLOCK_MONOTONIC")] = None
    longest_stall_ns: Annotated[
        int | None,
        Meta(
            description="longest time for which a core of the generator did not run a loop that looks at the clock,"
            " before the arms were started; null without an open loop"
        ),
    ] = None
    others: Annotated[
        list[OtherProgram],
        Meta(
            description="the other programs that used most CPU time under load, most first; only those seen from here"
        ),
    ] = []
    generators: Annotated[
        dict[str, GeneratorConditions],
        Meta(description="the generators' own machines by name; empty if the generator is on the stacks'"),
    ] = {}
    site: Annotated[str | None, Meta(description="of a fleet: the site that measured it; null: there is no fleet")] = (
        None
    )
    void_loads: Annotated[
        list[VoidLoad],
        Meta(description="offered loads that count for no arm of the block: the generator could not offer them"),
    ] = []

    @property
    def parts_that_count(self) -> list[ArmBlock]:
        """The arms' parts without the offered loads that are void."""
        void = {load.share for load in self.void_loads}
        if not void:
            return self.arms
        return [
            msgspec.structs.replace(part, open_loop=[load for load in part.open_loop if load.share not in void])
            for part in self.arms
        ]
