"""The network that a stack gets: a namespace of its own where this machine allows it, else the host's loopback.

It must not know programs. What an arm asks for and cannot have here is said, with the reason; nothing of the host is
changed.
"""

from __future__ import annotations

import msgspec

from hopcost.suites.arm import SettingValue


class Surroundings(msgspec.Struct, frozen=True):
    """What a stack ran in, read back. `notes` say what it asked for and did not get.

    `network` is `own` (a namespace of its own) or `host`; `sysctls` are those asked for, as the kernel gives them back;
    `link_bits_per_s` is what a short transfer to the client came to before load.
    """

    network: str
    open_files: int
    sysctls: dict[str, str] = {}
    link_mbit_per_s: int | None = None
    link_bits_per_s: int | None = None
    notes: list[str] = []


class MemorySample(msgspec.Struct):
    """Memory of an arm's processes at a moment of a soak, in all (resident; shared pages count in each process)."""

    elapsed_ns: int
    resident_bytes: int


class CheckedAnswer(msgspec.Struct):
    """What the arm answered before load; it was compared with the baseline's."""

    status: int
    header_bytes: int
    body_bytes: int
    header_fields: list[str]


class Receipt(msgspec.Struct, frozen=True):
    """What was seen under load of one setting of a hop; `holds` is None where it could not be seen."""

    hop: str
    setting: str
    value: SettingValue
    seen: str
    holds: bool | None

    def words(self) -> str:
        """For an error message."""
        value = str(self.value).lower() if isinstance(self.value, bool) else self.value
        return f"{self.hop}: {self.setting} = {value}, but {self.seen}"


class Memory(msgspec.Struct, frozen=True):
    """A hop's memory, over the processes alive at the reading.

    `peak_bytes` adds up the largest resident sets (VmHWM) that the processes ever had: not at one moment, and pages
    that several share count in each. `proportional_bytes` (PSS) is at the reading, a shared page divided among those
    that have it. None where the kernel does not let it be read, or the hop has no process.
    """

    processes: int
    peak_bytes: int | None
    proportional_bytes: int | None


class TimeWait(msgspec.Struct, frozen=True):
    """Connections in TIME_WAIT on one TCP link, after the last slice: closed first by the hop, or by its client."""

    hop: str
    server: int
    client: int
