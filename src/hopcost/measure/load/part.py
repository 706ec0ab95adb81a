"""The engine's lines about one arm as its part of a block."""

from __future__ import annotations

from hopcost.errors import MeasurementFailed
from hopcost.measure.load.context import CheckedArm
from hopcost.programs.generators.engine_lines import ArmTotals, Slice, WarmedUp
from hopcost.record.contents.block import ArmBlock
from hopcost.record.contents.evidence import CheckedAnswer, Memory, Surroundings, TimeWait
from hopcost.record.contents.offered_load import OpenLoad
from hopcost.stacks.client import check
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.stack import hop_names
from hopcost.stacks.surroundings import with_link_load


class Part:
    """The engine's lines about one arm in one run."""

    def __init__(self, ready: CheckedArm) -> None:
        self.arm = ready.arm
        self.hops = hop_names(ready.stack) + [
            service.name for service in ready.stack.services if service.why_unknown is None
        ]
        self.answers = ready.answers
        self.stack = ready.stack
        self.time_wait: list[TimeWait] = []
        self.memory: dict[str, Memory] = {}
        self.warm_up: WarmedUp | None = None
        self.slices: list[Slice] = []
        self.totals: ArmTotals | None = None

    def _said(self) -> tuple[WarmedUp, ArmTotals]:
        """The warm-up and the totals; MeasurementFailed if the engine did not send them."""
        if self.warm_up is None or self.totals is None or not self.slices:
            raise MeasurementFailed(f"the load engine said nothing of {self.arm.name}")
        return self.warm_up, self.totals

    def look(self) -> None:
        """Read the stack's memory and its connections in TIME_WAIT, behind its last slice.

        Its connections are still open. Later the engine closes them: programs then free memory, and TIME_WAIT grows.
        """
        self.memory, self.time_wait = self.stack.memory(), self.stack.time_wait()

    def whole(self) -> ArmBlock:
        """The arm's part of a block after its closed loop."""
        warm_up, totals = self._said()
        return ArmBlock(
            name=self.arm.name,
            copy_of=self.arm.copy_of,
            hops=self.hops,
            check=answer_to_keep(self.answers[0]),
            mix_checks=[answer_to_keep(answer) for answer in self.answers] if len(self.answers) > 1 else [],
            warm_up=warm_up,
            slices=self.slices,
            totals=totals,
            surroundings=self.surroundings(self.slices),
            memory=self.memory,
            time_wait=self.time_wait,
        )

    def open(self, share: float, rate_per_s: float) -> OpenLoad:
        """The arm under an offered load."""
        warm_up, totals = self._said()
        return OpenLoad(share=share, rate_per_s=rate_per_s, warm_up=warm_up, slices=self.slices, totals=totals)

    def surroundings(self, slices: list[Slice]) -> Surroundings | None:
        """What the arm ran in, with a note if the load filled its link; None if hopcost did not make it."""
        before = self.stack.surroundings
        if before is None:
            return None
        received = sum(line.received_bytes for line in slices)
        elapsed_ns, answers = sum(line.elapsed_ns for line in slices), sum(line.answers for line in slices)
        return with_link_load(before, received, elapsed_ns, answers=answers)


def answer_to_keep(answer: HttpAnswer) -> CheckedAnswer:
    """What the record keeps of an answer."""
    return CheckedAnswer(
        status=answer.status,
        header_bytes=answer.header_bytes,
        body_bytes=len(answer.body),
        header_fields=check.names_of_header_fields(answer),
    )
