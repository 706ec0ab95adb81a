"""Whether other programs disturbed a block: by the share of the cores' time that they took, and who they were."""

from __future__ import annotations

from hopcost.plan.method import METHOD
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block
from hopcost.record.contents.evidence import OtherProgram
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.statistics.validity.accounts import share

Fault = tuple[Validity, Reason]  # what it makes of the block, and why

NAMED_MOST = 3
NAMED_SHARE = 0.1  # of all that others took: below, a program is not the reason


def faults_of_others(block: Block, time_ns: int) -> list[Fault]:
    """The fault if other programs took too much. `time_ns` is the load's time on all cores in use together."""
    taken = share(block.foreign_cpu_ns or 0, time_ns)
    if taken < METHOD.suspect_foreign_share:
        return []
    validity = Validity.VOID if taken > METHOD.max_foreign_share else Validity.SUSPECT
    return [(validity, Reason(ReasonKind.OTHER_PROGRAMS, value=taken, programs=_busiest(block)))]


def _busiest(block: Block) -> list[OtherProgram]:
    """Those that took most."""
    least_ns = NAMED_SHARE * (block.foreign_cpu_ns or 0)
    return [program for program in block.others if program.cpu_ns >= least_ns][:NAMED_MOST]
