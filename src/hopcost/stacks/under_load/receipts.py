"""Receipts: what a setting did under load, seen from outside the program that was told to do it.

`program.toml` names for a setting the kind of receipt that it leaves. A receipt that does not hold fails its arm; one
that could not be seen says so and fails nothing.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from hopcost.programs import read
from hopcost.programs.definition.settings import ReceiptKind
from hopcost.record.contents.evidence import Receipt
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.prepare.prepared import PreparedHop
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox import usage
from hopcost.suites.arms.arm import Link, SettingValue

SMALLEST_WORTH_COMPRESSING = 20  # bytes; nginx's default
OF_FORWARDING = (ReceiptKind.CONNECTIONS, ReceiptKind.PASSED)


class LoadShape(msgspec.Struct, frozen=True):
    """What the engine counted from the snapshot on: answers, connections that it opened, requests still under way."""

    answers: int
    opened: int | None
    in_flight: int = 0


class _Snapshot(msgspec.Struct, frozen=True):
    """Counters at one moment: CPU time by process, connections accepted in the stack's namespace, lines of logs."""

    cpu_ns: dict[str, dict[int, int]]
    accepted: int | None
    lines: dict[str, int]


class Observer:
    """Looks at a stack before and after its load."""

    def __init__(self, stack: RunningStack) -> None:
        self._stack = stack
        self._logs = [
            f"{hop.name}-{definition.receipt.log}"
            for hop in stack.prepared.hops
            for definition in read.program_of(hop).settings.values()
            if definition.receipt is not None and definition.receipt.log is not None
        ]
        self._before = self._snapshot()

    def receipts(self, answer: HttpAnswer, accepts_gzip: bool, load: LoadShape) -> list[Receipt]:
        """One for every setting that leaves one, and one for the cores of every hop."""
        after = self._snapshot()
        receipts = []
        passed = self._passed(after)
        for hop in self._stack.prepared.hops:
            used = {
                pid: ns - self._before.cpu_ns.get(hop.name, {}).get(pid, 0)
                for pid, ns in after.cpu_ns[hop.name].items()
            }
            receipts.append(cores(hop.name, self._stack.prepared.cores.stack, _affinities(used)))
            if hop.config is not None:
                continue  # its own configuration may do otherwise with settings
            for name, definition in read.program_of(hop).settings.items():
                seen: tuple[str, bool | None]
                if definition.receipt in OF_FORWARDING and not self._forwards(hop):
                    continue
                match definition.receipt:
                    case None:
                        continue
                    case ReceiptKind.CONTENT_ENCODING:
                        seen = content_encoding(hop.settings[name], accepts_gzip, answer)
                    case ReceiptKind.CHILDREN:
                        seen = children(hop.children, used, root=next(iter(used), 0))
                    case ReceiptKind.LISTENERS:
                        port = None if hop.address.is_unix else int(hop.address.address.rpartition(":")[2])
                        seen = listeners(hop.settings[name], hop.children, count_listening(used, port))
                    case ReceiptKind.CONNECTIONS:
                        forwarded = load.answers if passed is None else passed
                        seen = connections(hop.settings[name], self._accepted_inside(hop, after, load), forwarded)
                    case ReceiptKind.PASSED | ReceiptKind.LOGGED:
                        log = f"{hop.name}-{definition.receipt.log}"
                        lines = after.lines[log] - self._before.lines[log]
                        seen = logged(definition.receipt, hop.settings[name], lines, load.answers)
                words, holds = seen
                receipts.append(Receipt(hop=hop.name, setting=name, value=hop.settings[name], seen=words, holds=holds))
        return receipts

    def _snapshot(self) -> _Snapshot:
        processes = self._stack.processes
        return _Snapshot(
            cpu_ns={
                hop: {pid: ns for pid in pids if (ns := usage.process_clock_ns(pid)) is not None}
                for hop, pids in processes.items()
            },
            accepted=connections_accepted([pid for pids in processes.values() for pid in pids]),
            lines={name: _lines(self._stack.session.directory / name) for name in self._logs},
        )

    def _forwards(self, hop: PreparedHop) -> bool:
        """Whether there is a next hop; the last one's copies are no next hops of each other."""
        last = self._stack.prepared.hops[-1]
        return (hop.program, hop.address.link) != (last.program, last.address.link)

    def _passed(self, after: _Snapshot) -> int | None:
        """Answers that came from the next hop in spite of a cache; None without a cache."""
        for hop in self._stack.prepared.hops:
            for name, definition in read.program_of(hop).settings.items():
                if definition.receipt is ReceiptKind.PASSED and hop.settings[name]:
                    log = f"{hop.name}-{definition.receipt.log}"
                    return after.lines[log] - self._before.lines[log]
        return None

    def _accepted_inside(self, hop: PreparedHop, after: _Snapshot, load: LoadShape) -> int | None:
        """Connections that hops opened to each other: all that were accepted, without those from the engine.

        None if they cannot be told apart: over Unix sockets, in stacks of three programs, or without a namespace.
        """
        hops = self._stack.prepared.hops
        inner = {(inner_hop.program, inner_hop.address.link) for inner_hop in hops[1:]}
        if hop is not hops[0] or len(inner) != 1 or Link(next(iter(inner))[1]).is_unix:
            return None
        if self._before.accepted is None or after.accepted is None or load.opened is None:
            return None
        by_engine = 0 if hops[0].address.is_unix else load.opened
        # Those of slow clients' requests without an answer yet belong to no answer.
        return max(0, after.accepted - self._before.accepted - by_engine - load.in_flight)


