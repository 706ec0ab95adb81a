"""Memory and ports in TIME_WAIT: a row for each arm and hop. A sweep shows the lowest and the highest value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hopcost.record.contents.evidence import Memory, TimeWait
from hopcost.report import formatting
from hopcost.report.document import Table
from hopcost.statistics.summary.summary import ExperimentSummary

MEMORY = (
    "peak: resident memory of all processes of the hop, the most of any start; shared out: a page that several share is"
    " divided among them"
)
WAITING = "most connections in TIME_WAIT: closed by the hop / by its client"
CLOSED = "; the load generator had closed its own by then"


class User(Protocol):
    """An arm, in blocks or in repeats."""

    @property
    def name(self) -> str:
        """The arm."""

    @property
    def memory(self) -> dict[str, Memory]:
        """By hop in the order of their start: the origin first."""

    @property
    def time_wait(self) -> list[TimeWait]:
        """By link over TCP, the client's side first."""


def usage_table(group: list[ExperimentSummary]) -> Table | None:
    """The table; None if nothing of it is known."""
    users: dict[str, list[User]] = {}
    for user in (user for experiment in group for user in _users(experiment)):
        users.setdefault(user.name, []).append(user)
    everyone = [user for same in users.values() for user in same]
    if not any(user.memory or user.time_wait for user in everyone):
        return None
    with_ports = any(user.time_wait for user in everyone)
    header = ["stack", "hop", "peak MiB", "shared out MiB"]
    header += ["TIME_WAIT hop", "TIME_WAIT client"] if with_ports else []
    rows = []
    for name, same in users.items():
        shown = name
        for hop in _hops(same):
            rows.append([shown, hop, *_cells(hop, same)][: len(header)])
            shown = ""
    return Table(header, rows, "", _below(group, with_ports), words=2)


def _users(experiment: ExperimentSummary) -> Sequence[User]:
    return [*experiment.arms, *experiment.repeats]


def _hops(users: list[User]) -> list[str]:
    """All hops; the one next to the client comes first."""
    longest = max((user.memory for user in users), key=len)
    return list(dict.fromkeys([*reversed(longest), *(link.hop for user in users for link in user.time_wait)]))


def _cells(hop: str, users: list[User]) -> list[str]:
    memory = [user.memory[hop] for user in users if hop in user.memory]
    links = [link for user in users for link in user.time_wait if link.hop == hop]
    return [
        formatting.span([_mebibytes(hop_memory.peak_bytes) for hop_memory in memory], digits=1),
        formatting.span([_mebibytes(hop_memory.proportional_bytes) for hop_memory in memory], digits=1),
        formatting.span([link.server for link in links]),
        formatting.span([link.client for link in links]),
    ]


def _mebibytes(count: int | None) -> float | None:
    return None if count is None else count / 2**20


def _below(group: list[ExperimentSummary], with_ports: bool) -> list[str]:
    lines = [MEMORY]
    if with_ports:
        by_peer = any(experiment.repeats or any(arm.peer for arm in experiment.arms) for experiment in group)
        lines.append(WAITING + (CLOSED if by_peer else ""))
    if len(group) > 1:
        values = ", ".join(map(formatting.swept_value, group))
        lines.append(f"lowest–highest of the values {values}")
    return lines
