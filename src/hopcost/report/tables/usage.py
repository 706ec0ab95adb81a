"""Memory and ports in TIME_WAIT, one row for each arm and hop; of a sweep, what its values lie between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hopcost.record.evidence import Memory, TimeWait
from hopcost.report import formatting
from hopcost.report.document import Part
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.suites.published import label

MEMORY = (
    "memory peak: the largest resident sets of all processes added up; proportional: a page that several share divided"
    " among them; the largest of all blocks"
)
WAITING = (
    "TIME_WAIT: connections after a slice, at most: those that the hop closed first, and those that its client did"
)
CLOSED = "; the generator had closed its own by then"


class User(Protocol):
    """An arm, in blocks or in repeats."""

    @property
    def name(self) -> str:
        """The arm."""

    @property
    def memory(self) -> dict[str, Memory]:
        """By hop, the origin first: that is the order in which they start."""

    @property
    def time_wait(self) -> list[TimeWait]:
        """By link over TCP, the client's side first."""


def part(group: list[ExperimentSummary]) -> Part | None:
    """The table; None where nothing of it is known."""
    users: dict[str, list[User]] = {}
    for each in group:
        for user in _users(each):
            users.setdefault(user.name, []).append(user)
    if not any(user.memory or user.time_wait for found in users.values() for user in found):
        return None
    with_ports = any(user.time_wait for found in users.values() for user in found)
    header = ["arm", "hop", "memory peak MiB", "proportional MiB"]
    header += ["TIME_WAIT server", "its client"] if with_ports else []
    rows = []
    for name, found in users.items():
        shown = name
        for hop in _hops(found):
            rows.append([shown, hop, *_cells(hop, found)][: len(header)])
            shown = ""
    return Part("memory and closed connections", header, rows, _below(group, with_ports))


def _users(each: ExperimentSummary) -> Sequence[User]:
    return [*each.arms, *each.repeats]


def _hops(users: list[User]) -> list[str]:
    """Those nearest to the client first."""
    longest = max((user.memory for user in users), key=len)
    return list(dict.fromkeys([*reversed(longest), *(link.hop for user in users for link in user.time_wait)]))


def _cells(hop: str, users: list[User]) -> list[str]:
    memory = [user.memory[hop] for user in users if hop in user.memory]
    links = [link for user in users for link in user.time_wait if link.hop == hop]
    return [
        formatting.span([_mebibytes(each.peak_bytes) for each in memory], digits=1),
        formatting.span([_mebibytes(each.proportional_bytes) for each in memory], digits=1),
        formatting.span([link.server for link in links]),
        formatting.span([link.client for link in links]),
    ]


def _mebibytes(count: int | None) -> float | None:
    return None if count is None else count / 2**20


def _below(group: list[ExperimentSummary], with_ports: bool) -> list[str]:
    said = [MEMORY]
    if with_ports:
        by_peer = any(each.repeats or any(arm.peer for arm in each.arms) for each in group)
        said.append(WAITING + (CLOSED if by_peer else ""))
    if len(group) > 1:
        values = ", ".join(label(each.plan.point.value) for each in group if each.plan.point is not None)
        said.append(f"lowest–highest of the values {values}")
    return said
