"""What one block, or one repeat of an article's protocol, leaves in the record: the structures of its lines."""

from __future__ import annotations

import msgspec

from hopcost.generators.engine_protocol import ArmTotals, End, Slice, Start, WarmedUp
from hopcost.record.evidence import CheckedAnswer, Memory, MemorySample, Receipt, Surroundings, TimeWait
from hopcost.record.repeat import PeerRun


class OpenLoad(msgspec.Struct):
    """One arm under an offered load: the same `rate_per_s` for all arms, that `share` of the slowest one's throughput.

    `totals` has the response times: histograms from the intended start.
    """

    share: float
    rate_per_s: float
    warm_up: WarmedUp
    slices: list[Slice]
    totals: ArmTotals


class ArmBlock(msgspec.Struct):
    """One arm's part of a block; `copy_of` names the baseline in the A/A arm.

    `warm_up`, `slices` and `totals` are our engine's, of the closed loop; where a `peer` drove the arm there are none.
    `open_loop` is what came after, one for each offered load.
    """

    name: str
    copy_of: str | None
    hops: list[str]
    check: CheckedAnswer
    warm_up: WarmedUp | None
    slices: list[Slice]
    totals: ArmTotals | None
    peer: PeerRun | None = None
    surroundings: Surroundings | None = None
    memory: dict[str, Memory] = {}
    memory_samples: list[MemorySample] = []
    time_wait: list[TimeWait] = []
    notes: list[str] = []
    receipts: list[Receipt] = []
    open_loop: list[OpenLoad] = []
    worker_cpu_ns: dict[str, list[int]] = {}
    restarts: dict[str, int] = {}

    @property
    def rounds(self) -> int:
        """How many slices of the closed loop it has; the run of another generator is one."""
        return 1 if self.peer is not None else len(self.slices)

    @property
    def answers(self) -> int:
        """Correct answers in its slices."""
        return self.peer.answers if self.peer is not None else sum(each.answers for each in self.slices)

    @property
    def elapsed_ns(self) -> int:
        """The arm's own time in its slices."""
        return self.peer.elapsed_ns if self.peer is not None else sum(each.elapsed_ns for each in self.slices)

    @property
    def generator_cpu_ns(self) -> int:
        """CPU time of the generator in the arm's slices."""
        if self.peer is not None:
            return self.peer.generator_cpu_ns
        return sum(each.generator_cpu_ns for each in self.slices)

    @property
    def errors(self) -> dict[str, int]:
        """Errors by kind over the whole closed loop, warm-up included; each offered load has its own."""
        if self.peer is not None:
            return self.peer.errors
        return self.totals.errors if self.totals is not None else {}

    def cpu_ns(self, hop: str) -> int | None:
        """CPU time of a hop in the arm's slices; None where one of them does not know it: a part is no sum."""
        if self.peer is not None:
            return self.peer.cpu_ns.get(hop)
        total = 0
        for each in self.slices:
            used = each.cpu_ns.get(hop)
            if used is None:
                return None
            total += used
        return total


class Failure(msgspec.Struct):
    """An arm that failed, in its own or its programs' words."""

    arm: str
    message: str
    hint: str | None = None


class Block(msgspec.Struct):
    """Fresh start of every arm, check, warm-up, rounds, stop. `reasons` say why it is suspect or void.

    `harness_cpu_ns` and `foreign_cpu_ns` (other programs') were used while the engine ran; `steal_ns` and the facts of
    the machine at the end (None where this kernel does not tell) are the whole block's. `end` is the closed loop's,
    `open_ends` are the offered loads' in their order.
    """

    experiment: str
    number: int
    seed: int
    started_utc: str
    elapsed_ns: int
    slices_elapsed_ns: int
    harness_cpu_ns: int
    foreign_cpu_ns: int
    steal_ns: int
    validity: str
    reasons: list[str]
    failures: list[Failure]
    arms: list[ArmBlock] = []
    engine: Start | None = None
    end: End | None = None
    open_ends: list[End] = []
    throttled_ns: int | None = None
    swapped_pages: int | None = None
    clock_step_ns: int | None = None
    longest_stall_ns: int | None = None
