"""Claims, and what records say of them."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec
from samples.blocks import plain_block
from samples.records import made_up_suite, plan_of, record
from scipy.special import ndtr

from hopcost.plan.plan import PlannedExperiment
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Record
from hopcost.statistics.questions.claims import claims
from hopcost.statistics.questions.claims.result import ClaimResult, ClaimTestResult
from hopcost.suites.articles.claim import Claim, ClaimTest, Needs, Relation
from hopcost.suites.experiments.experiment import Experiment, Sweep
from hopcost.suites.suite import Suite


def normal(ratio: float, spread: float) -> Callable[[float], float]:
    """P(mu <= x) of a logarithm around that of a ratio."""
    return lambda x: float(ndtr((x - math.log(ratio)) / spread))


def compare(relation: Relation, size: float | None = None, **more: object) -> ClaimTest:
    """Throughput of the arm `behind` to the control, in the experiment `cost`."""
    fields: dict[str, object] = {"experiment": "cost", "arm": "behind", "relation": relation, "size": size}
    return ClaimTest(**(fields | more))  # type: ignore[arg-type]


def claim(*tests: ClaimTest, needs: Needs | None = None) -> Claim:
    return Claim(name="c", says="It is so.", source="its end", tests=list(tests), needs=needs or Needs())


def suite_with(*tested: Claim, sweep: Sweep | None = None) -> Suite:
    read = made_up_suite()
    experiments: list[Experiment] = [
        msgspec.structs.replace(experiment, sweep=sweep) for experiment in read.experiments
    ]
    return msgspec.structs.replace(read, claims=list(tested), experiments=experiments)


def judged(claim_of_test: Claim, *records: Record) -> ClaimResult:
    (result,) = claims.judge_claims(suite_with(claim_of_test), records)
    return result


def result_of(test: ClaimTest, *records: Record, needs: Needs | None = None) -> ClaimTestResult:
    (result,) = judged(claim(test, needs=needs), *records).results
    return result


def six(behind: tuple[int, ...] = (392, 408), **more: int) -> list[Block]:
    """Blocks of direct 10,000/s and behind about 4,000/s, whose logs differ a little from block to block."""
    return [plain_block(number, behind=behind[number % len(behind)], **more) for number in range(6)]


def record_of(experiment: PlannedExperiment, *blocks: Block) -> Record:
    return record(*blocks, plan=msgspec.structs.replace(plan_of(), experiments=[experiment]))
