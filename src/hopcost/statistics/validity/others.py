"""Whether other programs disturbed a block: by the share of the cores' time that they took, and who they were.

On the generators' own machines too, with what else those did.
"""

from __future__ import annotations

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block
from hopcost.record.contents.evidence import GeneratorConditions, OtherProgram
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


def faults_of_generators_machines(block: Block, experiment: PlannedExperiment) -> list[Fault]:
    """Of each by itself; nothing if the generator is on the stacks' machine."""
    cores = len(experiment.cores.generator)
    return [fault for machine, own in block.generators.items() for fault in _faults_of_machine(machine, own, cores)]


def _faults_of_machine(machine: str, own: GeneratorConditions, cores: int) -> list[Fault]:
    time_ns = own.elapsed_ns * cores
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


def _busiest(block: Block) -> list[OtherProgram]:
    """Those that took most."""
    least_ns = NAMED_SHARE * (block.foreign_cpu_ns or 0)
    return [program for program in block.others if program.cpu_ns >= least_ns][:NAMED_MOST]
