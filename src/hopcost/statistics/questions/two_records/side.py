"""One experiment in one of two records that stand side by side: its blocks, and what can be asked of them."""

from __future__ import annotations

import math

import msgspec

from hopcost.plan.plan import PlannedExperiment
from hopcost.record.contents.run import Record
from hopcost.statistics import comparisons, random_effects
from hopcost.statistics.arms import PairedBlocks, RecordBlocks
from hopcost.statistics.comparisons import THROUGHPUT, Comparison, Metric
from hopcost.statistics.questions.claims.decision import Bound
from hopcost.statistics.questions.evidence import bound_of
from hopcost.statistics.random_effects import Contrast, Estimate
from hopcost.statistics.summary import open_loop
from hopcost.statistics.summary.summary import ExperimentSummary, summarise

Key = tuple[str, float | None]  # a figure, and the offered load (None: saturation)


class RecordSide(msgspec.Struct, frozen=True):
    """The experiment with its valid blocks by arm."""

    record: Record
    summary: ExperimentSummary
    arms: PairedBlocks

    @property
    def planned(self) -> PlannedExperiment:
        return self.summary.plan

    @property
    def rates(self) -> set[float]:
        """The loads that were offered, per second."""
        measured = self.arms.of(self.planned.baseline)
        return {rate for _, rate in self.asks(self.planned.baseline) if rate is not None} if measured else set()

    def asks(self, name: str) -> dict[Key, Metric]:
        """What can be asked of an arm: throughput, CPU, and at each offered load CPU and response times."""
        metrics = {}
        for metric in comparisons.metrics_of(self.arms, name):
            load = None if metric.share is None else open_loop.rate_per_s(self.arms.of(name), metric.share)
            if ":" not in metric.name:  # of all hops together
                metrics[metric.name, load] = metric
        return metrics

    def sample(self, name: str, ask: Metric) -> list[float] | None:
        """The arm's figure by block; None if a block lacks it: leaving it out would choose blocks by outcome."""
        return self.arms.values(name, ask.figure)

    def absolute(self, name: str, ask: Metric) -> Estimate | None:
        """The logarithm of the arm's figure, learned from itself alone: what the machine did is in all arms alike.

        None if a block lacks the figure.
        """
        values = self.sample(name, ask)
        if values is None:
            return None
        logs = [math.log(value) for value in values]
        (estimate,) = random_effects.estimate([Contrast(logs, rounds=[1] * len(logs), variance=None, degrees=0)])
        return estimate

    def relative(self, name: str, ask: Metric) -> Estimate | None:
        """The log-ratio of the arm's figure to its own baseline's; None of the baseline, and if a block lacks it."""
        return None if name == self.planned.baseline else self.arms.estimate(name, ask.figure)

    def is_bound(self, name: str, key: Key) -> bool:
        """Whether the generator was full for the arm or its baseline, so that a ratio of throughputs is no size."""
        return key == (THROUGHPUT, None) and bound_of(self.arms, name, self.planned.baseline) is not Bound.NONE

    def comparison(self, name: str, key: Key) -> Comparison | None:
        """What the record itself says of the arm in that figure."""
        arm = next((arm for arm in self.summary.arms if arm.name == name), None)
        return arm.comparison(*key) if arm is not None else None

    def versions(self, name: str) -> dict[str, object]:
        """Of the programs that an arm consists of, or the receipts of its binaries; None if the record has none."""
        planned = next(arm for arm in self.planned.arms if arm.name == name)
        return {
            hop.program: self._of_environment("binaries", hop.binary)
            if hop.binary
            else self._of_environment("programs", hop.program)
            for hop in planned.arm.hops
        }

    def _of_environment(self, table: str, key: str) -> object:
        known = self.record.environment.get(table)
        return known.get(key) if isinstance(known, dict) else None


def record_sides(record: Record) -> dict[str, RecordSide]:
    """All experiments of a record, by name."""
    blocks = RecordBlocks(record.plan.experiments, record.blocks)
    return {summary.plan.name: RecordSide(record, summary, blocks.of(summary.plan)) for summary in summarise(record)}