def content_encoding(value: SettingValue, accepts_gzip: bool, answer: HttpAnswer) -> tuple[str, bool | None]:
    """Whether the answer is compressed as the setting says; the engine compares every later one with it."""
    if answer.content_encoding is not None:
        return f"answers have Content-Encoding: {answer.content_encoding}", bool(value)
    if not value or len(answer.decoded) < SMALLEST_WORTH_COMPRESSING:
        return "answers have no Content-Encoding", True if not value else None
    return "answers have no Content-Encoding" + (
        "" if accepts_gzip else ": none was asked for"
    ), not accepts_gzip and None


def children(expected: int, used_ns: Mapping[int, int], root: int) -> tuple[str, bool | None]:
    """How many child processes used CPU time: idle ones are a result, too few are a fault."""
    pids = [pid for pid in used_ns if pid != root]
    busy = sum(used_ns[pid] > 0 for pid in pids)
    return f"{busy} of {len(pids)} child processes used CPU time", len(pids) >= expected


def listeners(value: SettingValue, children: int, sockets: int | None) -> tuple[str, bool | None]:
    """Whether each child process has a listening socket of its own, or all share one."""
    if not sockets:
        return "listening sockets cannot be counted here", None
    return f"{sockets} listening socket{'s' * (sockets > 1)}", sockets == (max(1, children) if value else 1)


def connections(value: SettingValue, accepted: int | None, answers: int) -> tuple[str, bool | None]:
    """Connections to the next hop per answer: one for each if none is kept, fewer if some are."""
    if accepted is None or answers == 0:
        return "connections to the next hop cannot be counted here", None
    per_answer = accepted / answers
    seen = f"{accepted} connections to the next hop for {answers} answers"
    if 0 < answers <= 2 * int(value):  # behind a cache: the first requests come at once, each over its own
        return seen, None
    return seen, per_answer > 0.9 if value == 0 else per_answer < 0.9


def logged(kind: ReceiptKind, value: SettingValue, lines: int, answers: int) -> tuple[str, bool | None]:
    """Lines that a hop wrote: of requests passed on in spite of a cache, or of its access log."""
    what = "answers came from the next hop" if kind is ReceiptKind.PASSED else "lines were logged"
    if kind is ReceiptKind.PASSED:
        return (f"{lines} of {answers} {what}", lines < answers) if value else ("no cache", None)
    return f"{lines} {what} for {answers} answers", lines >= answers if value else lines == 0


def cores(hop: str, expected: list[int], seen: Mapping[int, set[int]]) -> Receipt:
    """The cores that the hop's processes may run on, from the kernel."""
    wrong = {pid: allowed for pid, allowed in seen.items() if allowed != set(expected)}
    words = f"{len(seen)} processes on cores {_listed(expected)}"
    if wrong:
        pid, allowed = next(iter(wrong.items()))
        words = f"{len(wrong)} of {len(seen)} processes are elsewhere: {pid} on cores {_listed(allowed)}"
    return Receipt(hop=hop, setting="cores", value=_listed(expected), seen=words, holds=not wrong if seen else None)


def _listed(numbers: list[int] | set[int]) -> str:
    return ",".join(str(number) for number in sorted(numbers))


def _affinities(pids: Mapping[int, object]) -> dict[int, set[int]]:
    affinities = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            affinities[pid] = os.sched_getaffinity(pid)
    return affinities


def count_listening(pids: Iterable[int], port: int | None) -> int | None:
    """TCP sockets that listen on this port in the network namespace of these processes; None if nobody tells."""
    if port is None:
        return None
    for pid in pids:
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
            return listening(lines, port)
    return None


def listening(lines: Iterable[str], port: int) -> int:
    """How many lines of /proc/net/tcp are sockets that listen on this port."""
    fields = (line.split() for line in lines)
    return sum(state == "0A" and int(local.rpartition(":")[2], 16) == port for _, local, _, state, *_ in fields)


def connections_accepted(pids: list[int]) -> int | None:
    """TCP connections accepted so far in the network namespace of these processes; None if it is ours too."""
    return _counter(pids, "snmp", "Tcp:", "PassiveOpens")


def packets_with_data(pids: list[int]) -> int | None:
    """TCP segments with data sent so far there, by all sides, none of them twice; None likewise."""
    return _counter(pids, "netstat", "TcpExt:", "TCPOrigDataSent")


def _counter(pids: list[int], file: str, row: str, name: str) -> int | None:
    for pid in pids:
        try:
            if Path(f"/proc/{pid}/ns/net").readlink() == Path("/proc/self/ns/net").readlink():
                return None
            lines = Path(f"/proc/{pid}/net/{file}").read_text().splitlines()
        except OSError:
            continue
        names, values = (line.split() for line in lines if line.startswith(row))
        return int(values[names.index(name)]) if name in names else None
    return None


def _lines(path: Path) -> int:
    try:
        with path.open("rb") as file:
            return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
    except OSError:
        return 0
