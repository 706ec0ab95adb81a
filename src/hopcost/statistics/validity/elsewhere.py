"""Whether the generator's own machine disturbed a block: by the rules that the stacks' machine is judged by."""

from __future__ import annotations

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.statistics.validity.accounts import share
from hopcost.statistics.validity.others import NAMED_MOST, NAMED_SHARE, Fault


def faults_of_generator_machine(block: Block, experiment: PlannedExperiment) -> list[Fault]:
    """Nothing if the generator is on the stacks' machine."""
    own, machine = block.generator, experiment.cores.generator_machine
    if own is None or machine is None:
        return []
    time_ns = own.elapsed_ns * len(experiment.cores.generator)
    faults: list[Fault] = []
    taken = share(own.foreign_cpu_ns, time_ns)
    if taken >= METHOD.suspect_foreign_share:
        validity = Validity.VOID if taken > METHOD.max_foreign_share else Validity.SUSPECT
        programs = [program for program in own.others if program.cpu_ns >= NAMED_SHARE * own.foreign_cpu_ns]
        reason = Reason(ReasonKind.OTHER_PROGRAMS, value=taken, programs=programs[:NAMED_MOST], machine=machine)
        faults.append((validity, reason))
    limits = [
        (ReasonKind.STEAL, share(own.steal_ns, time_ns), METHOD.max_steal_share),
        (ReasonKind.QUOTA, share(own.throttled_ns or 0, own.elapsed_ns), METHOD.max_throttled_share),
        (ReasonKind.SWAPPING, own.swapped_pages or 0, METHOD.max_swapped_pages),
    ]
    faults += [
        (Validity.VOID, Reason(kind, value=value, machine=machine)) for kind, value, most in limits if value > most
    ]
    return faults
