"""What `hopcost doctor` looks at on this machine, and its judgements in their order."""

from __future__ import annotations

from hopcost.machine import binaries, cpu_time, doctor, facts, io_uring
from hopcost.machine.doctor import Finding
from hopcost.machine.other_load import OtherLoad
from hopcost.programs.read import shipped_programs
from hopcost.programs.receipt import installed
from hopcost.stacks import awake
from hopcost.stacks.sandbox import cgroups, namespaces, network


def examine(load: OtherLoad) -> list[Finding]:
    """All findings about this machine, under the load of other programs."""
    machine = facts.facts()
    freezer, own_network = cgroups.find_freezer(), network.find_network()
    missing_tools = [name for name in ("ip", "tc") if namespaces.tool(name) is None]
    receipts = {name: installed(name) for name in shipped_programs()}
    return [
        *doctor.cores(machine.allowed_cores, facts.siblings()),
        doctor.hypervisor(machine.hypervisor),
        *([doctor.idle_cores(machine.idle_driver, awake.may_hold())] if machine.hypervisor else []),
        doctor.governor(machine.governor),
        doctor.other_load(load.busy, load.busiest),
        doctor.stolen(load.stolen),
        doctor.swap(machine.swap_used_bytes),
        doctor.clock(machine.clocksource),
        doctor.open_files(machine.open_files.hard),
        doctor.freezer(freezer.kind, freezer.parent),
        *doctor.namespaces(
            None if own_network.own else f"{own_network.why}; {network.COST}", missing_tools, network.why_not_shaped()
        ),
        doctor.interrupts(cpu_time.irq_time_accounting()),
        doctor.io_uring(machine.sysctls["kernel.io_uring_disabled"], io_uring.refusal()),
        doctor.autogroup(machine.sysctls["kernel.sched_autogroup_enabled"]),
        *doctor.own_binaries({name: binaries.find(name) is not None for name in binaries.OWN}),
        *(doctor.program(name, receipt.version, receipt.missing, receipt.remedy) for name, receipt in receipts.items()),
    ]
