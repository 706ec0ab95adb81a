"""What a record keeps of a stack and of the machine: network, checked answer, receipts, memory, other programs.

Structures alone: what reads them off a stack is elsewhere.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.suites.arms.arm import SettingValue


class NetworkKind(StrEnum):
    """Which network a stack had: a namespace of its own, or the host's loopback."""

    OWN = "own"
    HOST = "host"


class Surroundings(msgspec.Struct, frozen=True):
    """What a stack ran in, read back."""

    network: Annotated[
        NetworkKind, Meta(description="`own`: a network namespace of its own; `host`: the host's loopback")
    ]
    open_files: Annotated[int, Meta(description="limit of open files of each program")]
    sysctls: Annotated[dict[str, str], Meta(description="those asked for, read back")] = {}
    link_mbit_per_s: Annotated[int | None, Meta(description="the link's rate; null over loopback")] = None
    link_bits_per_s: Annotated[
        int | None, Meta(description="what a short transfer to the client came to before load")
    ] = None
    notes: Annotated[list[str], Meta(description="what was asked for and not had")] = []


class MemorySample(msgspec.Struct):
    """Memory of an arm's processes at a moment of a soak, in all (resident; shared pages count in each process)."""

    elapsed_ns: Annotated[int, Meta(description="since the soak began")]
    resident_bytes: Annotated[int, Meta(description="of all processes of the stack")]


class CheckedAnswer(msgspec.Struct):
    """What the arm answered before load; it was compared with the baseline's."""

    status: Annotated[int, Meta(description="HTTP status")]
    header_bytes: Annotated[int, Meta(description="from the status line to the empty line")]
    body_bytes: Annotated[int, Meta(description="length of the body")]
    header_fields: Annotated[list[str], Meta(description="their names in the order they came")]


class Receipt(msgspec.Struct, frozen=True):
    """What was seen under load of one setting of a hop."""

    hop: Annotated[str, Meta(description="the hop's name")]
    setting: Annotated[str, Meta(description="the setting's name, or `cores`")]
    value: Annotated[SettingValue, Meta(description="what it was set to")]
    seen: Annotated[str, Meta(description="what showed under load, in words")]
    holds: Annotated[
        bool | None, Meta(description="whether that fits; false fails the arm; null if it could not be seen")
    ]

    def words(self) -> str:
        """For an error message."""
        value = str(self.value).lower() if isinstance(self.value, bool) else self.value
        return f"{self.hop}: {self.setting} = {value}, but {self.seen}"


class Memory(msgspec.Struct, frozen=True):
    """A hop's memory, over the processes alive at the reading.

    `peak_bytes` adds up the largest resident sets (VmHWM) that the processes ever had: not at one moment, and pages
    that several share count in each. `proportional_bytes` (PSS) is at the reading, a shared page divided among those
    that have it. None if the kernel does not let it be read, or the hop has no process.
    """

    processes: Annotated[int, Meta(description="alive at the reading")]
    peak_bytes: Annotated[int | None, Meta(description="their largest resident sets ever, added up (VmHWM)")]
    proportional_bytes: Annotated[int | None, Meta(description="at the reading, shared pages divided (PSS)")]


class TimeWait(msgspec.Struct, frozen=True):
    """Connections in TIME_WAIT on one TCP link, after the last slice: closed first by the hop, or by its client."""

    hop: Annotated[str, Meta(description="the hop that listens")]
    server: Annotated[int, Meta(description="closed first by the hop")]
    client: Annotated[int, Meta(description="closed first by its client")]


class OtherProgram(msgspec.Struct, frozen=True):
    """A program of somebody else that used CPU time while a block was loaded."""

    name: Annotated[str, Meta(description="its name, as the kernel has it")]
    pid: Annotated[int, Meta(description="its process")]
    cpu_ns: Annotated[
        int, Meta(description="CPU time it used under load, on whatever core, its short-lived children included")
    ]

    def words(self) -> str:
        """For a message: `pytest (pid 6902)`."""
        return f"{self.name} (pid {self.pid})"


class GeneratorConditions(msgspec.Struct, frozen=True):
    """What the generator's own machine did while the engine ran there, on the engine's cores; added up over loads."""

    elapsed_ns: Annotated[int, Meta(description="from before the engine's start to after its end")]
    foreign_cpu_ns: Annotated[int, Meta(description="CPU time of programs that are not hopcost's, to the tick")]
    steal_ns: Annotated[int, Meta(description="CPU time that its hypervisor kept")]
    throttled_ns: Annotated[
        int | None, Meta(description="how long a CPU quota of the engine's cgroup held it up; null: no quota")
    ]
    swapped_pages: Annotated[int | None, Meta(description="swapped in and out; null if the kernel does not tell")]
    others: Annotated[list[OtherProgram], Meta(description="the programs that used most of it, most first")] = []
