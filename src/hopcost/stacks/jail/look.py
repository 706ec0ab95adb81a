"""What a configuration did under load, seen from outside: its logs, and connections to what is behind it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from hopcost.record.secrets import mask_text
from hopcost.stacks.prepare.prepared import PreparedHop
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.under_load.receipts import connections_accepted, packets_with_data

MOST_BYTES = 1 << 20  # of an error log that are read
LINES = 20
TEMPORARY, TIMEOUT = "buffered to a temporary file", "upstream timed out"
OUTPUT = ("/dev/stdout", "/dev/stderr")


class JailLook(msgspec.Struct, frozen=True):
    """Counters of a hop in a jail, from its start until now; or what they grew by.

    `log_bytes` are by path in the jail. `accepted` counts the TCP connections that the stack's hops accepted, those of
    the client too, and `packets` those with data between all of them; None if they cannot be counted. Lines of error
    logs are masked.
    """

    hop: str
    log_bytes: dict[str, int]
    temporary_files: int
    timeouts: int
    error_lines: list[str]
    accepted: int | None
    packets: int | None

    def since(self, before: JailLook) -> JailLook:
        """What came after another look at the same hop."""
        new = self.error_lines[len(before.error_lines) :] if len(before.error_lines) < LINES else self.error_lines
        return JailLook(
            hop=self.hop,
            log_bytes={path: size - before.log_bytes.get(path, 0) for path, size in self.log_bytes.items()},
            temporary_files=self.temporary_files - before.temporary_files,
            timeouts=self.timeouts - before.timeouts,
            error_lines=new,
            accepted=_grown(self.accepted, before.accepted),
            packets=_grown(self.packets, before.packets),
        )


def look_at(stack: RunningStack) -> JailLook:
    """The present counters of the stack's first hop, which must be in a jail. Logs are only read."""
    hop = stack.prepared.hops[0]
    assert hop.jail is not None, "the hop is in a jail"
    pids, jail = stack.processes[hop.name], hop.jail
    files = _log_files(stack, hop, pids[0])
    lines: list[str] = []
    for path, file in files.items():
        if _is_error_log(path):
            lines += _last_lines(file)
    return JailLook(
        hop=hop.name,
        log_bytes={path: _size(file) for path, file in files.items()},
        temporary_files=sum(TEMPORARY in line for line in lines),
        timeouts=sum(TIMEOUT in line for line in lines),
        error_lines=[mask_text(jail.mask(line)) for line in lines if TEMPORARY not in line][-LINES:],
        accepted=connections_accepted(pids),
        packets=packets_with_data(pids),
    )


def _grown(now: int | None, before: int | None) -> int | None:
    return None if now is None or before is None else now - before


def _log_files(stack: RunningStack, hop: PreparedHop, master: int) -> Mapping[str, Path]:
    """The logs by their paths in the jail: files that the master's root folder leads to."""
    assert hop.jail is not None, "the hop is in a jail"
    root = hop.jail.root_of(master)
    return {path: stack.session.log(hop.name) if path in OUTPUT else root / path.lstrip("/") for path in hop.jail.logs}


def _is_error_log(path: str) -> bool:
    return "error" in path or path == "/dev/stderr"


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _last_lines(file: Path) -> list[str]:
    try:
        with file.open("rb") as log:
            log.seek(max(0, _size(file) - MOST_BYTES))
            return log.read(MOST_BYTES).decode(errors="replace").splitlines()
    except OSError:
        return []
