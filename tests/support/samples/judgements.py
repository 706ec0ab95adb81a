"""Claims, and what records say of them."""

from __future__ import annotations

import msgspec
from samples.records import made_up_suite, plain_block, plan_of, record

from hopcost import claims
from hopcost.claim import Claim, Comparison, Needs, Relation
from hopcost.judged import Judged, Result
from hopcost.planned import PlannedExperiment
from hopcost.record import Block, Record
from hopcost.suite import Experiment, Suite
from hopcost.sweep import Sweep


def compare(relation: Relation, size: float | None = None, **more: object) -> Comparison:
    """Throughput of the arm `behind` to the control, in the experiment `cost`."""
    fields: dict[str, object] = {"experiment": "cost", "arm": "behind", "relation": relation, "size": size}
    return Comparison(**(fields | more))  # type: ignore[arg-type]


def claim(*tests: Comparison, needs: Needs | None = None) -> Claim:
    return Claim(name="c", says="It is so.", source="its end", tests=list(tests), needs=needs or Needs())


def suite_with(*found: Claim, sweep: Sweep | None = None) -> Suite:
    read = made_up_suite()
    experiments: list[Experiment] = [msgspec.structs.replace(each, sweep=sweep) for each in read.experiments]
    return msgspec.structs.replace(read, claims=list(found), experiments=experiments)


def judged(found: Claim, *records: Record) -> Judged:
    (made,) = claims.judge(suite_with(found), records)
    return made


def one(test: Comparison, *records: Record, needs: Needs | None = None) -> Result:
    (result,) = judged(claim(test, needs=needs), *records).results
    return result


def six(behind: tuple[int, ...] = (392, 408), **more: int) -> list[Block]:
    """Blocks of direct 10,000/s and behind about 4,000/s, whose logs differ a little from block to block."""
    return [plain_block(number, behind=behind[number % len(behind)], **more) for number in range(6)]


def planned(**more: object) -> PlannedExperiment:
    return msgspec.structs.replace(plan_of().experiments[0], **more)


def record_of(experiment: PlannedExperiment, *blocks: Block) -> Record:
    return record(*blocks, plan=msgspec.structs.replace(plan_of(), experiments=[experiment]))
