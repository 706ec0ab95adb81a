"""Whether other programs disturbed a block: by the share of the cores' time that they took, and who they were."""

from __future__ import annotations

from hopcost.generators.engine_protocol import Validity
from hopcost.plan.method import METHOD
from hopcost.record.block import Block
from hopcost.statistics.validity.accounts import share

Fault = tuple[Validity, str]  # what it makes of the block, and the reason

NAMED_MOST = 3
NAMED_SHARE = 0.1  # of all that others took: below, a program is not the reason


def faults_of_others(block: Block, time_ns: int, cores: int) -> list[Fault]:
    """The fault if other programs took too much. `time_ns` is the load's time on all these cores together."""
    taken = share(block.foreign_cpu_ns or 0, time_ns)
    if taken < METHOD.suspect_foreign_share:
        return []
    validity = Validity.VOID if taken > METHOD.max_foreign_share else Validity.SUSPECT
    return [(validity, f"other programs took {100 * taken:.0f} % of the CPU time of {cores} cores: {_names(block)}")]


def _names(block: Block) -> str:
    """Those that took most: `pytest (pid 6902), cargo (pid 81)`."""
    least_ns = NAMED_SHARE * (block.foreign_cpu_ns or 0)
    busiest = [program.words() for program in block.others if program.cpu_ns >= least_ns]
    return ", ".join(busiest[:NAMED_MOST]) or "none of them can be seen from here"
